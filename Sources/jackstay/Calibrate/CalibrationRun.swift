import Calibration
import Control
import Glibc
import JACK
import JSON
import MusicalTime
import Reconciliation
import Words

/// One calibration beside a running bridge: chirps, a recording, and what it shows.
struct CalibrationRun {
  /// The bridge.
  let bridge: ControlClient
  /// The client that listens.
  let client: ActiveClient
  /// Its ports.
  let ports: CalibrationPorts
  /// How many beats it listens to.
  let beats: Int

  private let channels: Microphone.Channels
  private var session: SessionBeat
  private var map = ClockMap()

  private static let input = "microphone"
  private static let output = "chirp"
  /// The tempos that give the clicks room, in beats per minute.
  static let tempos: ClosedRange<Double> = 40...240
  /// How long after its beat a sound may be recorded, in seconds.
  private static let longestDelay = 1.5
  /// How often the bridge is asked for the beat, in microseconds.
  private static let interval: UInt32 = 50_000
  /// How long the first beat is waited for.
  private static let patience = Duration.seconds(20)

  /// Opens a client on the bridge's server, and connects it. Throws ``ControlFailure`` where something is missing.
  init(
    _ bridge: ControlClient, server: String?, input: String?, outputs: [String], beats: Int
  ) throws {
    let status = try bridge.ask("status")
    if let fault = Self.fault(in: status) { throw fault }
    var session = SessionBeat()
    do throws(SessionBeat.Fault) { _ = try session.take(status) } catch { throw Self.failure(error) }
    let tempo = status["tempo"]?.number ?? 0
    guard Self.tempos.contains(tempo) else {
      throw ControlFailure(
        "At \(tempo.formatted(decimals: 2)) bpm the clicks cannot be told apart. Choose a tempo from 40 to 240, for"
          + " example: jackstay tempo 90")
    }
    (self.bridge, self.session, self.beats) = (bridge, session, beats)
    let name = server ?? status["server"]?.string
    PipeWireLibrary.adopt(unlessNamed: name)
    do throws(JACKError) {
      let opened = try Client.open(name: "jackstay-calibrate", server: name)
      let microphone = try opened.addAudioInput(Self.input)
      let chirp = try opened.addAudioOutput(Self.output)
      let rate = opened.sampleRate
      // Two beats until the first one counts, and a slower tempo than now.
      let seconds = Double(beats + 6) * 60 / tempo * 1.02 + Self.longestDelay + Self.patience.inSeconds
      channels = Microphone.Channels(capacity: Int(seconds * rate.hertz))
      let latency = try Self.latency(status, server: name)
      client = try opened.activate(
        Microphone(input: microphone, output: chirp, rate: rate, latency: latency, channels: channels))
    } catch {
      throw ControlFailure("\(error.explained)")
    }
    ports = try CalibrationPorts(input: input, outputs: outputs, among: client.ports(carrying: .audio))
    guard client.connect(Self.input, from: ports.input) else {
      throw ControlFailure(
        "The port \"\(ports.input.echoed(limit: 60))\" cannot be connected. Name another: --input")
    }
    for port in ports.outputs where !client.connect(Self.output, to: port) {
      throw ControlFailure(
        "The port \"\(port.echoed(limit: 60))\" cannot be connected. Name another: --output")
    }
  }

  /// How long after a cycle's beginning its first frame is to be heard, as the bridge's click has it: by the latency
  /// that the bridge compensates for, and where it leaves that to the programs, by JACK's.
  private static func latency(_ status: JSONObject, server: String?) throws(JACKError) -> HostInterval {
    if status["leaves_latency_to_programs"] != true, let own = status["latency_ms"]?.number, own > 0 {
      return .milliseconds(own)
    }
    let visitor = try Client.open(name: "jackstay-latency", server: server).activate(RealtimeHandler())
    defer { visitor.close() }
    return HostInterval(visitor.largestPlaybackLatency() ?? FrameCount(0), at: visitor.sampleRate)
  }

  /// Why a bridge in that state cannot be calibrated; `nil` where it can.
  static func fault(in status: JSONObject) -> ControlFailure? {
    if status["state"] != "bridging" {
      return ControlFailure("The bridge is not in JACK. Start the JACK server, and see: jackstay status")
    }
    if status["link"] == false { return ControlFailure("Link is off. Switch it on: jackstay link on") }
    if status["rendering"] == true || status["stalled"] == true {
      return ControlFailure(
        "JACK does not keep time at present. Wait for the end of an export, and run it again.")
    }
    guard let peers = status["peers"]?.number, peers > 0 else {
      return ControlFailure(
        "There is no other device in the session. Switch Link on there, and start its metronome.")
    }
    return nil
  }

  private static func failure(_ fault: SessionBeat.Fault) -> ControlFailure {
    switch fault {
    case .missing: ControlFailure("The bridge does not report its beat. See: jackstay status")
    case .quantum:
      ControlFailure("The quantum is not a whole number of beats. Start the bridge with another: --quantum 4")
    case .moved:
      ControlFailure("The session's tempo or beat has changed meanwhile. Leave it alone, and run it again.")
    }
  }

  /// A line about the run, for people.
  var announcement: String {
    let tempo = session.latest?.tempo ?? 0
    let seconds = Double(beats + 2) * 60 / tempo + Self.longestDelay
    return "listens to \(ports.input.echoed(limit: 40)), and chirps on"
      + " \(ports.outputs.map { $0.echoed(limit: 40) }.joined(separator: ", ")): \(beats) beats at"
      + " \(tempo.formatted(decimals: 2)) bpm, \(seconds.formatted(decimals: 0)) s"
  }

  /// Listens, and returns what was recorded. Throws ``ControlFailure`` when something comes in between, and
  /// ``CalibrationRefusal`` where the input is silent.
  mutating func record() throws -> Recording {
    var marks: [Microphone.Mark] = []
    let began = ContinuousClock.now
    var hasLooked = false
    while true {
      try followSession()
      while let mark = channels.marks.reader.pop() { marks.append(mark) }
      let begun = marks.filter { !$0.isChirp }
      if begun.isEmpty, ContinuousClock.now - began > Self.patience {
        throw ControlFailure("JACK's cycles have stopped. See: jackstay doctor")
      }
      if begun.count >= 8, !hasLooked {
        hasLooked = true
        let peak = channels.samples().reduce(0) { max($0, $1.magnitude.isFinite ? $1.magnitude : 0) }
        if peak < 1e-4 { throw CalibrationRefusal.silent }
      }
      let rate = client.sampleRate.hertz
      if begun.count > beats,
        Double(channels.frames.reader.read()) > begun[beats].frame + Self.longestDelay * rate
      {
        return recording(of: marks)
      }
      usleep(Self.interval)
    }
  }

  /// Asks the bridge for the beat, and passes it on by JACK's clock.
  private mutating func followSession() throws {
    for _ in 0..<3 {
      guard let before = client.now() else {
        throw ControlFailure("The JACK server has ended. Start it, and run it again.")
      }
      let link = HostTime<LinkClock>(nanoseconds: LinkTime.nanoseconds)
      if let after = client.now() { map.observe(before: before, link: link, after: after) }
    }
    let status = try bridge.ask("status")
    if let fault = Self.fault(in: status) { throw fault }
    let point: SessionBeat.Point
    do throws(SessionBeat.Fault) { point = try session.take(status) } catch { throw Self.failure(error) }
    guard let offset = map.reading?.offset else { return }
    let time = HostTime<JACKClock>(nanoseconds: Int64(point.time * 1000) - offset.nanoseconds)
    channels.line.writer.write(
      Microphone.BeatLine(time: time, beat: point.beat, beatsPerSecond: point.tempo / 60))
  }

  private func recording(of marks: [Microphone.Mark]) -> Recording {
    var frames: [Int: Double] = [:]
    var chirps: [Int: Double] = [:]
    for mark in marks {
      if mark.isChirp { chirps[mark.number] = mark.frame } else { frames[mark.number] = mark.frame }
    }
    var beats: [Recording.Beat] = []
    // Up to the first one that is missing, because cycles were.
    while beats.count <= self.beats, let frame = frames[beats.count] {
      beats.append(Recording.Beat(frame: frame, chirp: chirps[beats.count]))
    }
    let latency = client.captureLatency(of: ports.input).map { Double($0.count) } ?? 0
    return Recording(
      samples: channels.samples(), rate: client.sampleRate, beats: beats, captureLatency: latency)
  }
}

extension Duration {
  /// The length in seconds.
  fileprivate var inSeconds: Double { self / .seconds(1) }
}
