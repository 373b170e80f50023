import Bridge
import MusicalTime
import Reconciliation
import Settings
import Words

/// The one line that a terminal shows of the bridge's status.
///
///     120.00 bpm      3.2.50 [###.....] rolling  2 peers Link leads +0.4 us
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
    _ status: BridgeStatus?, offset: Offset = .none, mode: SyncMode = .auto,
    isStandingBy: Bool = false,
    isAwaitingRender: Bool = false, choices: UnusualChoices = UnusualChoices()
  ) {
    guard let status else {
      text =
        isStandingBy
        ? "standing by for another bridge"
        : isAwaitingRender ? "waiting for the end of JACK's export" : "no JACK server"
      return
    }
    let beatsPerMinute = status.session.tempo.beatsPerMinute
    let jack = status.tempoInJACK
    let phase = Self.phase(status.song.phase, width: offset == .none ? Self.barWidth : Self.shortBarWidth)
    let parts: [String?] = [
      beatsPerMinute.asTempo(inJACK: jack, width: 6), Self.position(status),
      // JACK's tempo takes the room of the bar.
      (jack ?? beatsPerMinute) == beatsPerMinute ? phase : nil,
      status.standsStill ? "stalled " : Self.transport(status.transport),
      choices.isLinkOff ? "Link off" : status.session.peers.asPeers,
      Self.leader(status),
      Self.error(status) + Self.offset(offset)
        + Self.unusual(mode, choices).map { " \($0)" }.joined(separator: ","),
    ]
    text = parts.compactMap(\.self).joined(separator: " ")
  }

  /// Bar, beat and hundredths of the beat, or the beats until the start that is waited for.
  private static func position(_ status: BridgeStatus) -> String {
    if let countIn = status.countIn {
      return countIn.doubleValue.formatted(decimals: 2, width: 5) + " beats"
    }
    guard let position = status.position else { return "-.-.--".padded(to: 11) }
    return Place(position).text.padded(to: 11)
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

  /// The leader of tempo and beat; during JACK's export neither follows the other.
  private static func leader(_ status: BridgeStatus) -> String {
    if status.isRendering { return "JACK exports" }
    return switch (status.owner, status.leader) {
    case (.me, _): "Link leads"
    case (.other, .jack): "JACK leads"
    case (.other, .link), (.other, .neither): "neither leads"
    case (.nobody, _): "no timebase"
    }
  }

  /// The choices that are not the default, but for Link that is off, which stands in place of the peers.
  private static func unusual(_ mode: SyncMode, _ choices: UnusualChoices) -> [String] {
    (mode == .auto ? [] : ["mode \(mode.rawValue)"]) + choices.others
  }

  /// How much later JACK is to be heard, where it is.
  private static func offset(_ offset: Offset) -> String {
    guard offset != .none else { return "" }
    let milliseconds = offset.interval.milliseconds
    return " offset \(milliseconds.signed(decimals: milliseconds.magnitude < 10 ? 1 : 0)) ms"
  }

  /// How far the two are apart; their tempos, while those are not to be brought together.
  private static func error(_ status: BridgeStatus) -> String {
    if let follow = status.follow, follow.isDifferent, let tempo = follow.tempo {
      return "at \(tempo.ownersBeatsPerMinute.formatted(decimals: 2)) bpm"
    }
    guard let error = status.errors.beat else { return "" }
    return error.microseconds.asTime(isSigned: true)
  }
}
