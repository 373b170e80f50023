import ArgumentParser
import Calibration
import Control
import Glibc
import JSON
import Reconciliation
import Settings
import Synchronization
import Words

/// Measures by a microphone how much earlier or later JACK is heard than another device, and sets the offset.
struct Calibrate: SideCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate", abstract: "Measure the offset by a microphone, and set it.",
    usage: "jackstay calibrate [--input PORT] [--output PORTS] [--beats N] [--yes]",
    discussion: """
      Example:
        jackstay calibrate --input system:capture_1

      The other device plays its metronome, and JACK chirps half a beat later, in every second group of four beats, through \
      the loudspeakers that are used. A microphone near to both hears by how much JACK is early or late. The offset \
      for that is shown with its spread, and set in the bridge that runs when you confirm it.

      It is refused where the beats differ by more than 2 ms, where one of the two is not heard, or where they cannot be \
      told apart. Ctrl-C ends it at once, and changes nothing.

      Exit codes: 0 measured, 1 no such bridge, refused or not set, 2 not understood.
      """)
  static let flags = ["--input", "--output", "--beats", "--yes", "--name", "--server"]
  static let flagHelp: [String: (placeholder: String, summary: String)] = [
    "--name": ("NAME", "The bridge that is meant, where several run."),
    "--server": ("NAME", "Its JACK server, if the bridge was not given one."),
  ]

  @OptionGroup(visibility: .hidden) var options: Options
  @Option(
    help: ArgumentHelp(
      "The port to listen to. Default: JACK's first microphone, as system:capture_1.", valueName: "PORT"))
  var input: String?
  @Option(
    help: ArgumentHelp(
      "The ports to play on, with commas between. Default: JACK's first two loudspeakers.", valueName: "PORTS"
    ))
  var output: String?
  @Option(help: ArgumentHelp("How many beats to listen to, 16 to 256. Default: 48.", valueName: "N"))
  var beats: String?
  @Flag(help: "Set the offset without a question.")
  var yes = false

  /// The numbers of beats that make sense.
  static let range = 16...256

  func run() throws {
    let beats = try beats.map(Self.count) ?? 48
    let bridge = try ControlClient(
      name: options.bridge, in: ControlPlaces(environment: CommandLine.environment))
    let outputs = output?.split(separator: ",").map(String.init) ?? []
    var run = try CalibrationRun(
      bridge, server: options.jackServer, input: input, outputs: outputs, beats: beats)
    let client = run.client
    let signals = StopSignals(reloads: false) {}
    let isOver = Over()
    // Nothing is set yet, and nothing is left behind.
    signals.onFirst {
      isOver.set()
      client.close()
      _exit(0)
    }
    try Self.show(run.announcement)
    let result: CalibrationResult
    do {
      result = try Calibration.result(of: run.record())
    } catch {
      // A client that a signal has closed is no fault: the process ends with that.
      isOver.waitIfSet()
      client.close()
      throw (error as? CalibrationRefusal).map { Self.failure($0, xruns: client.xrunCount) } ?? error
    }
    client.close()
    signals.cancel()
    for number in [SIGINT, SIGTERM, SIGQUIT, SIGHUP] { Signals.answer(number, nil) }
    try Self.apply(result, to: bridge, isConfirmed: yes)
  }

  /// Whether a signal ends it.
  private final class Over: Sendable {
    private let flag = Atomic(false)
    func set() { flag.store(true, ordering: .releasing) }

    /// Does not return once it is set.
    func waitIfSet() { while flag.load(ordering: .acquiring) { usleep(10_000) } }
  }

  private static func apply(
    _ result: CalibrationResult, to bridge: ControlClient, isConfirmed: Bool
  ) throws {
    for line in lines(of: result) { try show(line) }
    guard let offset = Offset(milliseconds: result.offset.milliseconds) else {
      throw ControlFailure(
        "An offset is from -500 to 500 ms. Set the output latency first: jackstay --latency MS")
    }
    let text = "\(offset.interval.milliseconds.signed(decimals: 2))ms"
    let now = try bridge.ask("status")["offset_ms"]?.number ?? 0
    try show("the offset is \(now.signed(decimals: 2)) ms now")
    if !isConfirmed {
      guard Terminal.isStandardInput else {
        try show("set it by: jackstay offset \(text)")
        return
      }
      guard Self.confirms("Set the offset to \(text)? [y/N] ") else { return }
    }
    let reply = ControlReply(try bridge.ask("offset \(text)"))
    if reply.isFailure { throw ControlFailure(reply.message) }
    try show("the offset is \(text) from now on")
  }

  /// A refusal, for people, of a recording in which JACK had so many xruns.
  static func failure(_ refusal: CalibrationRefusal, xruns: Int) -> ControlFailure {
    guard xruns > 0, refusal.canComeFromXruns else { return ControlFailure("\(refusal)") }
    return ControlFailure(
      "JACK had \(xruns.asXruns) meanwhile, which move clicks. Use larger buffers, and run it again.")
  }

  /// The result, for people.
  static func lines(of result: CalibrationResult) -> [String] {
    let milliseconds = result.offset.milliseconds
    let way = milliseconds < 0 ? "later" : "earlier"
    let lines = [
      "JACK is heard \(milliseconds.magnitude.formatted(decimals: 2)) ms \(way) than the other device, without an offset",
      "spread \(result.spread.milliseconds.formatted(decimals: 2)) ms over \(result.beats) beats and \(result.chirps)"
        + " chirps, the other's beginning within \(result.bound.milliseconds.formatted(decimals: 2)) ms",
    ]
    return lines + (result.isClipped ? ["the input is cut off at its peaks: turn the microphone down"] : [])
  }

  private static func confirms(_ question: String) -> Bool {
    guard StandardStreams.ask(question) else { return false }
    let answer = readLine()?.lowercased() ?? ""
    return answer == "y" || answer == "yes"
  }

  private static func show(_ line: String) throws {
    if !StandardStreams.print(line) { throw ExitCode.failure }
  }

  /// A number of beats, as it is written; a number between two whole pairs of bars is the next such pair's.
  static func count(_ text: String) throws(SettingsError) -> Int {
    guard let count = Int(text), range.contains(count) else {
      throw SettingsError(
        "--beats \(text.echoedAsWord()) is no number of beats: expected 16 to 256, for example --beats 64")
    }
    return (count + 7) / 8 * 8
  }
}
