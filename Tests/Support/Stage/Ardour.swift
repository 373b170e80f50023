import Foundation

/// The DAW Ardour, 7.3 or newer, without a screen: an empty session whose click is on, driven by lines of Lua.
public final class Ardour: Player {
  /// Where its transport comes from.
  public enum Master: String, Sendable {
    /// JACK's transport.
    case jack = "JACK Transport"
    /// A MIDI clock at ``midiClockInput``.
    case midiClock = "MIDI Clock"
  }

  /// A release of it, by whose major number its programs and folders are called.
  public struct Release: Sendable, Equatable, CustomStringConvertible {
    /// The first number.
    public let major: Int
    /// The second number.
    public let minor: Int

    /// A release by its numbers.
    public init(major: Int, minor: Int) {
      self.major = major
      self.minor = minor
    }

    /// Reads the version of Debian's package, such as `1:8.12.0+ds-1`; `nil` where it is none.
    public init?(package: String) {
      let version = package.split(separator: ":", maxSplits: 1).last ?? ""
      let numbers = version.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
      guard numbers.count == 2, version.first?.isNumber == true else { return nil }
      self.init(major: numbers[0], minor: numbers[1])
    }

    /// The release that is installed.
    ///
    /// - Throws: ``StageError`` when there is none.
    public static func installed() throws(StageError) -> Release {
      let child = try Child("dpkg-query", ["--show", "--showformat=${Version}", "ardour"])
      guard case .exited(0) = try child.wait(), let release = Release(package: child.text()) else {
        throw .unusable("Ardour is not installed; `make test-apps` installs it")
      }
      return release
    }

    /// As it is written, for example `7.3`.
    public var description: String { "\(major).\(minor)" }
    /// The name of its programs and folders.
    var name: String { "ardour\(major)" }
    /// Its name for JACK among the audio systems that it can use.
    var backend: String { major < 8 ? "JACK" : "JACK/Pipewire" }
  }

  /// Where its click comes from.
  public static let click = "ardour:Click/audio_out 1"
  /// Where it listens to a MIDI clock.
  public static let midiClockInput = "ardour:MIDI Clock in"

  /// The full names of the ports that it is heard from.
  public var ports: [String] { [Self.click] }
  /// Which release it is.
  public let release: Release
  private let home: RuntimeFolder
  private let child = Monitor<Child?>(nil)

  /// One that has no session yet.
  ///
  /// - Parameters:
  ///   - master: Where its transport comes from.
  ///   - hasWebSockets: Whether its WebSockets surface is on.
  ///   - ownsTimebase: Whether it owns JACK's timebase, as it does by default.
  ///   - server: The server on which its session is made.
  /// - Throws: ``StageError`` when it is not installed, or makes no session.
  public init(
    master: Master = .jack, hasWebSockets: Bool = false, ownsTimebase: Bool = false, on server: JackServer
  ) throws(StageError) {
    release = try Release.installed()
    home = try RuntimeFolder()
    do {
      let folder = home.path + "/.config/" + release.name
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Self.settings(master).write(toFile: folder + "/config", atomically: true, encoding: .utf8)
      try Self.script.write(toFile: home.path + "/drive.lua", atomically: true, encoding: .utf8)
      try makeSession(on: server)
      try setOptions(["external-sync": true, "jack-time-master": ownsTimebase])
      if hasWebSockets { try switchWebSocketsOn() }
    } catch let error as StageError {
      throw error
    } catch {
      throw .unusable("Ardour cannot be set up, `make test-apps` installs it: \(error)")
    }
  }

  /// Starts it, for the first time or again.
  public func start(on server: JackServer) throws(StageError) {
    var last: StageError?
    // Now and then JACK drops it while it loads its session.
    for _ in 0..<5 {
      let started = try Child(
        release.name + "-lua", ["-i", home.path + "/drive.lua"], environment: environment(on: server),
        streams: .pipes)
      child.change { $0 = started }
      do {
        try started.awaitText(timeout: .seconds(60), "its session") { $0.contains("session is there") }
        usleep(300_000)
        if !(started.text(of: .output) + started.text(of: .errors)).contains("HALTED") { return }
        last = .unusable("JACK halted Ardour")
      } catch {
        last = error
      }
      started.kill()
    }
    throw last ?? .unusable("Ardour does not start")
  }

  /// Ends it, at once: at its end in order it breaks down.
  public func end() { child.read { $0 }?.kill() }

  /// Ends it as a crash does.
  public func kill() { child.read { $0 }?.kill() }

  // MARK: Commands

  /// Has it run a line of Lua.
  ///
  /// - Throws: ``StageError`` when it has ended, or has no such function.
  public func run(_ line: String) throws(StageError) {
    guard let child = child.read({ $0 }) else { throw .unusable("Ardour has not been started") }
    let first = child.lines().count
    try child.write("report(pcall(function() \(line) end))\n")
    let answer = try child.awaitLine(from: first, "its answer to \(line)") { $0.contains("lua: ") }
    guard answer.text.hasSuffix("lua: done") else {
      throw .unusable("Ardour \(release) does not do \(line): \(answer.text)")
    }
  }

  /// Presses its play button.
  public func pressPlay() throws(StageError) {
    try run("Session:request_roll(ARDOUR.TransportRequestSource.TRS_UI)")
  }

  /// Presses its stop button.
  public func pressStop() throws(StageError) {
    try run("Session:request_stop(false, false, ARDOUR.TransportRequestSource.TRS_UI)")
  }

  /// Has it take JACK's timebase, or give it up.
  public func ownTimebase(_ owns: Bool) throws(StageError) {
    try run("Session:cfg():set_jack_time_master(\(owns))")
  }

  /// Sets the only tempo of its map.
  public func setTempo(_ bpm: Double) throws(StageError) { try run("settempo(\(bpm))") }

  /// Adds a second tempo to its map, an hour away.
  ///
  /// With only one, a MIDI clock that Ardour follows changes that. Ardour 7.3 changes it to one whose note value is as
  /// large as the tempo, a 120th at 120 bpm, at which its position runs thirty times too fast; 7.4 and newer to the
  /// clock's tempo, in whole beats per minute. With two Ardour stays at its own tempo, and plays faster or slower.
  public func guardTempoMap() throws(StageError) { try run("guardmap()") }

  /// Moves its playhead, and JACK's with it.
  ///
  /// - Parameters:
  ///   - frame: Where to.
  ///   - rolls: Whether it rolls on from there.
  /// - Throws: ``StageError`` when it has ended.
  public func locate(to frame: Int, rolls: Bool) throws(StageError) {
    let disposition = rolls ? "MustRoll" : "MustStop"
    try run(
      "Session:request_locate(\(frame), false, ARDOUR.LocateTransportDisposition.\(disposition), "
        + "ARDOUR.TransportRequestSource.TRS_UI)")
  }

  /// The tempo of its map, in beats per minute, and its playhead, in frames.
  public func state() throws(StageError) -> (tempo: Double, frame: Double, speed: Double) {
    guard let child = child.read({ $0 }) else { throw .unusable("Ardour has not been started") }
    let first = child.lines().count
    try child.write("state()\n")
    let line = try child.awaitLine(from: first, "its state") { $0.contains("state ") }
    let words = line.text.split(separator: " ").compactMap { Double($0) }
    guard words.count == 3 else { throw .unusable("Ardour said \"\(line.text)\" instead of its state") }
    return (words[0], words[1], words[2])
  }

  // MARK: Details

  private static let session = "session"

  private func environment(on server: JackServer) -> [String: String?] {
    let library = "/usr/lib/" + release.name
    return server.environment.merging([
      "HOME": home.path, "XDG_CONFIG_HOME": home.path + "/.config", "XDG_CACHE_HOME": home.path + "/.cache",
      "LD_LIBRARY_PATH": library, "ARDOUR_DLL_PATH": library, "VAMP_PATH": library + "/vamp",
      "ARDOUR_DATA_PATH": "/usr/share/" + release.name, "ARDOUR_CONFIG_PATH": "/etc/" + release.name,
      "JACK_NO_AUDIO_RESERVATION": "1", "STAGE_BACKEND": release.backend,
      "STAGE_SESSION": home.path + "/" + Self.session,
    ]) { $1 }
  }

  private static func settings(_ master: Master) -> String {
    // All that Ardour knows: 8.12 breaks down where one of them is missing.
    let masters = [
      ("MTC", "MTC"), ("LTC", "LTC"), ("MIDIClock", "MIDI Clock"), ("Engine", "JACK Transport"),
    ].map { type, name in
      """
          <TransportMaster type="\(type)" removeable="0" name="\(name)" collect="1" connected="1"/>
      """
    }.joined(separator: "\n")
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <Ardour>
        <Config>
          <Option name="clicking" value="1"/>
        </Config>
        <Metadata/>
        <ControlProtocols/>
        <TransportMasters current="\(master.rawValue)">
      \(masters)
        </TransportMasters>
      </Ardour>
      """
  }

  private static let script = """
    io.stdout:setvbuf("no")
    AudioEngine:set_backend(os.getenv("STAGE_BACKEND"), "ardour", "")
    load_session(os.getenv("STAGE_SESSION"), "session")
    sleep(1)
    function settempo(bpm)
      local map = Temporal.TempoMap.write_copy()
      map:set_tempo(Temporal.Tempo(bpm, bpm, 4), Temporal.timepos_t(0))
      Temporal.TempoMap.update(map)
      map = nil
    end
    function guardmap()
      local map = Temporal.TempoMap.write_copy()
      map:set_tempo(Temporal.Tempo(120, 120, 4), Temporal.timepos_t(3600 * 48000))
      Temporal.TempoMap.update(map)
      map = nil
    end
    function state()
      local tempo = Temporal.TempoMap.read():quarters_per_minute_at(Temporal.timepos_t(0))
      print(string.format("state %.6f %d %.6f", tempo, Session:transport_sample(), Session:transport_speed()))
    end
    function report(succeeded, fault)
      print("lua: " .. (succeeded and "done" or fault))
    end
    print("session is there")
    """

  /// The program for it breaks down at its end, when all is written.
  private func makeSession(on server: JackServer) throws {
    let folder = home.path + "/" + Self.session
    for _ in 0..<5 {
      try? FileManager.default.removeItem(atPath: folder)
      let child = try Child(
        "/usr/lib/\(release.name)/utils/\(release.name)-new_session",
        ["-s", "\(server.sampleRate)", folder, Self.session],
        environment: environment(on: server))
      _ = try child.wait(timeout: .seconds(60))
      if FileManager.default.fileExists(atPath: sessionFile) { return }
    }
    throw StageError.unusable("Ardour makes no session")
  }

  private func switchWebSocketsOn() throws {
    var text = try String(contentsOfFile: sessionFile, encoding: .utf8)
    let surface = #"<Protocol name="WebSockets Server (Experimental)" active="#
    guard text.contains(surface) else { throw StageError.unusable("Ardour has no WebSockets surface") }
    text.replace(surface + #""0""#, with: surface + #""1""#)
    try text.write(toFile: sessionFile, atomically: true, encoding: .utf8)
  }

  private var sessionFile: String { "\(home.path)/\(Self.session)/\(Self.session).ardour" }

  private func setOptions(_ options: [String: Bool]) throws {
    var text = try String(contentsOfFile: sessionFile, encoding: .utf8)
    for (name, isOn) in options {
      let option = "<Option name=\"\(name)\" value=\"\(isOn ? 1 : 0)\"/>"
      let known = try Regex("<Option name=\"\(name)\" value=\"[^\"]*\"/>")
      if text.contains(known) {
        text.replace(known, with: option)
      } else {
        text.replace("<Config>", with: "<Config>\n    " + option, maxReplacements: 1)
      }
    }
    try text.write(toFile: sessionFile, atomically: true, encoding: .utf8)
  }
}
