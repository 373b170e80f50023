import Foundation

/// How near to LinkHut's click a program's was heard in one situation.
public struct Verdict: Codable, Sendable, Equatable {
  /// The side that leads tempo and beat.
  public enum Leader: String, Codable, Sendable, CaseIterable {
    /// The session: the bridge owns JACK's timebase.
    case link = "Link"
    /// Another owner of JACK's timebase.
    case jack = "JACK"
  }

  /// The JACK server.
  public enum Server: String, Codable, Sendable, CaseIterable {
    /// jackd2's `jackd`.
    case jackd = "jackd2"
    /// PipeWire.
    case pipewire = "PipeWire"
  }

  /// The system of the programs.
  public enum System: String, Codable, Sendable, CaseIterable {
    case debian12 = "Debian 12"
    case debian13 = "Debian 13"

    /// The system that this runs on; `nil` on another one, of which nothing is kept.
    public static var current: Self? {
      let release = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)) ?? ""
      let values = release.split(separator: "\n").map { $0.filter { $0 != "\"" } }
      guard values.contains("ID=debian") else { return nil }
      return allCases.first { system in
        values.contains("VERSION_ID=\(system.rawValue.split(separator: " ").last ?? "")")
      }
    }
  }

  /// The system.
  public let system: System
  /// The program, by its ``Program/name``.
  public let program: String
  /// The server.
  public let server: Server
  /// The leading side.
  public let leader: Leader
  /// The event that is judged.
  public let situation: Situation
  /// How many clicks, or clocks, were compared.
  public let sounds: Int
  /// How much later than LinkHut's the middle one was, in milliseconds.
  public let median: Double
  /// How far the worst one was off, in milliseconds.
  public let worst: Double
  /// How far any was from the middle one, in milliseconds.
  public let spread: Double

  /// A verdict; its times are rounded to microseconds.
  public init(
    system: System, program: String, server: Server, leader: Leader, situation: Situation, sounds: Int,
    median: Double, worst: Double, spread: Double
  ) {
    self.system = system
    self.program = program
    self.server = server
    self.leader = leader
    self.situation = situation
    self.sounds = sounds
    self.median = (median * 1000).rounded() / 1000
    self.worst = (worst * 1000).rounded() / 1000
    self.spread = (spread * 1000).rounded() / 1000
  }

  /// Its subject: of two verdicts with the same, the later one counts.
  public var subject: String {
    "\(system.rawValue), \(program), \(server.rawValue), \(leader.rawValue) leads, \(situation.rawValue)"
  }
}

/// The event before a program is heard.
public enum Situation: String, Codable, Sendable, CaseIterable {
  case startFromJACK = "start from JACK"
  case startFromLink = "start from Link"
  case startFromProgram = "start from the program itself"
  case tempo = "tempo changed while rolling"
  case tempoByHand = "tempo set by hand, then started"
  case locate = "locate while rolling"
  case loop = "loop of two bars"
  case restart = "killed and started again while rolling"
  case restartedThenStarted = "killed and started again while rolling, then a start"
  case stall = "JACK stood still for 0.1 s while rolling"
  case nextStart = "the start after that"
}
