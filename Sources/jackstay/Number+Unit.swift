import Bridge
import MusicalTime
import Reconciliation
import Words

extension Double {
  /// The number, of microseconds, as a time in the unit that suits it.
  ///
  /// - Parameter isSigned: Whether a plus is written.
  /// - Returns: For example `0.4 us`, `430.33 ms` or `2.500 s`.
  func asTime(isSigned: Bool = false) -> String {
    let (value, decimals, unit) =
      switch magnitude {
      case ..<999.95: (self, 1, "us")
      case ..<999_995: (self / 1000, 2, "ms")
      default: (self / 1e6, 3, "s")
      }
    return "\(isSigned ? value.signed(decimals: decimals) : value.formatted(decimals: decimals)) \(unit)"
  }

  /// The tempo in Link's quarter notes, and that which JACK clients read, where it differs: `120.00 bpm`, and in 6/8
  /// `120.00 bpm (JACK 240.00)`. `nil` stands for the same.
  func asTempo(inJACK jack: Double?, width: Int = 0) -> String {
    let text = "\(formatted(decimals: 2, width: width)) bpm"
    guard let jack, jack != self else { return text }
    return "\(text) (JACK \(jack.formatted(decimals: 2)))"
  }
}

extension BridgeStatus {
  /// The session's tempo in the beats of the meter, as JACK clients read it; `nil` where another program publishes
  /// its own.
  var tempoInJACK: Double? {
    owner == .other ? nil : song.meter.beatsPerMinute(at: session.tempo)
  }
}

extension Double {
  /// A tempo with its unit: `120.00 bpm`.
  var asBeatsPerMinute: String { "\(formatted(decimals: 2)) bpm" }
}

extension Tempo {
  /// The tempo with its unit: `120.00 bpm`.
  var asBeatsPerMinute: String { beatsPerMinute.asBeatsPerMinute }
}

extension HostInterval {
  /// How long it is, whatever its sign: `10.7 ms`.
  var asMilliseconds: String { "\(magnitude.milliseconds.formatted(decimals: 1)) ms" }

  /// How far ahead something is: `10.0 ms early`, or `10.0 ms late` where that is negative.
  var asShift: String { "\(asMilliseconds) \(self < .zero ? "late" : "early")" }
}

extension Beats {
  /// The number with its unit: `2.37 beats`.
  var asText: String { "\(doubleValue.formatted(decimals: 2)) beats" }
}

extension Double {
  /// So many of the meter's beats: `1 beat`, `2 beats`, `0.5 beats`.
  var beatsInWords: String {
    guard self != 1 else { return "1 beat" }
    return "\(self == rounded() ? formatted(decimals: 0) : formatted(decimals: 2)) beats"
  }

  /// How far JACK's downbeat is from the session's: `+1`, `-2`, `+0.5`.
  var asDownbeat: String { self == rounded() ? signed(decimals: 0) : signed(decimals: 2) }
}

extension Int {
  /// So many peers: `1 peer`, `2 peers`.
  var asPeers: String { self == 1 ? "1 peer" : "\(self) peers" }

  /// So many xruns: `1 xrun`, `2 xruns`.
  var asXruns: String { self == 1 ? "1 xrun" : "\(self) xruns" }
}
