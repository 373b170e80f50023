import ArgumentParser

/// A command beside the bridge: it begins none, and takes few of its flags.
protocol SideCommand: ParsableCommand {
  /// The flags that it takes.
  static var flags: [String] { get }
}
