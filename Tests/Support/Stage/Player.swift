/// A program that plays with JACK, as users of the bridge have them.
///
/// Thread-safe. Methods block the calling thread.
public protocol Player: AnyObject, Sendable {
  /// The full names of the ports that it is heard from.
  var ports: [String] { get }

  /// Starts it, for the first time or again, and returns when it has been asked to; its ports come later.
  func start(on server: JackServer) throws(StageError)

  /// Ends it in order.
  func end()

  /// Ends it as a crash does.
  func kill()
}

/// A player that needs no more than to be run.
public final class PlainPlayer: Player {
  /// The full names of the ports that it is heard from.
  public let ports: [String]
  private let program: String
  private let arguments: [String]
  private let environment: [String: String?]
  private let child = Monitor<Child?>(nil)

  /// A program that can be started.
  ///
  /// - Parameters:
  ///   - program: Its name in `PATH`.
  ///   - arguments: Its arguments.
  ///   - ports: The full names of the ports that it is heard from.
  ///   - environment: Variables that differ from this process's.
  public init(
    _ program: String, _ arguments: [String] = [], ports: [String], environment: [String: String?] = [:]
  ) {
    self.program = program
    self.arguments = arguments
    self.ports = ports
    self.environment = environment
  }

  /// Starts it, for the first time or again.
  public func start(on server: JackServer) throws(StageError) {
    let started = try Child(
      program, arguments, environment: server.environment.merging(environment) { $1 })
    child.change { $0 = started }
  }

  /// Ends it in order.
  public func end() { child.read { $0 }?.terminate() }

  /// Ends it as a crash does.
  public func kill() { child.read { $0 }?.kill() }
}

extension Player where Self == PlainPlayer {
  /// A metronome that plays JACK's beats.
  public static var klick: PlainPlayer {
    PlainPlayer("klick", ["-j", "-P", "-n", "klick"], ports: [Ensemble.klick])
  }

  /// A MIDI clock that goes with JACK's tempo.
  public static var jackMIDIClock: PlainPlayer { PlainPlayer("jack_midi_clock", ports: [Ensemble.midiClock]) }
}
