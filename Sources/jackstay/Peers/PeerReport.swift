import JSON
import LinkDiscovery
import MusicalTime
import Words

/// The peers that were heard, in lines for people and in objects for programs.
struct PeerReport: Sendable {
  /// The peers.
  let table: PeerTable
  /// Those of them that programs of this machine are, as far as that is known.
  let programs: [NodeID: LocalPrograms.Program]
  /// How long the listener has listened.
  let time: Duration
  /// How many peers were waited for; `nil` for none.
  var wanted: Int?

  /// The sessions, first that of the bridge of this machine, if there is one.
  private var sessions: [PeerTable.Session] {
    table.sessions(first: table.peers.first { programs[$0.id]?.bridge != nil }?.id)
  }

  /// Whether as many peers were heard as were waited for.
  var isEnough: Bool { table.peers.count >= wanted ?? 0 }

  // MARK: For people

  /// A line for each peer below a heading, and what there is to say of all.
  var lines: [String] {
    let sessions = sessions
    var rows: [[String]] = []
    for (number, session) in sessions.enumerated() {
      for peer in session.peers { rows.append(row(peer, number + 1)) }
    }
    let heading = ["address", "interface", "tempo", "state", "session", "round trip", "heard for", "program"]
    return (rows.isEmpty ? [] : Self.aligned([heading] + rows)) + ignoredLines + silentLines
      + [summary(sessions)]
  }

  private func row(_ peer: PeerTable.Peer, _ session: Int) -> [String] {
    let program = programs[peer.id].map { program in
      program.bridge.map { "the bridge \"\($0)\"" } ?? program.name
    }
    return [
      peer.addresses.joined(separator: ", "), peer.interfaces.joined(separator: ", "),
      peer.tempo?.beatsPerMinute.formatted(decimals: 2) ?? "-",
      peer.isPlaying.map { $0 ? "playing" : "stopped" } ?? "-", "\(session)",
      peer.roundTrip.map { "\(($0 / .milliseconds(1)).formatted(decimals: 2)) ms" }
        ?? (peer.isMeasurable == false ? "no answer" : "-"),
      "\(((time - peer.since) / .seconds(1)).formatted(decimals: 1)) s", program ?? "",
    ]
  }

  /// The rows with columns of one width each.
  private static func aligned(_ rows: [[String]]) -> [String] {
    let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let line = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
        .joined(separator: "  ")
      return LogLines.shown(String(line.reversed().drop { $0 == " " }.reversed()))
    }
  }

  /// The datagrams that were passed over, in a line.
  private var ignoredLines: [String] {
    let ignored = table.ignored
    var parts: [String] = []
    if ignored.malformed > 0 { parts.append("\(ignored.malformed) that are no messages of Link's") }
    for (version, count) in ignored.versions.sorted(by: { $0.key < $1.key }).prefix(3) {
      parts.append("\(count) of Link's protocol version \(version), which this program does not know")
    }
    if ignored.versions.count > 3 { parts.append("others of further versions") }
    if ignored.otherGroups > 0 { parts.append("\(ignored.otherGroups) of other groups of sessions") }
    if ignored.beyondRoom > 0 { parts.append("\(ignored.beyondRoom) of more than \(PeerTable.room) peers") }
    return parts.isEmpty ? [] : ["ignored datagrams: \(parts.joined(separator: ", "))"]
  }

  /// The peers that do not answer, in a line.
  private var silentLines: [String] {
    let silent = table.peers.filter { $0.isMeasurable == false }.flatMap(\.addresses)
    guard !silent.isEmpty else { return [] }
    let text =
      "\(silent.joined(separator: ", ")) \(silent.count == 1 ? "is" : "are") heard, and not measurable: a firewall lets in "
      + "UDP port 20808 alone, or the addresses are of different networks; run jackstay doctor"
    return [LogLines.shown(text)]
  }

  private func summary(_ sessions: [PeerTable.Session]) -> String {
    let count = table.peers.count
    let missing =
      isEnough
      ? "" : "; waited \(Self.seconds(time)) for \(wanted ?? 0) \(wanted == 1 ? "peer" : "peers")"
    guard count > 0 else {
      return isEnough
        ? "no peer was heard in \(Self.seconds(time)): a program is a peer while its Link is on, in this network"
        : "no peer was heard\(missing)"
    }
    let peers = "\(count) \(count == 1 ? "peer" : "peers")"
    let tempo = sessions[0].tempo.map { " at \($0.beatsPerMinute.formatted(decimals: 2)) bpm" } ?? ""
    return sessions.count == 1
      ? "\(peers) in one session\(tempo)\(missing)" : "\(peers) in \(sessions.count) sessions\(missing)"
  }

  private static func seconds(_ time: Duration) -> String {
    "\((time / .seconds(1)).formatted(decimals: 1)) s"
  }

  // MARK: For programs

  /// An object for each peer, and one for all.
  var objects: [JSONObject] {
    let sessions = sessions
    return sessions.flatMap { session in session.peers.map { object($0, isFirst: session == sessions[0]) } }
      + [all(sessions)]
  }

  private func object(_ peer: PeerTable.Peer, isFirst: Bool) -> JSONObject {
    var object: JSONObject = [
      "peer": .string(peer.id.text), "address": .string(peer.addresses.joined(separator: " ")),
      "interface": .string(peer.interfaces.joined(separator: " ")),
    ]
    object["tempo"] = (peer.tempo?.beatsPerMinute).map { .number($0) }
    object["playing"] = peer.isPlaying.map { .boolean($0) }
    object["session"] = (peer.session?.text).map { .string($0) }
    object["same_session"] = .boolean(isFirst)
    object["measurable"] = peer.isMeasurable.map { .boolean($0) }
    object["round_trip_ms"] = peer.roundTrip.map { .number(Self.rounded($0 / .milliseconds(1))) }
    object["heard_s"] = .number(Self.rounded((time - peer.since) / .seconds(1)))
    if let program = programs[peer.id] {
      object["program"] = .string(program.name)
      object["bridge"] = program.bridge.map { .string($0) }
    }
    return object
  }

  private func all(_ sessions: [PeerTable.Session]) -> JSONObject {
    let ignored = table.ignored
    return [
      "peers": .count(table.peers.count), "sessions": .count(sessions.count),
      "listened_s": .number(Self.rounded(time / .seconds(1))), "malformed": .count(ignored.malformed),
      "unknown_version": .count(ignored.versions.values.reduce(0, +)),
      "other_groups": .count(ignored.otherGroups), "beyond_room": .count(ignored.beyondRoom),
    ]
  }

  /// A number to a thousandth.
  private static func rounded(_ number: Double) -> Double { (number * 1000).rounded() / 1000 }
}
