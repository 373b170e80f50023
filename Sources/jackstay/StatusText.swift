import JSON
import Settings
import Words

/// How a bridge stands, in lines for people, from what programs read of it.
struct StatusText {
  /// The lines.
  let lines: [String]

  /// Of a status that a bridge has sent; what it does not have is left out.
  init(_ status: JSONObject) {
    let rows: [(String, String?)] = [
      ("bridge", Self.bridge(status)), ("tempo", Self.tempo(status)), ("transport", Self.transport(status)),
      ("session", Self.session(status)), ("timebase", Self.timebase(status)),
      ("frames", Self.frames(status)), ("ardour", Self.ardour(status)),
      ("latency", status["latency_ms"]?.number.map { "\($0.formatted(decimals: 1)) ms" }),
      ("offset", status["offset_ms"]?.number.flatMap { $0 == 0 ? nil : "\($0.signed(decimals: 2)) ms" }),
      ("choices", Self.choices(status)),
      ("panel", Self.panel(status)),
      ("versions", Self.versions(status)),
    ]
    lines = rows.compactMap { name, text in
      text.map { "\(name)\(String(repeating: " ", count: 11 - name.count))\($0)".echoed(limit: 200) }
    }
  }

  private static func bridge(_ status: JSONObject) -> String? {
    let state =
      switch status["state"]?.string {
      case "bridging":
        UnusualChoices(status).isLinkOff ? "is in JACK alone, Link is off" : "joins JACK and Link"
      case "waiting": "waits for a JACK server"
      case "standing_by": "stands by for another bridge"
      case "awaiting_export": "waits for the end of JACK's export"
      default: status["state"]?.string ?? "unknown"
      }
    let name = status["name"]?.string.map { "\($0), " } ?? ""
    let server = status["server"]?.string.map { ", server \($0)" } ?? ""
    return "\(name)\(state)\(server), mode \(status["mode"]?.string ?? "unknown")"
  }

  /// The choices that are not the default; `nil` where all are.
  private static func choices(_ status: JSONObject) -> String? {
    let words = UnusualChoices(status).words
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }

  private static func tempo(_ status: JSONObject) -> String? {
    var meter = status["meter"]?.string.map { ", meter \($0)" } ?? ""
    if let next = status["next_meter"]?.string { meter += ", \(next) from the next bar" }
    if let downbeat = status["downbeat"]?.number, downbeat != 0 {
      meter += ", downbeat \(downbeat.asDownbeat)"
    }
    guard let tempo = status["tempo"]?.number else { return nil }
    return "\(tempo.asTempo(inJACK: status["jack_bpm"]?.number))\(meter)"
  }

  /// The likeliest link to the panel now; `jackstay panel` shows all of them.
  private static func panel(_ status: JSONObject) -> String? {
    status["panel"]?.string.map { links in
      links.split(separator: " ").first.map(String.init) ?? "waits for its address and port"
    }
  }

  private static func versions(_ status: JSONObject) -> String? {
    guard let own = status["version"]?.string, let link = status["link_release"]?.string else { return nil }
    return "jackstay \(own), Link \(link)"
  }

  private static func transport(_ status: JSONObject) -> String? {
    guard let transport = status["transport"]?.string else { return nil }
    if status["stalled"] == true { return "\(transport), but JACK's cycles have stopped" }
    if let beats = status["count_in"]?.number {
      return "\(transport), in \((-beats).formatted(decimals: 2)) beats"
    }
    let place = Self.place(status).map { " at \($0.text)" } ?? ""
    return "\(transport)\(place)\(status["rendering"]?.boolean == true ? ", JACK exports" : "")"
  }

  private static func place(_ status: JSONObject) -> Place? {
    guard let bar = status["bar"]?.number, let beat = status["beat"]?.number,
      let tick = status["tick"]?.number, let ticks = status["ticks_per_beat"]?.number, ticks > 0
    else { return nil }
    return Place(bar: bar, beat: beat, fraction: tick / ticks)
  }

  private static func session(_ status: JSONObject) -> String? {
    guard let peers = status["peers"]?.number, let phase = status["phase"]?.number,
      let quantum = status["quantum"]?.number
    else { return nil }
    let error = status["phase_error_us"]?.number.map { ", JACK \($0.asTime(isSigned: true))" }
    return "\(peers.formatted(decimals: 0)) \(peers == 1 ? "peer" : "peers"), beat "
      + "\(phase.formatted(decimals: 2)) of \(quantum.formatted(decimals: 2))\(error ?? "")"
  }

  /// How far what counts frames is off, and what is done about it.
  private static func frames(_ status: JSONObject) -> String? {
    guard let error = status["frame_error_ms"]?.number else { return nil }
    let policy =
      switch status["discipline"]?.string {
      case "relocate": ", relocated at bar lines"
      case "tempo": ", and the session's tempo goes with them"
      default: ""
      }
    return "\(error < 0 ? "" : "+")\(error.formatted(decimals: 2)) ms\(policy)"
  }

  /// Nothing as long as it is not in JACK.
  private static func ardour(_ status: JSONObject) -> String? {
    let records = status["ardour_records"] == true ? ", recording is on" : ""
    let tempo = status["ardour_tempo"]?.number.map { " at \($0.formatted(decimals: 2)) bpm" } ?? ""
    return switch status["ardour"]?.string {
    case "silent": "its WebSockets do not answer"
    case "connected": "has the session's tempo\(tempo)\(records)"
    case "left_alone": "has several tempos, and is left alone\(records)"
    default: nil
    }
  }

  private static func timebase(_ status: JSONObject) -> String? {
    guard let owner = status.timebaseOwner, let leader = status["leader"]?.string else { return nil }
    let jacks = status["jack_tempo"]?.number.map { " at \($0.formatted(decimals: 2)) bpm" } ?? ""
    let leads =
      switch leader {
      case "link": "Link leads"
      case "jack": "JACK leads\(jacks)"
      default: "neither leads"
      }
    return "\(owner), \(leads)"
  }
}

extension JSONObject {
  /// Of a bridge's status, the owner of JACK's timebase in words; `nil` where the status has none.
  var timebaseOwner: String? {
    switch self["timebase"]?.string {
    case "bridge": "owned by the bridge"
    case "other": "owned by another program"
    case "none": "without owner"
    default: nil
    }
  }
}
