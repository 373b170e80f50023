/// A program that follows JACK, or leads it, with its known faults.
public struct Program: Sendable {
  /// How it is called, with the version that was heard.
  public let name: String
  /// Whether it reads bar, beat and tick.
  public let reads: String
  /// Whether it starts and stops with JACK.
  public let transport: String
  /// Remarks on it.
  public let notes: String
  /// The faults of the program itself.
  public let exemptions: [Exemption]

  /// A fault of the program itself, with any side in the lead.
  public struct Exemption: Sendable {
    /// When.
    public let situations: [Situation]
    /// The leading side; nil is both.
    public let leader: Verdict.Leader?
    /// On which server; nil is on all.
    public let server: Verdict.Server?
    /// The bound that holds all the same.
    public let bound: Bound
    /// The fault, and the way to live with it.
    public let reason: String

    init(
      _ situations: [Situation], leader: Verdict.Leader? = nil, on server: Verdict.Server? = nil,
      allowing bound: Bound, because reason: String
    ) {
      self.situations = situations
      self.leader = leader
      self.server = server
      self.bound = bound
      self.reason = reason
    }

    /// Whether a verdict is about it.
    func covers(_ verdict: Verdict) -> Bool {
      situations.contains(verdict.situation) && (leader ?? verdict.leader) == verdict.leader
        && (server ?? verdict.server) == verdict.server
    }
  }

  /// The bound of a program with a fault of its own.
  public enum Bound: Sendable {
    /// It is off by so many milliseconds at most.
    case worst(Double)
    /// It is off, but by the same all the time, to so many milliseconds.
    case spread(Double)
    /// It is anywhere.
    case none
  }

  /// How far the middle click may be from LinkHut's, in milliseconds.
  public static let median = 0.5
  /// How far any click may be.
  public static let worst = 1.0

  /// The fault in a verdict on it, in words; nil for none.
  public func fault(of verdict: Verdict) -> String? {
    if let exemption = exemptions.first(where: { $0.covers(verdict) }) {
      switch exemption.bound {
      case .worst(let bound) where verdict.worst > bound:
        return "up to \(verdict.worst) ms from LinkHut's click, known are \(bound) ms"
      case .spread(let bound) where verdict.spread > bound:
        return "up to \(verdict.spread) ms from where it is in the middle, known are \(bound) ms"
      case .worst, .spread, .none: return nil
      }
    }
    guard abs(verdict.median) > Self.median || verdict.worst > Self.worst else { return nil }
    return
      "\(verdict.median) ms from LinkHut's click in the middle, and up to \(verdict.worst) ms; "
      + "\(Self.median) and \(Self.worst) ms are expected"
  }

  /// Whether it sounds before a start, too.
  public var countsIn: Bool { name == Self.click.name }

  /// Whether all that can be asked of it is to be off by the same all the time.
  var isSteadyOnly: Bool {
    exemptions.contains {
      if case .spread = $0.bound { $0.situations == Situation.allCases } else { false }
    }
  }

  /// Whether nothing is expected of where it sounds.
  public func mayBeAnywhere(
    _ situation: Situation, _ leader: Verdict.Leader, on server: Verdict.Server
  ) -> Bool {
    exemptions.contains { exemption in
      guard case .none = exemption.bound else { return false }
      return exemption.situations.contains(situation) && (exemption.leader ?? leader) == leader
        && (exemption.server ?? server) == server
    }
  }

  /// Whether it is known to go wrong by itself there.
  public func isExempt(_ verdict: Verdict) -> Bool { exemptions.contains { $0.covers(verdict) } }
}

extension Program {
  /// All that are judged, in the order of the guide's tables.
  public static let all =
    [klick, hydrogen, jackMIDIClock]
    + ardourReleases.map(ardour) + ardourReleases.map(ardourByMIDIClock)
    + [click, midiClock]

  /// A metronome.
  public static let klick = Program(
    name: "klick", reads: "yes, every cycle", transport: "yes",
    notes: "", exemptions: [])

  /// A drum machine, by its metronome.
  public static let hydrogen = Program(
    name: "Hydrogen 1.2", reads: "the tempo; the position after a locate or a tempo change",
    transport: "yes", notes: "",
    exemptions: [
      Exemption(
        [.restart], allowing: .worst(8),
        because: "where JACK rolls when it comes it is some milliseconds off, until the next start or locate")
    ])

  /// A MIDI clock that goes with JACK.
  public static let jackMIDIClock = Program(
    name: "jack_midi_clock", reads: "the tempo; the position for its song position", transport: "yes",
    notes: "",
    exemptions: [
      Exemption(
        [.loop], allowing: .spread(12),
        because: "a clock at the seam of a loop is up to half a clock off"),
      Exemption(
        Situation.allCases, allowing: .spread(1.5),
        because: "the interval of its clocks is exact, their phase is that of its start: use `--midi-clock`"),
    ])

  /// The releases of Ardour whose verdicts are written down: those of Debian 12 and 13.
  static let ardourReleases = ["7.3", "8.12"]

  /// A DAW, with JACK's transport, by its click.
  ///
  /// - Parameter release: Its version, for example `8.12`.
  /// - Returns: The program, with its known faults.
  public static func ardour(_ release: String) -> Program {
    Program(
      name: "Ardour \(release)", reads: "no, frames only", transport: "yes, both ways, and locates",
      notes:
        "compensates for the latency; owns the timebase by default, and then Link follows it; where JACK rolls when it comes, it waits for the next start; see [Ardour](Ardour.md)",
      exemptions: [
        Exemption(
          [.tempo], leader: .link, allowing: .none,
          because: "has its own tempo: when Link leads, set it to the session's by hand, and start once more"),
        Exemption(
          [.stall], leader: .link, allowing: .none,
          because: "when JACK has stood still it is late by as long, until the next start or locate"),
      ])
  }

  /// The same, with the bridge's MIDI clock.
  ///
  /// - Parameter release: Its version, for example `8.12`.
  /// - Returns: The program, with its known faults.
  public static func ardourByMIDIClock(_ release: String) -> Program {
    Program(
      name: "Ardour \(release) by MIDI clock", reads: "no, the MIDI clock",
      transport: "follows the MIDI clock's",
      notes:
        "follows the session's tempo by itself, from a start at the beginning on; see [Ardour](Ardour.md)",
      exemptions: [
        Exemption(
          Situation.allCases, allowing: .worst(5),
          because: "it chases the clock, and is not on the beat to the millisecond")
      ])
  }

  /// The bridge's own click.
  public static let click = Program(
    name: "`jackstay:click`", reads: "Jackstay's own port", transport: "yes", notes: "see [Click](Click.md)",
    exemptions: [])

  /// The bridge's own MIDI clock.
  public static let midiClock = Program(
    name: "`jackstay:midi_clock`", reads: "Jackstay's own port", transport: "yes",
    notes: "see [MIDI clock](MIDIClock.md)",
    exemptions: [
      Exemption(
        [.loop], on: .pipewire, allowing: .worst(12),
        because: "on PipeWire a clock at the seam of a loop is up to half a clock off")
    ])
}
