import ArgumentParser

/// The options of a command to a running bridge, besides the command and the bridge's name.
public struct ControlOptions: ParsableArguments {
  /// Whether the answer is to be JSON, one object a line, as the bridge has sent it.
  @Flag(help: "Print what the bridge answers as JSON, one object a line.")
  public var json = false

  /// For ArgumentParser alone: there is nothing to read in what `parse` has not made.
  public init() {}
}
