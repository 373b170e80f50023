import MusicalTime
import Reconciliation

extension Setup {
  /// One of the things that a world is: how it is written, and what it usually is.
  struct Field: Sendable {
    let name: String
    /// The words that are written of it; `nil` where it is as usual.
    let text: @Sendable (Setup) -> String?
    let read: @Sendable (Substring, inout Setup) throws -> Void
    /// Makes it what it usually is.
    let reset: @Sendable (inout Setup) -> Void
  }

  /// All that a world is.
  static let fields: [Field] = [
    field("seed", \.seed, .plain("a whole number"), isAlwaysWritten: true),
    field(
      "server", \.rules,
      .one(of: ["jackd2": .jackd2, "PipeWire 0.3.65": .pipewire, "PipeWire 1.4.2": .modernPipewire])),
    field("period", \.period, .frames),
    field(
      "sample rate", \.rate,
      Notation<Double>.number.with(unit: "Hz").map({ SampleRate(hertz: $0) }, from: \.hertz)),
    field("sound card faster by", \.skew, .number),
    field("wake-ups late by at most", \.jitter, .milliseconds),
    field("missed deadlines every", \.misses, .milliseconds),
    field("JACK's clock ahead by", \.clockOffset, .milliseconds),
    field("JACK's clock faster by", \.clockSkew, .number),
    field("output latency", \.hasLatency, .one(of: ["two periods": true, "none": false])),
    field("tempo", \.tempo, .tempo),
    meterField,
    // A bar of the meter, unless it is another one.
    Field(
      name: "quantum",
      text: { $0.quantum == Quantum(barOf: $0.meter) ? nil : Notation.quantum.write($0.quantum) },
      read: { text, setup in setup.quantum = try Notation.quantum.value(text) },
      reset: { $0.quantum = Quantum(barOf: $0.meter) }),
    field("launch", \.launch, .cases("a launch mode")),
    field("start/stop sync", \.startStopSync, .onOff),
    field("frame alignment", \.frameAlignment, .cases("a frame alignment")),
    field("mode", \.mode, .cases("a sync mode")),
    field(
      "takeover", \.takeover,
      Notation<Takeover>.cases("a takeover").map({ .some($0) }, from: { $0 ?? .follow })),
    field("relocation", \.relocation, .cases("a relocation")),
    field("keep in phase", \.discipline, .cases("a discipline")),
    field("another bridge", \.hasOtherBridge, .one(of: ["yes": true, "no": false])),
  ]

  /// A quantum that is a bar follows the meter.
  private static let meterField = Field(
    name: "meter", text: { $0.meter == .common ? nil : Notation.meter.write($0.meter) },
    read: { text, setup in setup.setMeter(try Notation.meter.value(text)) },
    reset: { $0.setMeter(.common) })

  private mutating func setMeter(_ new: Meter) {
    if quantum == Quantum(barOf: meter) { quantum = Quantum(barOf: new) }
    meter = new
  }

  private static func field<Value: Equatable & SendableMetatype>(
    _ name: String, _ path: WritableKeyPath<Setup, Value> & Sendable, _ notation: Notation<Value>,
    isAlwaysWritten: Bool = false
  ) -> Field {
    Field(
      name: name,
      text: {
        let isUsual = $0[keyPath: path] == Setup()[keyPath: path]
        return isUsual && !isAlwaysWritten ? nil : notation.write($0[keyPath: path])
      },
      read: { text, setup in setup[keyPath: path] = try notation.value(text) },
      reset: { $0[keyPath: path] = Setup()[keyPath: path] })
  }
}

extension Notation<Bool> {
  static let onOff = Notation.one(of: ["on": true, "off": false])
}

extension Notation<UInt32> {
  static let frames = Notation.plain("a number of").with(unit: "frames")
}
