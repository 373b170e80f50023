import ArgumentParser
import Control
import LinkDiscovery
import Settings
import Words

/// Shows the peers of the Link sessions in this network, and is none of them.
struct Peers: SideCommand {
  static let configuration = CommandConfiguration(
    commandName: "peers", abstract: "List the Link peers, or wait for them.",
    usage: "jackstay peers [--wait N] [--within TIME] [--json]",
    discussion: """
      Example:
        jackstay peers --wait 2 --within 30s && jackstay start

      It listens to the messages of Link's peers for two seconds, pings each peer, and prints a line for each: its \
      addresses, the interfaces that it is heard on, tempo, state, session, round trip, and the program if that is of \
      this machine. A bridge is a peer, too. No session is joined, and no bridge has to run.

      With --wait it ends as soon as there are N peers, or when the time of --within is over. With --json each peer is an \
      object on a line, and a last object has the counts.

      Exit codes: 0 listened, and heard N peers, 1 fewer than N, or it cannot listen, 2 not understood.
      """)
  static let flags = ["--wait", "--within", "--json"]
  static let flagHelp: [String: (placeholder: String, summary: String)] = [:]

  @Option(help: ArgumentHelp("End as soon as there are so many peers, 1 to 256.", valueName: "N"))
  var wait: String?
  @Option(
    help: ArgumentHelp(
      "How long to listen: 0.1s to 60m. Default: 2s, with --wait 10s.", valueName: "TIME"))
  var within: String?
  @Flag(help: "Print JSON, one object a line.")
  var json = false

  /// How long answers are waited for once all peers are there.
  private static let grace = Duration.milliseconds(300)

  func run() throws {
    let wanted = try wait.map(Self.count)
    let time = try within.map(Self.time) ?? .seconds(wanted == nil ? 2 : 10)
    let listener = try PeerListener()
    var complete: Duration?
    listener.listen(until: time) { table, now in
      guard let wanted, table.peers.count >= wanted else {
        complete = nil
        return false
      }
      let since = complete ?? now
      complete = since
      return table.peers.allSatisfy { $0.isMeasurable != nil } || now >= since + Self.grace
    }
    let table = listener.table
    let places = ControlPlaces(environment: CommandLine.environment)
    let report = PeerReport(
      table: table, programs: LocalPrograms.found(of: table.peers, in: places), time: listener.time,
      wanted: wanted)
    for line in json ? report.objects.map(\.line) : report.lines {
      if !StandardStreams.print(line) { throw ExitCode.failure }
    }
    if !report.isEnough { throw ExitCode.failure }
  }

  /// A number of peers, as it is written.
  static func count(_ text: String) throws(SettingsError) -> Int {
    guard let count = Int(text), (1...PeerTable.room).contains(count) else {
      throw SettingsError(
        "--wait \(text.echoedAsWord()) is no number of peers: expected 1 to \(PeerTable.room), for example --wait 2"
      )
    }
    return count
  }

  /// A time, as it is written: with ms, s or m behind it, or without a unit in seconds.
  static func time(_ text: String) throws(SettingsError) -> Duration {
    let number = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
    let units = ["": 1, "s": 1, "ms": 0.001, "m": 60]
    guard let unit = units[String(text.dropFirst(number.count))], let value = Double(number),
      (0.1...3600).contains(value * unit)
    else {
      throw SettingsError(
        "--within \(text.echoedAsWord()) is no time to listen: expected 0.1s to 60m, for example --within 10s"
      )
    }
    return .seconds(value * unit)
  }
}
