import MusicalTime
import Reconciliation
import Words

/// The settings that outlast a run: the last tempo, and choices made while it ran that are kept nowhere else;
/// or, in a session of a session manager's, all settings that concern the music.
///
/// Where a flag, an environment variable or a configuration file sets a value, that counts instead; over a
/// session's values, only flags and variables do.
public struct SavedState: Sendable, Equatable {
  /// The purpose that it is kept for.
  public enum Extent: Sendable, Hashable {
    /// For the next run, with any session.
    case run
    /// For a session of a session manager's, without the machine's own settings, such as names and latencies.
    case session

    /// The beginning of the first line of its file, where that distinguishes it from other programs' files: a
    /// session manager chooses the place of the file, and other programs have files there.
    var mark: String { self == .run ? "" : "# Jackstay's part of a session" }

    /// The options that it can have.
    var settings: [Setting] { self == .run ? Self.ofRuns : Self.ofSessions }

    private static let ofRuns = [
      "tempo", "offset", "link", "tempo-sync", "start-stop-sync",
    ].compactMap(Setting.named)
    private static let ofSessions = Setting.all.filter { !ofMachines.contains($0.key) }
    private static let ofMachines = [
      "latency", "compensating", "ticks-per-beat", "name", "server", "osc", "panel", "ardour", "metadata",
      "wait",
      "state",
      "log-level",
    ]
  }

  /// The purpose that it is kept for.
  public let extent: Extent
  private var settings = Settings()
  private var keys: Set<String> = []
  /// Whether the tempo is one that was chosen here, and not only come by.
  private var isTempoChosen = false

  /// Nothing.
  public init() { extent = .run }

  /// All that a session keeps of what `settings` have.
  public init(ofSession settings: Settings) {
    extent = .session
    for setting in extent.settings {
      guard let value = setting.value(settings), setting.assign(value, &self.settings) else { continue }
      keys.insert(setting.key)
    }
  }

  /// The content of a file.
  ///
  /// Keys that are not known are left alone: a newer version may have written them. Anything else that is wrong is
  /// thrown, in one line.
  public init(_ file: ConfigurationFile, extent: Extent = .run) throws(SettingsError) {
    self.extent = extent
    for (index, text) in file.lines.enumerated() {
      let place = "line \(index + 1)"
      var line = FileLine(text)
      let entry: FileLine.Entry?
      do throws(FileLine.Fault) {
        entry = try line.entry()
      } catch {
        throw SettingsError("\(place): expected a key and a value")
      }
      guard let entry, let setting = extent.settings.first(where: { $0.key == entry.key }) else {
        continue
      }
      guard setting.assign(entry.value, &settings) else {
        throw SettingsError(
          "\(place): \(entry.key) = \(entry.written.echoed()): expected \(setting.expectation)")
      }
      guard keys.insert(entry.key).inserted else {
        throw SettingsError("\(place): \(entry.key) is set more than once; keep one")
      }
    }
  }

  /// Records a command that a running bridge has carried out, as far as it is kept.
  public mutating func note(_ instruction: Instruction) {
    switch instruction {
    case .offset(let offset): note("offset") { $0.offset = offset }
    case .link(let isEnabled): note("link") { $0.isLinkEnabled = isEnabled }
    case .choose(.tempoSync(let sharing)):
      note("tempo-sync") { $0.reconciler.choices.tempoSync = sharing }
    case .choose(.startStopSync(let sharing)):
      note("start-stop-sync") { $0.reconciler.choices.startStopSync = sharing }
    case .choose(.meter(let meter)): note("meter") { $0.reconciler.choices.meter = meter }
    case .choose(.quantum(let quantum)): note("quantum") { $0.reconciler.choices.quantum = quantum }
    case .choose(.mode(let mode)): note("mode") { $0.reconciler.choices.mode = mode }
    case .choose(.launch(let launch)): note("launch") { $0.reconciler.choices.launch = launch }
    case .choose(.discipline(let discipline)):
      note("discipline") { $0.reconciler.choices.discipline = discipline }
    case .command(.proposeTempo), .command(.nudgeTempo), .tap: isTempoChosen = extent == .session
    case .command, .locate, .latency, .imposeJACK, .record, .status, .watch, .help: break
    }
  }

  private mutating func note(_ key: String, _ set: (inout Settings) -> Void) {
    guard extent.settings.contains(where: { $0.key == key }) else { return }
    set(&settings)
    keys.insert(key)
  }

  /// Whether a user has chosen something since it was as `saved`. Tempos that peers set are no choice.
  public func isChosenSince(_ saved: SavedState) -> Bool {
    var comparable = self
    comparable.settings.tempo = saved.settings.tempo
    comparable.keys.remove("tempo")
    comparable.keys.formUnion(saved.keys.intersection(["tempo"]))
    return comparable != saved
  }

  /// The same, with nothing chosen since.
  public var saved: SavedState {
    var saved = self
    saved.isTempoChosen = false
    return saved
  }

  /// Takes note of the session's tempo.
  public mutating func note(_ tempo: Tempo) {
    settings.tempo = tempo
    keys.insert("tempo")
  }

  /// The last value of an option; `nil` where it was never set.
  func value(of setting: Setting) -> WrittenValue? {
    keys.contains(setting.key) ? setting.value(settings) : nil
  }

  /// All of it, as a file has it.
  public var text: String {
    let head =
      switch extent {
      case .run:
        """
        # What Jackstay remembers from one run to the next, and writes itself. Flags, JACKSTAY_ variables and
        # config.toml count more. Without this file it begins anew.

        """
      case .session:
        """
        \(extent.mark), written when the session is saved, and read when it is opened. It counts more than
        # config.toml, and may be edited while the session is closed; the first line has to stay.

        """
      }
    return extent.settings.reduce(head) { text, setting in
      value(of: setting).map { "\(text)\(setting.key) = \($0.literal)\n" } ?? text
    }
  }
}
