import Foundation
import Settings
import Stage
import Testing

@Suite(.serialized)
struct CompletionTests {
  /// The words that a shell offers at the end of each line, where bridges called `stage` and `studio` run.
  static let offers: KeyValuePairs = [
    "jackstay te": "tempo tempo-sync",
    "jackstay config c": "check",
    "jackstay mode ": "auto jack link",
    "jackstay launch b": "bar beat",
    "jackstay --frame-align ": "exact off whole",
    "jackstay tempo --name ": "stage studio",
    "jackstay doctor --n": "--name",
    "jackstay peers --wi": "--within",
    "jackstay calibrate --ou": "--output",
    "jackstay help te": "tempo tempo-sync",
    "jackstay help pe": "peers",
  ]

  /// Programs that print the words that a shell offers at the end of each of their arguments, a line each. Each
  /// finds the script for its shell in the file `_jackstay` of the folder in which it runs.
  static let programs: KeyValuePairs = [
    "bash": #"""
    source ./_jackstay
    for line in "$@"; do
      COMP_LINE=$line COMP_POINT=${#line} COMPREPLY=()
      read -ra COMP_WORDS <<< "$line"
      [[ $line != *' ' ]] || COMP_WORDS+=('')
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      _jackstay jackstay "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
      echo ${COMPREPLY[@]}
    done
    """#,
    // Completing needs a line editor, and that needs a terminal.
    "zsh": #"""
    cat > setup <<'END'
    PROMPT= PS2= fpath=($PWD $fpath)
    autoload -Uz compinit; compinit -u -D
    compadd() {
      case ${@[1,(i)(-|--)]} in (*-(O|A|D)*) builtin compadd "$@"; return;; esac
      local -a words; builtin compadd -A words "$@"
      local word; for word in $words; do print -r -- "<$word>"; done
      builtin compadd "$@"
    }
    end-of-words() { print -r -- '<>' }
    zle -N end-of-words; bindkey -e; bindkey '^I' complete-word '^X' end-of-words '^U' kill-whole-line
    print 'rea''dy'
    END
    zmodload zsh/zpty
    zpty shell zsh -f -i
    zpty -w shell 'source ./setup'
    zpty -r -m shell answer '*ready*'
    for line in "$@"; do
      zpty -n -w shell "$line"$'\t'
      zpty -n -w shell $'\x18'
      zpty -r -m shell answer '*<>*'
      print -r -- $(print -r -- $answer | grep -o '<[^ >]*>' | tr -d '<>')
      zpty -n -w shell $'\x15'
    done
    zpty -d shell
    """#,
    "fish": #"""
    source ./_jackstay
    for line in $argv
      echo (complete -C $line | string replace -r '\t.*' '')
    end
    """#,
  ]

  @Test("Shells offer commands, their values, and the names of the bridges that run", arguments: programs)
  func offers(shell: String, program: String) throws {
    // Bash is always there.
    guard shell == "bash" || Child.locate(shell) != nil else { return }
    let folder = try RuntimeFolder()
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/jackstay", withIntermediateDirectories: true)
    for (name, text) in [
      ("jackstay/studio.sock", ""), ("jackstay/stage.sock", ""), ("program", program),
      ("_jackstay", try Invocation("--generate-completion-script", shell).output),
    ] {
      try Data(text.utf8).write(to: URL(filePath: "\(folder.path)/\(name)"))
    }
    let child = try Child(
      "sh",
      ["-c", #"cd "$XDG_RUNTIME_DIR"; exec "$@" < /dev/null"#, "sh", shell, "program"]
        + Self.offers.map(\.key),
      environment: ["XDG_RUNTIME_DIR": folder.path, "HOME": folder.path])
    #expect(try child.wait().isSuccess)
    let offered = child.lines().map { $0.split(separator: " ").sorted().joined(separator: " ") }
    #expect(offered == Self.offers.map(\.value), "\(child.text(of: .errors))")
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `The completions of each command to a running bridge have the option --name`(shell: String) throws {
    let script = try Invocation("--generate-completion-script", shell).output
    let mark = shell == "bash" ? "non_repeating_options=(--name)" : "The bridge that is meant"
    #expect(script.components(separatedBy: mark).count - 1 == Instruction.vocabulary.count + 3)
    // A bar in the name of a variable is a pipe.
    #expect(!script.contains(#/local -ar [^=\n]*\|/#))
  }
}
