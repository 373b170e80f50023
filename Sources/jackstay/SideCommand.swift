import ArgumentParser

/// A command beside the bridge: it begins none, and takes few of its flags.
protocol SideCommand: ParsableCommand {
  /// The flags that it takes.
  static var flags: [String] { get }

  /// The help of those that are a bridge's, too, as they stand in a list of options.
  static var flagHelp: [String: (placeholder: String, summary: String)] { get }
}

extension SideCommand {
  static var flagHelp: [String: (placeholder: String, summary: String)] {
    ["--name": ("NAME", "The bridge that is meant, where several run.")]
  }

  /// The help that ArgumentParser makes, which leaves out the options of a bridge, with those that the command takes.
  static func completed(help: String) -> String {
    let lines = flags.compactMap { flag -> String? in
      guard let help = flagHelp[flag] else { return nil }
      return "  \(flag) <\(help.placeholder)>".padding(toLength: 26) + "\(help.summary)\n"
    }
    return help.replacing("\nOPTIONS:\n", with: "\nOPTIONS:\n\(lines.joined())", maxReplacements: 1)
  }
}
