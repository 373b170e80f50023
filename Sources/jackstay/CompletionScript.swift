import Settings

/// The completions for a shell that ArgumentParser makes, with what it leaves out: the commands to a running bridge take
/// its name, the names of the bridges that run are offered, and the command `help` takes commands.
enum CompletionScript {
  /// The flag that asks for it.
  static let flag = "--generate-completion-script"

  /// The script with the names of bridges, and in zsh without variables whose names have a bar in them, which is a pipe.
  static func completed(_ script: String) -> String {
    let isFish = script.contains("complete -c 'jackstay'")
    let isZsh = script.hasPrefix("#compdef")
    let named = commands.reduce(script) { script, command in
      isFish ? fish(script, command) : isZsh ? zsh(script, command) : bash(script, command)
    }
    let topics = (["run", "config", "peers"] + commands).joined(separator: " ")
    if isFish {
      return named + """
        complete -c 'jackstay' -n '__jackstay_should_offer_completions_for_positional "jackstay help" -eq 1' \
        -fka '\(topics)'

        """
    }
    if isZsh { return named.replacing("'*:subcommands:'", with: "'*:command:(\(topics))'") }
    guard let help = named.firstRange(of: "\n_jackstay_help() {\n"),
      let end = named[help.upperBound...].firstRange(of: "}\n")
    else { return named }
    let lines = topics.replacing(" ", with: "\n")
    return named[..<end.lowerBound] + "    __jackstay_add_completions -W '\(lines)'\n"
      + named[end.lowerBound...]
  }

  /// The commands that are for a bridge that runs.
  private static let commands =
    Instruction.vocabulary.map(\.word).filter { $0 != "help" } + ["top", "panel", "calibrate", "doctor"]

  private static let summary = "The bridge that is meant, where several run."
  /// Prints the names, in bash and zsh.
  private static let names =
    #"$(ls "${XDG_RUNTIME_DIR-/run/user/$UID}/jackstay" 2>/dev/null | sed -n "s/[.]sock\$//p")"#

  private static func bash(_ script: String, _ command: String) -> String {
    // The program's own function answers to the word after --name, also of a command.
    let named = script.replacing(
      "    '--name')\n        return\n",
      with: "    '--name')\n        __jackstay_add_completions -W \"\(names)\"\n        return\n")
    guard let start = named.firstRange(of: "\n_jackstay_\(command)() {\n"),
      let options = named[start.upperBound...].firstRange(of: "non_repeating_options=()\n")
    else { return named }
    return named[..<options.lowerBound] + "non_repeating_options=(--name)\n" + named[options.upperBound...]
  }

  private static func zsh(_ script: String, _ command: String) -> String {
    guard let start = script.firstRange(of: "\n_jackstay_\(command)() {\n"),
      let specs = script[start.upperBound...].firstRange(of: "local -ar arg_specs=(\n"),
      let end = script[specs.upperBound...].firstRange(of: "\n}\n")
    else { return script }
    let name = "        '--name[\(summary)]:name:{compadd -- \(names)}'\n"
    let function =
      String(script[start.upperBound..<specs.upperBound]) + name
      + script[specs.upperBound..<end.upperBound]
    let isNamed = function.replacing(#/local -ar _[^=\n]*=\(/#) { _ in "local -ar _values=(" }
      .replacing(#/"\$\{_[^\n]*\[@\]\}"/#) { _ in #""${_values[@]}""# }
    return script[..<start.upperBound] + isNamed + script[end.upperBound...]
  }

  private static func fish(_ script: String, _ command: String) -> String {
    let list = #"(ls $XDG_RUNTIME_DIR/jackstay 2>/dev/null | string replace -f .sock "")"#
    let call = "        case '\(command)'\n            __jackstay_parse_subcommand"
    return ["-r 1", "0"].reduce(script) { script, count in
      script.replacing("\(call) \(count) ", with: "\(call) \(count) 'name=' ")
    }
      + """
      complete -c 'jackstay' -n '__jackstay_should_offer_completions_for_flags_or_options "jackstay \(command)" name' \
      -l 'name' -d '\(summary)' -rfka '\(list)'

      """
  }
}
