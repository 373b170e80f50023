import ArgumentParser
import Settings

/// The text of `jackstay --help`: the commands, the usual options, and where the rest is. All of it is of the
/// tables that the long help is made of.
enum ShortHelp {
  /// The flag that asks for the long help.
  static let longFlag = "--help-all"

  /// The options that a new user needs.
  private static let usual = [
    "--tempo", "--meter", "--mode", "--launch", "--latency", "--click", "--midi-clock", "--panel", "--name",
  ]

  /// The commands that are no instructions to a running bridge.
  private static let others: [any ParsableCommand.Type] = [
    Run.self, Top.self, ShowPanel.self, Peers.self, Calibrate.self, Doctor.self,
    Config.self,
  ]

  /// The text, of the long one.
  static func text(of long: String) -> String {
    """
    Keeps JACK's transport and an Ableton Link session on the same beat.

    Examples:
      jackstay                        join the session on this network, or start one
      jackstay doctor                 check this machine
      jackstay tempo 126              change the tempo of the bridge that runs
      jackstay help tempo             explain a command

    Commands, to the bridge that runs:
    \(Instruction.vocabulary.map { row($0.usage, $0.summary) }.joined(separator: "\n"))

    Other commands:
    \(others.map { row($0.configuration.commandName ?? $0._commandName, lowercased($0.configuration.abstract)) }.joined(separator: "\n"))

    Usual options of a bridge that begins:
    \(options(of: long).joined(separator: "\n"))

    All options: jackstay \(longFlag). The manual: man jackstay.
    The guide: \(CommandLine.guide)
    At login: systemctl --user enable --now jackstay.
    """
  }

  /// A name with what it means, in lines of at most 80 columns.
  private static func row(_ name: String, _ summary: String) -> String {
    var lines = ["  \(name)".padding(toLength: column)]
    for word in summary.split(separator: " ") {
      if lines[lines.count - 1].count + 1 + word.count > 80 { lines.append("".padding(toLength: column)) }
      lines[lines.count - 1] += (lines[lines.count - 1].hasSuffix(" ") ? "" : " ") + word
    }
    return lines.joined(separator: "\n")
  }

  /// A sentence as the other meanings are written.
  private static func lowercased(_ sentence: String) -> String {
    sentence.prefix(1).lowercased() + sentence.dropFirst().prefix { $0 != "." && $0 != ";" }
  }

  /// Where the meanings begin.
  private static let column = 34

  /// The usual ones of the options in a help without line breaks, each with the first sentence about it.
  private static func options(of long: String) -> [String] {
    // A long name has a line of its own.
    long.replacing(#/\n {20,}/#, with: "  ").split(separator: "\n").compactMap { line in
      guard let match = line.wholeMatch(of: #/ +(--[a-z-]+) <(.*?)> +(.*)/#), usual.contains(String(match.1))
      else {
        return nil
      }
      let summary = match.3
      let sentence = summary.firstMatch(of: #/[.;:] /#).map { summary[..<$0.range.lowerBound] } ?? summary
      return row("\(match.1) \(match.2)", String(sentence))
    }
  }
}
