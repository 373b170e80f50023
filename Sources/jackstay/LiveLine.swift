import Bridge
import MusicalTime
import Reconciliation
import Settings
import Words

/// The one line that a terminal shows of the bridge's status.
///
///     120.00 bpm    3|2|0960000 [###.....] rolling  2 peers timebase ours +0.4 us
///
/// It fits 80 columns: what comes last would be cut off first, and it is the most telling number of all.
struct LiveLine {
  /// How often it is drawn.
  static let interval = Duration.milliseconds(100)
  private static let barWidth = 8
  /// Where the offset needs the room.
  private static let shortBarWidth = 4

  /// The line, without a line end.
  let text: String

  init(
    _ status: BridgeStatus?, _ settings: Settings, offset: Offset = .none, isStandingBy: Bool = false,
    isAwaitingRender: Bool = false, choices: UnusualChoices = UnusualChoices()
  ) {
    guard let status else {
      text =
        isStandingBy
        ? "standing by for another Jackstay"
        : isAwaitingRender ? "waiting for the end of JACK's export" : "no JACK server"
      return
    }
    let beatsPerMinute = status.tempo.beatsPerMinute
    let jack = status.tempoInJACK(settings.meter)
    let phase = Self.phase(status.phase, width: offset == .none ? Self.barWidth : Self.shortBarWidth)
    let parts: [String?] = [
      beatsPerMinute.asTempo(inJACK: jack, width: 6), Self.position(status),
      // JACK's tempo takes the room of the bar.
      (jack ?? beatsPerMinute) == beatsPerMinute ? phase : nil,
      status.standsStill ? "stalled " : Self.transport(status.transport),
      choices.isLinkOff ? "no Link" : status.peers == 1 ? "1 peer" : "\(status.peers) peers",
      Self.leader(status),
      Self.error(status) + Self.offset(offset)
        + choices.others.map { " \($0)" }.joined(separator: ","),
    ]
    text = parts.compactMap(\.self).joined(separator: " ")
  }

  /// Bar, beat and tick, or the beats until the start that is waited for.
  private static func position(_ status: BridgeStatus) -> String {
    if let countIn = status.countIn {
      return countIn.doubleValue.formatted(decimals: 2, width: 8) + " beats"
    }
    guard let position = status.position else { return "   -|-|-      " }
    let tick = String(position.tick)
    let padding = String(repeating: "0", count: max(0, 7 - tick.count))
    return "\(String(position.bar).padded(to: 4))|\(position.beat)|\(padding)\(tick)"
  }

  private static func phase(_ phase: Phase, width: Int) -> String {
    let filled = min(width - 1, Int(phase.fraction * Double(width))) + 1
    return "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled) + "]"
  }

  private static func transport(_ transport: TransportState) -> String {
    switch transport {
    case .stopped: "stopped "
    case .starting: "starting"
    case .rolling: "rolling "
    }
  }

  /// Who owns the timebase, and whether Link follows that; while JACK renders, neither does the other.
  private static func leader(_ status: BridgeStatus) -> String {
    if status.isRendering { return "JACK renders" }
    return switch (status.owner, status.leader) {
    case (.me, _): "timebase ours"
    case (.other, .jack): "JACK leads"
    case (.other, .link), (.other, .neither): "timebase other's"
    case (.nobody, _): "timebase nobody's"
    }
  }

  /// How much later JACK is to be heard, where it is.
  private static func offset(_ offset: Offset) -> String {
    guard offset != .none else { return "" }
    let milliseconds = offset.interval.milliseconds
    return " off \(milliseconds.signed(decimals: milliseconds.magnitude < 10 ? 1 : 0))"
  }

  /// How far the two are apart; their tempos, while those are not to be brought together.
  private static func error(_ status: BridgeStatus) -> String {
    if let follow = status.follow, follow.isDifferent, let tempo = follow.tempo {
      return "at \(tempo.ownersBeatsPerMinute.formatted(decimals: 2)) bpm"
    }
    guard let error = status.phaseError else { return "" }
    return error.microseconds.asTime(isSigned: true)
  }
}
