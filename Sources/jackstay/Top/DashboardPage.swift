import JSON
import Words

/// The sections of the dashboard, from the top.
struct DashboardPage {
  let dashboard: Dashboard
  /// In microseconds of Link's host time.
  let now: Double
  let columns: Int
  let look: TerminalLook

  /// From how many columns on there are two beside each other.
  private static let wide = 76
  /// Where the second one begins.
  private static let secondColumn = 42
  /// From how many rows on the tempo is large.
  private static let high = 15

  /// The status as far as it is known. Of a bridge that has gone, or does not answer, that is only how it was
  /// set up.
  private var status: JSONObject {
    guard !isKnown else { return dashboard.status }
    var known = JSONObject()
    for name in ["mode", "meter", "quantum", "link", "tempo_sharing", "start_stop_sharing"] {
      known[name] = dashboard.status[name]
    }
    return known
  }

  private var isKnown: Bool { dashboard.contact == .answers }

  /// All of it, for a screen of that many rows, of which some may have to go.
  func sections(rows: Int) -> [DashboardSection] {
    let isLarge = rows >= Self.high && columns >= 60
    let sections =
      [
        DashboardSection(rank: 1, lines: [title]), .gap(32),
        DashboardSection(rank: 0, lines: isLarge ? largeTempo : [smallTempo]), .gap(31),
        DashboardSection(rank: 2, lines: quantum.prefix(1).map(\.self)),
        DashboardSection(rank: 22, lines: quantum.dropFirst().map(\.self)), .gap(30),
      ] + facts + [.gap(29), DashboardSection(rank: 20, isList: true, lines: events)]
    return isKnown ? sections : sections.map(\.dimmed)
  }

  /// The keys.
  var help: [DashboardSection] {
    let width = 2 + (DashboardAction.keys.map(\.0.count).max() ?? 0)
    let lines = DashboardAction.keys.map { key, what in
      StyledLine("  \(key)\(String(repeating: " ", count: width - key.count))", .strong) + StyledLine(what)
    }
    return [DashboardSection(rank: 1, lines: [title]), .gap(3), DashboardSection(rank: 0, lines: lines)]
  }

  /// The result of the last key, and the keys.
  var footer: [DashboardSection] {
    var sections: [DashboardSection] = []
    if let notice = contactNotice {
      sections.append(DashboardSection(rank: 3, lines: [StyledLine(foreign: " \(notice)", .warning)]))
    } else if let reply = dashboard.reply {
      let lines = Self.wrapped(reply, to: columns - 2).prefix(3)
      sections.append(DashboardSection(rank: 5, lines: lines.map { StyledLine(foreign: " \($0)", .strong) }))
    }
    let keys =
      columns >= Self.wide
      ? " space start/stop  +- tempo  t tap  <> offset  qQ quantum  d one  m mode  ? help"
      : columns >= 46 ? " space start/stop  +- tempo  t tap  ? help" : " ? help"
    return sections + [DashboardSection(rank: 21, lines: [StyledLine(keys, .faint)])]
  }

  /// A text in lines of at most so many columns, broken between words.
  private static func wrapped(_ text: String, to columns: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      let line = lines[lines.count - 1]
      if line.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if line.count + 1 + word.count <= columns {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

  private var contactNotice: String? {
    switch dashboard.contact {
    case .answers: nil
    case .silent(let seconds):
      "the bridge has not answered for \(seconds.formatted(decimals: 0)) s; it may be stopped, or hang"
    case .gone: "the bridge has ended; top waits until it is back. Esc leaves"
    }
  }

  // MARK: Title, tempo, transport

  private var title: StyledLine {
    let left = " jackstay  \(dashboard.name)"
    let mode = status["mode"]?.string.map { "mode \($0)  " } ?? ""
    let link = status["link"]?.boolean == false ? "Link off  " : ""
    let right = "\(link)\(sharing("tempo"))\(sharing("start_stop"))\(mode)\(state) "
    let gap = max(2, columns - left.count - right.count)
    return StyledLine(foreign: left + String(repeating: " ", count: gap) + right, .bar)
  }

  /// The direction in which something is shared, unless that is both.
  private func sharing(_ subject: String) -> String {
    guard let sharing = status["\(subject)_sharing"]?.string, sharing != "both" else { return "" }
    return "\(subject.replacing("_", with: "/")) \(sharing)  "
  }

  /// The meter, the one that follows at the bar line, and how far JACK's downbeat is from the session's.
  private var meter: String {
    var text = status["meter"]?.string.map { ", meter \($0)" } ?? ""
    if let next = status["next_meter"]?.string { text += ", then \(next)" }
    if let downbeat = status["downbeat"]?.number, downbeat != 0 {
      text += ", downbeat \(downbeat.asDownbeat)"
    }
    return text
  }

  private var state: String {
    switch dashboard.contact {
    case .answers: break
    case .gone: return "gone"
    case .silent: return "does not answer"
    }
    switch status["state"]?.string {
    case "bridging": return "JACK \(status["server"]?.string ?? "and Link")"
    case "waiting": return "waits for JACK"
    case "standing_by": return "stands by"
    case "awaiting_export": return "JACK exports"
    default: return ""
    }
  }

  /// In quarter notes, as the session has it.
  private var tempo: String { status["tempo"]?.number?.formatted(decimals: 2) ?? "---.--" }

  /// The text after the number: the unit, and the tempo that JACK clients read where it differs.
  private var unit: String {
    guard let tempo = status["tempo"]?.number else { return "bpm" }
    return String(tempo.asTempo(inJACK: status["jack_bpm"]?.number).split(separator: " ", maxSplits: 1)[1])
  }

  private var largeTempo: [StyledLine] {
    let digits = BlockDigits.rows(of: tempo, block: look.hasBlocks ? "█" : "#")
    let side = [
      transport, position, StyledLine(),
      StyledLine(foreign: "\(unit)\(meter)"),
      StyledLine(foreign: launch),
    ]
    return zip(digits, side).map { digits, side in
      StyledLine("  \(digits)", .strong).fitted(to: Self.secondColumn) + side
    }
  }

  private var smallTempo: StyledLine {
    StyledLine(" \(tempo) \(unit)  ", .strong) + transport + StyledLine("  ") + position
  }

  private var transport: StyledLine {
    if status["stalled"] == true { return StyledLine("JACK STALLED", .warning) }
    if status["rendering"] == true { return StyledLine("JACK EXPORTS", .warning) }
    return switch status["transport"]?.string {
    case "rolling": StyledLine("ROLLING", .good)
    case "starting": StyledLine("STARTING", .warning)
    case "stopped": StyledLine("STOPPED", .strong)
    default: StyledLine("-", .faint)
    }
  }

  /// Bar, beat and hundredths of the beat; or the count to the start that is held.
  private var position: StyledLine {
    if isKnown, let countIn = dashboard.countIn(at: now) {
      return StyledLine("in \((-countIn).formatted(decimals: 1)) beats", .warning)
    }
    guard isKnown, let (bar, beat, fraction) = dashboard.position(at: now) else {
      return StyledLine("-.-.--", .faint)
    }
    let text = Place(bar: bar, beat: beat, fraction: fraction).text
    return StyledLine(String(text.dropLast(3)), .strong) + StyledLine(String(text.suffix(3)), .faint)
  }

  private var launch: String {
    guard let launch = status["launch"]?.string else { return "" }
    return launch == "now" ? "starts do not wait" : "starts wait for the \(launch)"
  }

  // MARK: The quantum

  /// The quantum as a cell for each beat, which fill one after the other, and the beats' numbers below.
  private var quantum: [StyledLine] {
    guard let quantum = status["quantum"]?.number, quantum > 0, quantum <= 1024 else { return [StyledLine()] }
    let room = max(4, min(columns - 4, 96))
    let count = max(1, Int(quantum.rounded(.up)))
    // With too many beats for the screen it is one long cell.
    let isOne = count * 3 > room
    let width = isOne ? room : (room - count + 1) / count
    let beatsPerCell = isOne ? quantum : 1
    let phase = isKnown ? dashboard.phase(at: now) : nil
    // Colours are for what JACK plays: the session's beat goes on while JACK is stopped.
    let going: TextStyle =
      switch status["transport"]?.string {
      case "rolling": .good
      case "starting": .warning
      default: .faint
      }
    var (cells, numbers) = (StyledLine("  "), StyledLine("  "))
    for cell in 0..<(isOne ? 1 : count) {
      // The last beat of a quantum may be a part of one.
      let length = min(beatsPerCell, quantum - Double(cell))
      let columns = max(1, Int((Double(width) * length / beatsPerCell).rounded()))
      let share = phase.map { min(1, max(0, ($0 - Double(cell)) / length)) }
      let isCurrent = phase.map { $0 >= Double(cell) && $0 < Double(cell) + length } ?? false
      let style: TextStyle =
        phase == nil ? .faint : cell == 0 && isCurrent && going == .good ? .strong : going
      cells = cells + fill(columns, share ?? 0, style) + StyledLine(" ")
      let label = isOne ? "\(count) beats" : "\(cell + 1)"
      numbers = numbers + StyledLine(label, isCurrent ? .strong : .faint).fitted(to: columns + 1)
    }
    return [cells, numbers]
  }

  /// A cell of which a share is filled.
  private func fill(_ columns: Int, _ share: Double, _ style: TextStyle) -> StyledLine {
    let fills = look.fills
    let steps = fills.count - 1
    let filled = Int((share * Double(columns * steps)).rounded(.down))
    let text = (0..<columns).map { fills[min(steps, max(0, filled - $0 * steps))] }
    return StyledLine(String(text), style)
  }

  // MARK: Facts

  private var facts: [DashboardSection] {
    let left =
      [(6, leader)] + [(7, timebase), (9, peers), (12, latency)] + (offset.map { [(13, $0)] } ?? [])
      + (ardour.map { [(10, $0)] } ?? [])
    let right = [(8, phaseError), (14, sparkline), (15, clocks), (11, counts)]
    guard columns >= Self.wide else {
      return (left + right).map { rank, line in DashboardSection(rank: rank, lines: [line]) }
    }
    // The leader takes the whole width.
    let rest = Array(left.dropFirst())
    return [DashboardSection(rank: 6, lines: [leader])]
      + (0..<max(rest.count, right.count)).map { row in
        let first = row < rest.count ? rest[row] : (99, StyledLine())
        let second = row < right.count ? right[row] : (99, StyledLine())
        let line = first.1.fitted(to: Self.secondColumn - 2) + second.1
        return DashboardSection(rank: min(first.0, second.0), lines: [line])
      }
  }

  private func fact(_ name: String, _ text: String, _ style: TextStyle = .plain) -> StyledLine {
    StyledLine("  \(name)\(String(repeating: " ", count: max(1, 10 - name.count)))", .faint)
      + StyledLine(foreign: text, style)
  }

  private var leader: StyledLine {
    let mode = status["mode"]?.string
    let isOthers = status["timebase"]?.string == "other"
    switch status["leader"]?.string {
    case "link":
      let why = mode == "link" ? "of mode link" : "no other program owns JACK's timebase"
      return fact("leader", "Link, because \(why)")
    case "jack":
      let tempo = status["jack_tempo"]?.number.map { ", at \($0.formatted(decimals: 2)) bpm" } ?? ""
      let why = mode == "jack" ? "of mode jack" : "another program owns JACK's timebase"
      return fact("leader", "JACK, because \(why)\(tempo)")
    case "neither":
      let sharing = status["tempo_sharing"]?.string
      let why =
        sharing == "receive" || sharing == "off"
        ? "tempo-sync is \(sharing ?? "")"
        : mode == "link" && isOthers
          ? "another program owns JACK's timebase, but the mode is link"
          : "the mode is jack, but no program publishes a tempo"
      return fact("leader", "neither: \(why)", .warning)
    default: return fact("leader", "-")
    }
  }

  private var timebase: StyledLine {
    fact("timebase", status.timebaseOwner ?? "-", status["timebase"] == "bridge" ? .good : .plain)
  }

  private var peers: StyledLine {
    guard let peers = status["peers"]?.number else { return fact("peers", "-") }
    let addresses = peers > 0 ? dashboard.peerAddresses : []
    return fact("peers", peers.formatted(decimals: 0) + Self.text(of: addresses))
  }

  /// The addresses after the number of peers, as many as there is room for beside the second column.
  private static func text(of addresses: [String]) -> String {
    let room = secondColumn - 16
    var text = ""
    for (index, address) in addresses.enumerated() {
      let next = (index == 0 ? ": " : "\(text), ") + address
      let rest = addresses.count - index - 1
      guard next.count + (rest == 0 ? 0 : ", +\(rest)".count) <= room else {
        return text.isEmpty ? "" : "\(text), +\(rest + 1)"
      }
      text = next
    }
    return text
  }

  private var latency: StyledLine {
    guard let latency = status["latency_ms"]?.number else { return fact("latency", "-") }
    let isLeft = status["leaves_latency_to_programs"] == true
    return fact("latency", "\(latency.formatted(decimals: 1)) ms\(isLeft ? ", left to programs" : "")")
  }

  /// Only of a bridge that has one.
  private var offset: StyledLine? {
    status["offset_ms"]?.number.map { fact("offset", "\($0.signed(decimals: 2)) ms") }
  }

  /// Only of a bridge that has a connection with Ardour.
  private var ardour: StyledLine? {
    guard let standing = status["ardour"]?.string, standing == "connected" || standing == "left_alone" else {
      return nil
    }
    if status["ardour_records"] == true { return fact("Ardour", "RECORDING IS ON", .bad) }
    let tempo = status["ardour_tempo"]?.number?.formatted(decimals: 2) ?? "-"
    return fact("Ardour", standing == "connected" ? "\(tempo) bpm" : "left alone, several tempos")
  }

  private var phaseError: StyledLine {
    guard isKnown else { return fact("phase", "-") }
    guard let error = status["phase_error_us"]?.number else {
      return fact(
        "phase", "no error to measure" + (dashboard.errors.p95.map { ", p95 \($0.asTime())" } ?? ""))
    }
    let text = error.asTime(isSigned: true)
    let p95 = dashboard.errors.p95.map { p95 in
      // The unit stands once where it is the same.
      let unit = text.drop { $0 != " " }
      let other = p95.asTime()
      return ", p95 \(other.hasSuffix(unit) ? other.dropLast(unit.count) : other[...])"
    }
    return fact("phase", text + (p95 ?? ""), Self.style(ofError: error))
  }

  /// How bad a phase error in microseconds is: from 10 ms on two drums are heard one after the other.
  private static func style(ofError error: Double) -> TextStyle {
    error.magnitude < 1000 ? .good : error.magnitude < 10_000 ? .warning : .bad
  }

  private var sparkline: StyledLine {
    guard isKnown else { return fact("", "") }
    let room = max(0, min(26, columns - 14))
    let bars = dashboard.errors.sparkline(columns: room, levels: look.levels)
    return fact("", "") + StyledLine(bars, Self.style(ofError: dashboard.errors.bars.suffix(room).max() ?? 0))
  }

  private var clocks: StyledLine {
    guard let offset = status["clock_offset_us"]?.number, let drift = status["clock_drift_ppm"]?.number else {
      return fact("clocks", "-")
    }
    // Clocks that began at different times are seconds apart, where microseconds are of no use.
    let apart =
      offset.magnitude < 1e6 ? "\(offset.signed(decimals: 1)) us" : "\((offset / 1e6).signed(decimals: 3)) s"
    return fact("clocks", "\(apart), drift \(drift.signed(decimals: 2)) ppm")
  }

  private var counts: StyledLine {
    let texts = ["commits", "xruns"].compactMap { name in
      status[name]?.number.map { "\(name) \($0.formatted(decimals: 0))" }
    }
    return fact("counts", texts.isEmpty ? "-" : texts.joined(separator: ", "))
  }

  // MARK: Events

  private var events: [StyledLine] {
    dashboard.events.suffix(50).map { StyledLine(foreign: "  \($0)", .faint) }
  }
}
