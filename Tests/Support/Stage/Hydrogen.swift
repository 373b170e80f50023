import Foundation

/// The drum machine Hydrogen, without a screen: its metronome goes with JACK's transport and tempo.
public final class Hydrogen: Player {
  /// Where its metronome comes from.
  public static let port = "Hydrogen:out_L"

  /// The full names of the ports that it is heard from.
  public var ports: [String] { [Self.port] }
  private let home: RuntimeFolder
  private let player: PlainPlayer

  /// One with settings of its own.
  ///
  /// - Throws: ``StageError`` when it is not installed.
  public init() throws(StageError) {
    home = try RuntimeFolder()
    // By itself it runs in a process of its own below one that reports crashes, and outlives that: the next one
    // would find its name taken.
    player = PlainPlayer(
      "hydrogen", ["-n", "-d", "jack", "--child"], ports: [Self.port],
      environment: ["HOME": home.path, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": nil])
    do {
      let folder = home.path + "/.hydrogen"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try settings().write(toFile: folder + "/hydrogen.conf", atomically: true, encoding: .utf8)
    } catch {
      throw .unusable("Hydrogen cannot be set up, `make test-apps` installs it: \(error)")
    }
  }

  /// Its default settings, but for JACK and its sound.
  private func settings() throws -> String {
    var text = try String(contentsOfFile: "/usr/share/hydrogen/data/hydrogen.default.conf", encoding: .utf8)
    for (key, value) in [
      ("audio_driver", "Jack"), ("use_metronome", "true"), ("metronome_volume", "1"),
      ("jack_timebase_enabled", "true"), ("restoreLastSong", "false"), ("jack_connect_defaults", "false"),
    ] {
      text.replace(try Regex("<\(key)>[^<]*</\(key)>"), with: "<\(key)>\(value)</\(key)>")
    }
    return text
  }

  /// Starts it, for the first time or again.
  public func start(on server: JackServer) throws(StageError) { try player.start(on: server) }

  /// Ends it in order.
  public func end() { player.end() }

  /// Ends it as a crash does.
  public func kill() { player.kill() }
}
