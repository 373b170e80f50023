import ArgumentParser
import Control
import Panel
import Settings
import Words

/// Shows how browsers get to the panel of a running bridge.
struct ShowPanel: SideCommand {
  static let configuration = CommandConfiguration(
    commandName: "panel", abstract: "Show links to a bridge's panel, and a QR code.",
    usage: "jackstay panel [--name NAME]",
    discussion: """
      Example:
        jackstay --panel 0.0.0.0:8090 &
        jackstay panel

      The first link is the likeliest to be reached from another machine; the QR code is for that link. It shows the \
      bridge that runs; where several run, the one called NAME.

      Exit codes: 0 shown, 1 no such bridge or no panel, 2 not understood.
      """)
  static let flags = ["--name"]

  @OptionGroup(visibility: .hidden) var options: Options

  func run() throws {
    let client = try ControlClient(
      name: options.bridge, in: ControlPlaces(environment: CommandLine.environment))
    let text = try client.ask("status")["panel"]?.string
    for line in try Self.lines(text, TerminalLook(environment: TerminalLook.environment)) {
      guard StandardStreams.print(line) else { throw ExitCode.failure }
    }
  }

  /// The lines to print, of links with a space between each two. Throws ``ControlFailure`` where there is no
  /// panel.
  static func lines(_ links: String?, _ look: TerminalLook) throws(ControlFailure) -> [String] {
    guard let links else {
      throw ControlFailure("the bridge has no panel. Start it with --panel 0.0.0.0:8090.")
    }
    let all = links.split(separator: " ").map { String($0).echoed(limit: 200) }
    guard let first = all.first else {
      throw ControlFailure(
        "the panel is not there yet. The bridge opens it when this machine has its address and the port is free."
      )
    }
    // A telephone cannot reach this machine by an address that only this machine has.
    let isOwn = first.hasPrefix("http://127.") || first.hasPrefix("http://[::1]")
    return all + (isOwn || !look.hasBlocks ? [] : QRCode(first)?.lines ?? [])
  }
}
