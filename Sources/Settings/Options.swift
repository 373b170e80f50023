import ArgumentParser
import MusicalTime
import Reconciliation

/// What can be said on the command line; `nil` is what is not.
///
/// ArgumentParser makes of these declarations the flags, their help and the completion of shells. Each of
/// them but the last two is in ``Setting/all``, too: so it can stand in the environment and in configuration files.
public struct Options: ParsableArguments, Sendable {
  @Option("BPM", "Tempo of a new session. A session that is already there keeps its own.", default: "120")
  var tempo: Tempo?

  @Option(
    "BEATS", "Length of the loop that is kept in phase with the session.", default: "one bar of the meter")
  var quantum: Quantum?

  @Option("N/D", "Time signature in which JACK counts beats and bars.", default: "4/4")
  var meter: Meter?

  @Option(
    "auto|none|MS|PORT",
    "Output latency to make up for, so that JACK is heard with the session. auto asks JACK.",
    default: "auto")
  var latency: OutputLatency?

  @Option(
    "MS", "Have JACK heard so much later than the session, or earlier where it is negative.", default: "0")
  var offset: Offset?

  @Option(
    "NAMES",
    "Programs that make up for the output latency themselves: --latency auto leaves it to them.",
    default: "ardour,mixbus")
  var compensating: [JACKName]?

  @Option(
    "COUNT", "Resolution of the position that JACK shows. Fewer ticks place it less exactly.",
    default: "1920000")
  var ticksPerBeat: TicksPerBeat?

  @Option("NAME", "Name of this client in JACK.", default: "jackstay")
  var name: JACKName?

  @Option("NAME", "Name of the JACK server to use.", default: "$JACK_DEFAULT_SERVER, else \"default\"")
  var server: JACKName?

  @Flag("Take part in Link's session. Without, the command \"link on\" joins it.", default: "--link")
  var link: Bool?

  @Flag("Share starting and stopping with the session.", default: "--start-stop-sync")
  var startStopSync: Bool?

  @Option(
    "auto|link|jack",
    "Who leads tempo and beat. auto: a program that owns JACK's timebase, else Link.", default: "auto")
  var mode: SyncMode?

  @Option(
    "retake|yield|follow", "What to do when a program takes the timebase while Link is to lead.",
    default: "yield with mode link, follow with mode auto")
  var onTakeover: Takeover?

  @Option(
    "bar|beat|now",
    "What a start waits for in company: its place in the quantum, the next beat, or nothing.",
    default: "bar")
  var launch: LaunchMode?

  @Option(
    "whole|exact|off",
    "Start early for programs that count frames: but whole at frame 0, or late there; or never.",
    default: "whole")
  var frameAlign: FrameAlignment?

  @Option(
    "wait|roll", "What to do in company when rolling JACK is put where it is out of phase.",
    default: "wait")
  var onLocate: Relocation?

  @Option(
    "off|relocate|tempo",
    "Keep programs that count frames in phase as they roll: relocate them, or steer the session's tempo.",
    default: "off")
  var discipline: Discipline?

  @Option("MS", "Relocate them when they are off by so much.", default: "5")
  var disciplineThreshold: DisciplineThreshold?

  @Option(
    "off|rolling|always",
    "Send MIDI clock from a port of ours: never, while JACK rolls, or also while it rests.", default: "off")
  var midiClock: MIDIClockMode?

  @Option(
    "auto|always|never",
    "Send a MIDI song position at locates off the beat; at each locate; or never: Start on the next bar.",
    default: "auto")
  var midiClockPosition: MIDIClockPosition?

  @Option("MS", "Send MIDI clock so much later, or earlier where it is negative.", default: "0")
  var midiClockOffset: Offset?

  @Option(
    "off|rolling", "Click on each beat from a port of ours: never, or while JACK rolls and counts in.",
    default: "off")
  var click: ClickMode?

  @Option("DB", "Level of the click: 0 is as loud as can be played.", default: "-12")
  var clickLevel: ClickLevel?

  @Option(
    "[ADDR:]PORT", "Take OSC at this port of UDP: from this machine alone, unless an address is given.",
    default: "off")
  var osc: Listening?

  @Option(
    "off|[ADDR:]PORT",
    "Panel in the browser: for this machine alone, or with ADDR for others, too, by a link with a token.",
    default: "off")
  var panel: Listening?

  @Option(
    "auto|on|off",
    "Properties that other clients read and write; auto leaves jackd2 alone, which they can hang.",
    default: "auto")
  var metadata: Settings.Metadata?

  @Flag("Wait for a JACK server that is not running.", default: "--wait")
  var wait: Bool?

  @Flag(
    "Remember Link, start/stop sync, offset and tempo as they were last chosen.", default: "--state")
  var state: Bool?

  @Option("LEVEL", "Least severe messages to show.", default: "info")
  var logLevel: Settings.LogLevel?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Configuration file to read instead of those there are.", valueName: "FILE"),
    completion: .file())
  var config: String?

  /// Whether no more is wanted than the name of the JACK server.
  @Flag(help: "Print the JACK server that is chosen, by a flag, the environment or a file.")
  public var printServer = false

  /// Whether no more is wanted than to know if the JACK server answers.
  @Flag(
    help: ArgumentHelp("End with 0 if the chosen JACK server answers, with 1 if not.", visibility: .hidden))
  public var findServer = false

  /// The name in JACK, if it is given: of a bridge that begins, or of the running one that is meant.
  public var bridge: String? { name?.text }

  /// For ArgumentParser alone: there is nothing to read in what `parse` has not made.
  public init() {}
}

extension Option {
  /// An option of the program. Whatever follows it is its value, so that `--latency -5` is about the number.
  fileprivate init<Wanted: OptionValue>(
    _ placeholder: String, _ summary: String, default: String
  ) where Value == Wanted? {
    self.init(
      parsing: .unconditional,
      help: ArgumentHelp(
        "\(summary) Takes \(Wanted.expectation). Default: \(`default`).", valueName: placeholder),
      completion: Wanted.words.isEmpty ? .default : .list(Wanted.words),
      transform: { text throws(SettingsError) in
        // Another flag, and the value is missing.
        guard !text.hasPrefix("--"), let value = Wanted(.argument(text)) else {
          throw SettingsError(
            Wanted.expectation(for: text, after: "")
              ?? "expected \(Wanted.expectation), for example \(Wanted.example.filter { $0 != "\"" })")
        }
        return value
      })
  }
}

extension Flag<Bool?> {
  /// A switch of the program, with both its spellings: so a flag can undo what the file says.
  fileprivate init(_ summary: String, default: String) {
    self.init(
      inversion: .prefixedNo, exclusivity: .exclusive,
      help: ArgumentHelp("\(summary) Default: \(`default`)."))
  }
}
