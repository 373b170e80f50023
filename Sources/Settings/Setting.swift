/// One option: its key in the configuration file, the flag that wins over it, and what they set.
public struct Setting: Sendable {
  /// The name in the configuration file; the flag is the same after `--`.
  public let key: String
  /// The values the option takes, to follow "expected".
  public let expectation: String
  /// A value other than the default, as the file has it.
  public let example: String
  /// Gives the settings the value; false, and the settings unchanged, when it is not a value of the option.
  let assign: @Sendable (WrittenValue, inout Settings) -> Bool
  /// Gives the settings what the flag says, if it is given.
  let override: @Sendable (Options, inout Settings) -> Void

  /// The example as a line of the configuration file.
  public var fileExample: String { "\(key) = \(example)" }

  private init<Value: OptionValue>(
    _ key: String, _ flag: any KeyPath<Options, Value?> & Sendable,
    set: @escaping @Sendable (inout Settings, Value) -> Void
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
      if let value = options[keyPath: flag] { set(&settings, value) }
    }
  }
}

extension Setting {
  /// Every option, in the order of the help and of the configuration file.
  public static let all: [Setting] = [
    Setting("tempo", \.tempo) { $0.tempo = $1 },
    Setting("quantum", \.quantum) { $0.quantum = $1 },
    Setting("meter", \.meter) { $0.meter = $1 },
    Setting("latency", \.latency) { $0.latency = $1 },
    Setting("compensating", \.compensating) { $0.compensatingClients = $1.map(\.text) },
    Setting("ticks-per-beat", \.ticksPerBeat) { $0.ticksPerBeat = $1 },
    Setting("name", \.name) { $0.clientName = $1.text },
    Setting("server", \.server) { $0.server = $1.text },
    Setting("start-stop-sync", \.startStopSync) { $0.startStopSync = $1 },
    Setting("mode", \.mode) { $0.mode = $1 },
    Setting("on-takeover", \.onTakeover) { $0.takeover = $1 },
    Setting("launch", \.launch) { $0.launch = $1 },
    Setting("frame-align", \.frameAlign) { $0.frameAlignment = $1 },
    Setting("on-locate", \.onLocate) { $0.relocation = $1 },
    Setting("midi-clock", \.midiClock) { $0.midiClock = $1 },
    Setting("midi-clock-offset", \.midiClockOffset) { $0.midiClockOffset = $1 },
    Setting("click", \.click) { $0.click = $1 },
    Setting("click-level", \.clickLevel) { $0.clickLevel = $1 },
    Setting("wait", \.wait) { $0.waitForServer = $1 },
    Setting("log-level", \.logLevel) { $0.logLevel = $1 },
  ]
}
