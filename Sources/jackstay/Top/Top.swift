import ArgumentParser
import Control
import Glibc
import Settings
import Synchronization

/// Shows a running bridge on a whole terminal, and has it do what keys say.
struct Top: SideCommand {
  static let configuration = CommandConfiguration(
    commandName: "top", abstract: "Show a running bridge as a dashboard with keys.",
    usage: "jackstay top [--name NAME]",
    discussion: """
      Example:
        jackstay top

      Keys:
        \(DashboardAction.keys.map { "\($0.padding(toLength: 13))\($1)" }.joined(separator: "\n  "))

      It shows the bridge that runs; where several run, the one called NAME. When that ends, top waits for it. With \
      NO_COLOR in the environment there are no colours.

      Exit codes: 0 left, 1 no such bridge or no terminal, 2 not understood.
      """)
  static let flags = ["--name"]

  @OptionGroup(visibility: .hidden) var options: Options

  /// How often it is drawn, and keys are read, in milliseconds.
  private static let interval: Int32 = 50

  func run() throws {
    let environment = TerminalLook.environment
    guard Terminal.isStandardInput, isatty(STDOUT_FILENO) == 1, environment["TERM"] != "dumb" else {
      throw ControlFailure(
        "top needs a terminal to draw on, and there is none; use jackstay watch, or jackstay status --json")
    }
    let contact = try BridgeContact(
      name: options.bridge, in: ControlPlaces(environment: CommandLine.environment))
    let look = TerminalLook(environment: environment)
    let screen = FullScreen(look)
    let isOver = Over()
    let signals = StopSignals(reloads: false) { screen.abandon() }
    signals.onFirst { isOver.set() }
    let jobControl = JobControl {
      screen.giveBack()
    } takeAgain: {
      screen.takeAgain()
    }
    // In the background a read would stop the program.
    signal(SIGTTIN, SIG_IGN)
    show(contact, on: screen, look, until: isOver)
    screen.end()
    jobControl.cancel()
    signals.cancel()
  }

  /// Whether it is to end.
  private final class Over: Sendable {
    private let flag = Atomic(false)
    var isSet: Bool { flag.load(ordering: .relaxed) }
    func set() { flag.store(true, ordering: .relaxed) }
  }

  private func show(
    _ contact: BridgeContact, on screen: FullScreen, _ look: TerminalLook, until isOver: Over
  ) {
    var dashboard = Dashboard(name: contact.name)
    var (keys, peers) = (KeyReader(), SessionPeers())
    while !isOver.isSet {
      let (news, state) = contact.take()
      for item in news { dashboard.take(item) }
      dashboard.contact = state
      let process = (dashboard.status["process"]?.number).flatMap { Int32(exactly: $0) }
      dashboard.peerAddresses = process.map { peers.addresses(besides: $0) } ?? []
      let isThere = screen.draw { columns, rows in
        DashboardView(
          dashboard, at: Double(LinkTime.nanoseconds) / 1000, columns: columns, rows: rows, look
        ).lines
      }
      guard isThere, let bytes = screen.read(milliseconds: Self.interval) else { return }
      let pressed = bytes.isEmpty ? keys.pause().map { [$0] } ?? [] : keys.take(bytes)
      for key in pressed {
        switch DashboardAction(key, dashboard.status) {
        case .leave where dashboard.showsHelp: dashboard.showsHelp = false
        case .leave: return
        case .toggleHelp: dashboard.showsHelp.toggle()
        case .tell(let command): contact.tell(command)
        case nil: break
        }
      }
    }
  }
}

extension Dashboard {
  /// The bridge has said something.
  @inline(never) fileprivate mutating func take(_ news: BridgeContact.News) {
    switch news {
    case .status(let status): take(status: status)
    case .event(let text): take(event: text)
    case .reply(let text): reply = text
    }
  }
}

extension String {
  /// The text, with spaces after it up to a length.
  func padding(toLength length: Int) -> String {
    self + String(repeating: " ", count: max(1, length - count))
  }
}
