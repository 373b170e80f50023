import Glibc

/// A recorder of when programs are heard: an instrument that knows neither Link nor the bridge, described at
/// the top of `Tests/Tools/Recorder/main.cpp`.
///
/// Methods block the calling thread until the recorder has answered.
public final class Recorder: Sendable {
  /// Something that was heard.
  public struct Sound: Sendable, Equatable {
    /// The port that it came from.
    public let port: String
    /// When it was heard, in microseconds of the system's monotonic clock.
    public let time: Double
    /// The first byte of a MIDI message; nil for a click.
    public let status: Int?

    init?(_ line: String) {
      // There may be spaces in the name of a port.
      let words = line.split(separator: " ")
      guard words.count >= 4, ["click", "midi"].contains(words[0]),
        let time = Double(words[words.count - 2])
      else { return nil }
      port = words[1..<(words.count - 2)].joined(separator: " ")
      self.time = time
      status = words[0] == "midi" ? Int(words[words.count - 1]) : nil
    }
  }

  private let child: Child

  /// Starts a recorder, and returns when it hears all the ports.
  ///
  /// - Parameters:
  ///   - server: The JACK server that the ports are on.
  ///   - ports: The full names of output ports, audio or MIDI.
  /// - Throws: ``StageError`` when it does not start, or one of the ports does not appear.
  public init(on server: JackServer, ports: [String]) throws(StageError) {
    child = try Child(
      Products.path("recorder"), ports, environment: server.environment, streams: .pipes)
    for port in ports { try child.awaitLine("the port \(port)") { $0 == "connected \(port)" } }
  }

  /// All that was heard until some hundred milliseconds ago.
  public var sounds: [Sound] { child.lines().compactMap(Sound.init) }

  /// The clicks of a port, or its clocks if it is of MIDI, from `time` on.
  public func beats(of port: String, since time: Double = 0) -> [Double] {
    sounds.filter { $0.port == port && $0.time >= time && ($0.status ?? Sound.clock) == Sound.clock }
      .map(\.time)
  }

  /// When JACK missed deadlines, in microseconds of the system's monotonic clock.
  public var gaps: [Double] { instants("gap") }

  /// The ends of half seconds in which wake-ups were late all the time, in microseconds of the system's
  /// monotonic clock: programs that go by their own wake-ups, as LinkHut does, are as late then.
  public var restless: [Double] { instants("restless") }

  private func instants(_ word: String) -> [Double] {
    child.lines().compactMap { line in
      let words = line.split(separator: " ")
      return words.first == word[...] && words.count > 1 ? Double(words[1]) : nil
    }
  }

  /// The clock of the recorder, in microseconds. Thread-safe.
  public static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
  }

  /// Ends it.
  public func end() { child.terminate() }
}

extension Recorder.Sound {
  /// MIDI's clock, 24 of which are a beat.
  public static let clock = 0xF8
}

/// How two rows of clicks lie to each other.
public struct Apart: Sendable {
  /// How much later each click is than the nearest one of the other row, in microseconds, and when that was.
  public let errors: [(time: Double, error: Double)]
  /// How many have none within a tenth of a second.
  public let lonely: Int

  /// Whether it is clocks of MIDI that were compared.
  public let isOfClocks: Bool

  /// Compares clicks with those they should sound together with.
  public init(_ clicks: [Double], from others: [Double]) {
    var errors: [(time: Double, error: Double)] = []
    var lonely = 0
    for time in clicks {
      let nearest = others.map { time - $0 }.min { $0.magnitude < $1.magnitude }
      if let nearest, nearest.magnitude < 100_000 {
        errors.append((time, nearest))
      } else {
        lonely += 1
      }
    }
    self.errors = errors
    self.lonely = lonely
    isOfClocks = false
  }

  /// Compares the clocks of MIDI, of which 24 are a beat, with the beats that they divide.
  ///
  /// A clock is not compared where no two beats are about it, and as far apart as usual.
  public init(clocks: [Double], from beats: [Double]) {
    let lengths = zip(beats, beats.dropFirst()).map { $1 - $0 }.sorted()
    let usual = lengths.isEmpty ? 0 : lengths[lengths.count / 2]
    errors = clocks.compactMap { time in
      guard let next = beats.firstIndex(where: { $0 > time }), next > 0 else { return nil }
      let length = beats[next] - beats[next - 1]
      guard abs(length - usual) < usual / 100 else { return nil }
      let place = (time - beats[next - 1]) / length * 24
      return (time, (place - place.rounded()) / 24 * length)
    }
    lonely = 0
    isOfClocks = true
  }

  /// The middle error, in microseconds; nil when there is none.
  public var median: Double? {
    errors.isEmpty ? nil : errors.map(\.error).sorted()[errors.count / 2]
  }

  /// The largest error, in microseconds, except between instants and some time after each; infinite when
  /// there is none.
  public func worst(except instants: [Double] = [], for span: Double = 0) -> Double {
    let counted = errors.filter { one in !instants.contains { (0..<span).contains(one.time - $0) } }
    return counted.map(\.error.magnitude).max() ?? .infinity
  }
}
