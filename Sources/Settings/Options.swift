import ArgumentParser
import MusicalTime
import Reconciliation

/// The flags of the command line; `nil` for one that is not given.
///
/// ArgumentParser makes of these declarations the flags, their help and the completion of shells. Each of
/// them but the last two is in ``Setting/all``, too: so it can stand in the environment and in configuration files.
public struct Options: ParsableArguments, Sendable {
  @Option("BPM", "Tempo of a new session. A session that exists keeps its own.", default: "120")
  var tempo: Tempo?

  @Option(
    "BEATS", "Length of the loop that is kept in phase with the session.", default: "one bar of the meter")
  var quantum: Quantum?

  @Option("N/D", "Time signature in which JACK counts beats and bars.", default: "4/4")
  var meter: Meter?

  @Option(
    "auto|none|MS|PORT",
    "Output latency, so that JACK is heard at the same time as the session. auto: asks JACK. "
      + "none: programs compensate for it.",
    default: "auto")
  var latency: OutputLatency?

  @Option(
    "MS", "Time by which JACK is heard later than the session; negative is earlier.", default: "0")
  var offset: Offset?

  @Option(
    "NAMES",
    "Programs that compensate for the output latency themselves; --latency auto leaves it to them.",
    default: "ardour,mixbus")
  var compensating: [JACKName]?

  @Option(
    "COUNT", "Resolution of the position that JACK clients read. Fewer ticks are less exact.",
    default: "1920000")
  var ticksPerBeat: TicksPerBeat?

  @Option("NAME", "Name of this client in JACK.", default: "jackstay")
  var name: JACKName?

  @Option("NAME", "Name of the JACK server to use.", default: "$JACK_DEFAULT_SERVER, else \"default\"")
  var server: JACKName?

  @Flag("Take part in the Link session. With --no-link the command \"link on\" joins it.", default: "--link")
  var link: Bool?

  @Option(
    "both|receive|send|off",
    "Direction in which tempo is shared with the session. receive: the session is not changed. "
      + "send: peers do not change JACK. off: JACK's tempo is left alone, too.",
    default: "both")
  var tempoSync: Sharing?

  @Option(
    "both|receive|send|off",
    "Direction in which starts and stops are shared with the session. receive: from the session to JACK. "
      + "send: from JACK to the session.",
    default: "both")
  var startStopSync: Sharing?

  /// The same as `--start-stop-sync off`.
  @Flag(help: ArgumentHelp("The same as --start-stop-sync off.", visibility: .hidden))
  var noStartStopSync = false

  /// The direction that either of the two gives.
  var startStopSharing: Sharing? { noStartStopSync ? .off : startStopSync }

  @Option(
    "auto|link|jack",
    "Leader of tempo and beat. auto: a program that owns JACK's timebase, else Link.", default: "auto")
  var mode: SyncMode?

  @Option(
    "retake|yield|follow",
    "Reaction to a program that takes the timebase while Link leads. retake: take it back. "
      + "yield: neither leads. follow: JACK leads.",
    default: "yield with mode link, follow with mode auto")
  var onTakeover: Takeover?

  @Option(
    "bar|beat|now",
    "When a start rolls while other peers are in the session. bar: in phase with the session's bar. "
      + "beat: on the next beat. now: at once.",
    default: "bar")
  var launch: LaunchMode?

  @Option(
    "whole|exact|off",
    "Align the first frame with the beat for programs that count frames, such as Ardour. "
      + "whole: play the first beat at frame 0 in full. "
      + "exact: be exact to the frame there, without the first beat. off: do not move the playhead.",
    default: "whole")
  var frameAlign: FrameAlignment?

  @Option(
    "wait|roll",
    "When JACK rolls on after a locate out of phase while other peers are in the session. "
      + "wait: in phase. roll: at once.",
    default: "wait")
  var onLocate: Relocation?

  @Option(
    "off|relocate|tempo",
    "Keep programs that count frames in phase while they roll. relocate: move JACK at a bar line. "
      + "tempo: steer the session's tempo.",
    default: "off")
  var discipline: Discipline?

  @Option("MS", "Distance from which on \"discipline relocate\" moves JACK.", default: "5")
  var disciplineThreshold: DisciplineThreshold?

  @Option(
    "off|rolling|always",
    "Add a JACK port that sends MIDI clock. rolling: while JACK rolls. always: also while JACK is stopped.",
    default: "off")
  var midiClock: MIDIClockMode?

  @Option(
    "auto|always|never",
    "When MIDI clock sends a song position. auto: at locates off the beat. always: at each locate. "
      + "never: Start on the next bar instead.",
    default: "auto")
  var midiClockPosition: MIDIClockPosition?

  @Option("MS", "Time by which MIDI clock is sent later; negative is earlier.", default: "0")
  var midiClockOffset: Offset?

  @Option(
    "off|rolling",
    "Add a JACK port that plays a metronome click. rolling: while JACK rolls, and during the count-in.",
    default: "off")
  var click: ClickMode?

  @Option("DB", "Level of the click; 0 is full scale.", default: "-12")
  var clickLevel: ClickLevel?

  @Option(
    "[ADDR:]PORT", "Receive OSC at this UDP port: from this machine alone, unless an address is given.",
    default: "off")
  var osc: Listening?

  @Option(
    "off|[ADDR:]PORT",
    "Web panel: for this machine alone, or with ADDR also for others, by a link with a token.",
    default: "off")
  var panel: Listening?

  @Option(
    "auto|off|[ADDR:]PORT",
    "Give Ardour the session's tempo, and the session Ardour's, by its WebSockets. "
      + "auto: on this machine, if it is in JACK.",
    default: "auto")
  var ardour: ArdourPlace?

  @Option(
    "auto|on|off",
    "Publish tempo, peers and mode as JACK metadata, which other clients can set. "
      + "auto: on PipeWire only, because jackd2's metadata database can lock up.",
    default: "auto")
  var metadata: Settings.Metadata?

  @Flag("Wait for a JACK server that is not running.", default: "--wait")
  var wait: Bool?

  @Flag(
    "Remember the last choices of Link, start/stop sync, offset and tempo.", default: "--state")
  var state: Bool?

  @Option("LEVEL", "Least severe messages to show.", default: "info")
  var logLevel: Settings.LogLevel?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Configuration file to read instead of the usual ones.", valueName: "FILE"),
    completion: .file())
  var config: String?

  /// Whether no more is wanted than the name of the JACK server.
  @Flag(help: "Print the name of the JACK server that a flag, the environment or a file chooses.")
  public var printServer = false

  /// Whether no more is wanted than to know if the JACK server answers.
  @Flag(
    help: ArgumentHelp("End with 0 if the chosen JACK server answers, with 1 if not.", visibility: .hidden))
  public var findServer = false

  /// The name in JACK, if it is given: of a bridge that begins, or of the running one that is meant.
  public var bridge: String? { name?.text }

  /// The JACK server, if it is given.
  public var jackServer: String? { server?.text }

  /// For ArgumentParser alone: there is nothing to read in what `parse` has not made.
  public init() {}
}

extension Option {
  /// An option of the program. The word after it is always its value, so that `--latency -5` is about the
  /// number.
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
  /// A switch of the program, with both its spellings: so a flag can undo the file's value.
  fileprivate init(_ summary: String, default: String) {
    self.init(
      inversion: .prefixedNo, exclusivity: .exclusive,
      help: ArgumentHelp("\(summary) Default: \(`default`)."))
  }
}
