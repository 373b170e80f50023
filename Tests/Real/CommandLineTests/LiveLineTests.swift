import MusicalTime
import Reconciliation
import Settings
import Testing

@testable import Bridge
@testable import jackstay

@Suite struct LiveLineTests {
  private func status(_ change: (inout BridgeStatus) -> Void = { _ in }) throws -> BridgeStatus {
    var status = BridgeStatus(
      owner: .me, transport: .rolling,
      position: reading(bar: 3, beat: 2, tick: 960_000),
      session: .init(tempo: .standard, peers: 2),
      song: .init(phase: try #require(BeatTime(1.25)).phase(in: try #require(Quantum(beats: 4)))),
      errors: .init(beat: HostInterval(nanoseconds: 400)))
    change(&status)
    return status
  }

  private func reading(bar: Int32, beat: Int32, tick: Int32) -> TimebaseReading {
    TimebaseReading(
      isValid: true, bar: bar, beat: beat, tick: tick, beatsPerBar: 4, beatType: 4, ticksPerBeat: 1_920_000,
      beatsPerMinute: 120)
  }

  @Test func `The line shows all there is to know`() throws {
    #expect(
      LiveLine(try status()).text
        == "120.00 bpm      3.2.50 [###.....] rolling  2 peers Link leads +0.4 us")
  }

  @Test func `The longest line of a long evening fits 80 columns`() throws {
    let status = try status { status in
      status.owner = .nobody
      status.session.peers = 12
      status.position = reading(bar: 9999, beat: 4, tick: 1_919_999)
      status.errors.beat = nil
    }
    #expect(LiveLine(status).text.count < 80)
  }

  @Test func `An offset is shown where there is one, and takes its room from the bar`() throws {
    for (milliseconds, text) in [
      (3.5, "offset +3.5 ms"), (-9.94, "offset -9.9 ms"), (-12.25, "offset -12 ms"), (-500, "offset -500 ms"),
    ] {
      let offset = try #require(Offset(milliseconds: milliseconds))
      let line = LiveLine(try status(), offset: offset).text
      #expect(line == "120.00 bpm      3.2.50 [##..] rolling  2 peers Link leads +0.4 us \(text)")
      #expect(line.count <= 80)
    }
  }

  @Test func `Choices that are not the default are shown, Link that is off in place of the peers`()
    throws
  {
    let choices = UnusualChoices(
      isLinkEnabled: false, tempoSync: "both", startStopSync: "off", launch: "now", discipline: "off")
    let line = LiveLine(try status(), mode: .link, choices: choices).text
    #expect(
      line
        == "120.00 bpm      3.2.50 [###.....] rolling  Link off Link leads +0.4 us mode link, start/stop off, "
        + "launch now")
  }

  @Test func `A missing value is left out, and keeps its place`() throws {
    let stopped = try status { status in
      status.transport = .stopped
      status.position = nil
      status.errors.beat = nil
      status.session.peers = 1
      status.owner = .nobody
    }
    #expect(
      LiveLine(stopped).text
        == "120.00 bpm      -.-.-- [###.....] stopped  1 peer no timebase ")
    #expect(LiveLine(nil).text == "no JACK server")
  }

  @Test func `While a start is waited for, the beats until it stand in place of the position`() throws {
    let armed = try status { status in
      status.transport = .starting
      status.countIn = Beats(nanobeats: -2_371_000_000)
      status.errors.beat = nil
    }
    let line = LiveLine(armed).text
    #expect(line == "120.00 bpm -2.37 beats [###.....] starting 2 peers Link leads ")
  }

  @Test func `Without a server, and beside another bridge, it says so`() {
    #expect(LiveLine(nil).text == "no JACK server")
    #expect(LiveLine(nil, isStandingBy: true).text == "standing by for another bridge")
  }

  @Test(arguments: zip([0, 0.1, 0.5, 3.9, 3.999], [1, 1, 2, 8, 8]))
  func `The bar fills once in a quantum`(beats: Double, filled: Int) throws {
    let phase = try #require(BeatTime(beats)).phase(in: try #require(Quantum(beats: 4)))
    let line = LiveLine(try status { $0.song.phase = phase }).text
    #expect(
      line.contains(
        "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: 8 - filled) + "]"))
  }

  @Test func `The tempo is Link's, with JACK's beside it where that differs, and the error has its sign`()
    throws
  {
    let meter = try #require(Meter(beatsPerBar: 6, beatType: 8))
    let line = LiveLine(
      try status { ($0.song.meter, $0.errors.beat) = (meter, HostInterval(nanoseconds: -12_340)) }
    ).text
    #expect(line.hasPrefix("120.00 bpm (JACK 240.00)      3.2.50 rolling "))
    #expect(line.hasSuffix(" -12.3 us") && line.count <= 80)
    let others = LiveLine(try status { $0.owner = .other }).text
    #expect(others.hasPrefix("120.00 bpm      3.2."))
  }
}

@Suite struct FormattingTests {
  @Test func `Numbers are rounded, padded and have their sign`() {
    #expect(137.534.formatted(decimals: 2) == "137.53")
    #expect((-0.06).formatted(decimals: 1) == "-0.1")
    #expect((-0.04).formatted(decimals: 1) == "0.0")
    #expect(20.formatted(decimals: 2, width: 6) == " 20.00")
    #expect(2.5.formatted(decimals: 0) == "3")
    #expect(Double.nan.formatted(decimals: 2, width: 4) == " nan")
    #expect(1e300.formatted(decimals: 2) == "1e+300")
  }
}
