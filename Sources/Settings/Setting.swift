import MusicalTime
import Reconciliation

/// One option: its key in the configuration file, the flag and the environment variable that win over it, and
/// the setting that they change.
public struct Setting: Sendable {
  /// The name in the configuration file; the flag is the same after `--`.
  public let key: String
  /// The values the option takes, to follow "expected".
  public let expectation: String
  /// A value other than the default, as the file has it.
  public let example: String
  /// Gives the settings the value; false, and the settings unchanged, when it is not a value of the option.
  let assign: @Sendable (WrittenValue, inout Settings) -> Bool
  /// Gives the settings the flag's value; false if it is not given.
  let override: @Sendable (Options, inout Settings) -> Bool
  /// The value in the settings; `nil` where there is none.
  let value: @Sendable (Settings) -> WrittenValue?
  /// The command that gives a running bridge the value in the settings; `nil` where only a bridge that begins can
  /// take it.
  public let instruction: @Sendable (Settings) -> Instruction?

  /// The example as a line of the configuration file.
  public var fileExample: String { "\(key) = \(example)" }

  /// The flag that sets it.
  public var flag: String { "--\(key)" }

  /// The environment variable that sets it.
  public var variable: String { Setting.variablePrefix + key.uppercased().replacing("-", with: "_") }

  /// The beginning of the names of all those variables.
  static let variablePrefix = "JACKSTAY_"

  private init<Value: SettingValue>(
    _ key: String, _ flag: any KeyPath<Options, Value?> & Sendable,
    get: @escaping @Sendable (Settings) -> Value?, set: @escaping @Sendable (inout Settings, Value) -> Void,
    running: @escaping @Sendable (Value) -> Instruction? = { _ in nil }
  ) {
    self.key = key
    expectation = Value.expectation
    example = Value.example
    assign = { written, settings in
      guard let value = Value(written) else { return false }
      set(&settings, value)
      return true
    }
    override = { options, settings in
      guard let value = options[keyPath: flag] else { return false }
      set(&settings, value)
      return true
    }
    value = { get($0)?.written }
    instruction = { get($0).flatMap(running) }
  }

  private init<Value: SettingValue>(
    _ key: String, _ flag: any KeyPath<Options, Value?> & Sendable,
    _ place: any WritableKeyPath<Settings, Value> & Sendable,
    running: @escaping @Sendable (Value) -> Instruction? = { _ in nil }
  ) {
    self.init(key, flag, get: { $0[keyPath: place] }, set: { $0[keyPath: place] = $1 }, running: running)
  }

  private init<Value: SettingValue>(
    _ key: String, _ flag: any KeyPath<Options, Value?> & Sendable,
    _ place: any WritableKeyPath<Settings, Value?> & Sendable,
    running: @escaping @Sendable (Value) -> Instruction? = { _ in nil }
  ) {
    self.init(key, flag, get: { $0[keyPath: place] }, set: { $0[keyPath: place] = $1 }, running: running)
  }
}

extension Setting {
  /// Every option, in the order of the help and of the configuration file.
  public static let all: [Setting] = [
    Setting("tempo", \.tempo, \.configuration.tempo),
    Setting(
      "quantum", \.quantum, \.configuration.reconciler.choices.quantum, running: { .choose(.quantum($0)) }),
    Setting("meter", \.meter, \.configuration.reconciler.choices.meter, running: { .choose(.meter($0)) }),
    Setting("latency", \.latency, \.configuration.latency, running: { .latency($0) }),
    Setting("offset", \.offset, \.configuration.offset, running: { .offset($0) }),
    Setting(
      "compensating", \.compensating, get: { $0.compensatingClients.compactMap { JACKName($0) } },
      set: { $0.compensatingClients = $1.map(\.text) }),
    Setting("ticks-per-beat", \.ticksPerBeat, \.configuration.reconciler.ticksPerBeat),
    Setting("name", \.name, get: { JACKName($0.clientName) }, set: { $0.clientName = $1.text }),
    Setting("server", \.server, get: { $0.server.flatMap { JACKName($0) } }, set: { $0.server = $1.text }),
    Setting("link", \.link, \.configuration.isLinkEnabled, running: { .link($0) }),
    Setting(
      "tempo-sync", \.tempoSync, \.configuration.reconciler.choices.tempoSync,
      running: { .choose(.tempoSync($0)) }),
    Setting(
      "start-stop-sync", \.startStopSharing, \.configuration.reconciler.choices.startStopSync,
      running: { .choose(.startStopSync($0)) }),
    Setting("mode", \.mode, \.configuration.reconciler.choices.mode, running: { .choose(.mode($0)) }),
    Setting("on-takeover", \.onTakeover, \.configuration.reconciler.takeover),
    Setting("launch", \.launch, \.configuration.reconciler.choices.launch, running: { .choose(.launch($0)) }),
    Setting("frame-align", \.frameAlign, \.configuration.reconciler.frameAlignment),
    Setting("on-locate", \.onLocate, \.configuration.reconciler.relocation),
    Setting(
      "discipline", \.discipline, \.configuration.reconciler.choices.discipline,
      running: { .choose(.discipline($0)) }),
    Setting(
      "discipline-threshold", \.disciplineThreshold,
      get: { DisciplineThreshold(milliseconds: $0.reconciler.disciplineThreshold.milliseconds) },
      set: { $0.reconciler.disciplineThreshold = $1.interval }),
    Setting("midi-clock", \.midiClock, \.configuration.midiClock.mode),
    Setting("midi-clock-position", \.midiClockPosition, \.configuration.midiClock.position),
    Setting("midi-clock-offset", \.midiClockOffset, \.configuration.midiClock.offset),
    Setting("click", \.click, \.configuration.click.mode),
    Setting("click-level", \.clickLevel, \.configuration.click.level),
    Setting("osc", \.osc, \.osc),
    Setting("panel", \.panel, \.panel),
    Setting("ardour", \.ardour, \.ardour),
    Setting("metadata", \.metadata, \.metadata),
    Setting("wait", \.wait, \.configuration.waitsForServer),
    Setting("state", \.state, \.keepsState),
    Setting("log-level", \.logLevel, \.logLevel),
  ]

  /// The option called `key`.
  static func named(_ key: String) -> Setting? { all.first { $0.key == key } }
}
