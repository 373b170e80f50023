import Foundation
import MusicalTime
import Reconciliation
import Testing

@testable import Simulation

/// The faults that simulated worlds have found in the program, each as the shortest history in which it was
/// seen: one file each in the folder Histories. And what people do with the bridge all day, in the folder Scenes.
@Suite struct HistoryTests {
  /// All files that are kept.
  static let kept: [KeptHistory] = {
    do {
      return try ["Histories", "Scenes"].flatMap { name in
        let folder = here + "/" + name
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { name in
          try KeptHistory(text: String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8), file: name)
        }
      }
    } catch {
      Issue.record("\(error)")
      return []
    }
  }()

  private static let here = #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }

  @Test func `The folders of histories can be read`() {
    #expect(Self.kept.count > 400)
    #expect(Set(Self.kept.map(\.title)).count == Self.kept.count, "a title is there twice")
  }

  @Test(arguments: kept.filter { $0.law == nil || $0.fault != nil })
  func `A history in which a fault was found is lawful, and as its transcript has it`(kept: KeptHistory) {
    let simulation = Simulation(kept.history)
    simulation.transcriber = Transcriber()
    let violation = simulation.run()
    #expect(violation == nil, "\(String(describing: violation))\n\(kept.text)")
    let difference = simulation.transcriber?.transcript.difference(from: kept.transcript)
    #expect(difference == nil, "if that is wanted, write it by `make transcripts`, and read what has changed")
  }

  @Test(arguments: kept.filter { $0.fault != nil })
  func `A history with the deliberate mistake that it is kept for breaks its law`(kept: KeptHistory) {
    let violation = Simulation(kept.history, fault: kept.fault).run()
    #expect(violation?.law == kept.law, "\(String(describing: violation))")
  }

  @Test(arguments: kept.filter { $0.law != nil && $0.fault == nil })
  func `A fault that is known and not corrected breaks its law`(kept: KeptHistory) {
    withKnownIssue {
      #expect(Simulation(kept.history).run() == nil)
    } matching: { _ in
      Simulation(kept.history).run()?.law == kept.law
    }
  }

  // MARK: The text

  @Test(arguments: kept) func `A kept history is written as it is read`(kept: KeptHistory) throws {
    #expect(try KeptHistory(text: kept.text, file: "again") == kept)
  }

  @Test func `A random history is read from its text`() throws {
    for seed in UInt64(1)...1_000 {
      let history = History(seed: seed, duration: .seconds(600), isBusy: seed.isMultiple(of: 2))
      let kept = KeptHistory(title: "Of seed \(seed)", history: history)
      try #require(try KeptHistory(text: kept.text, file: "seed \(seed)") == kept, "seed \(seed)")
    }
  }

  /// All that a text can say.
  private static let everything = """
    All that can happen happens

    fault: joinPushes
    breaks: sessionKept
    seed: 7
    server: PipeWire 0.3.65
    period: 64 frames
    sample rate: 44100 Hz
    sound card faster by: -2.5e-05
    wake-ups late by at most: 0.2 ms
    missed deadlines every: 5000 ms
    JACK's clock ahead by: 249.6 ms
    JACK's clock faster by: 1e-06
    output latency: none
    tempo: 100 bpm
    meter: 6/8
    quantum: 4 beats
    launch: beat
    start/stop sync: off
    frame alignment: exact
    mode: link
    takeover: retake
    relocation: roll
    keep in phase: tempo
    another bridge: yes

     0.000 s  client starts
    > 0.003 s  JACK rolls from frame 0, reads 1|1|0, Link is at 0
     1.000 s  client stops
     1.100 s  client locates to frame 4294967295
     1.100 s  client loops back by 1.5 beats
     1.150 s  client locates to -20 ms after the owner's last change
     2.000 s  slow client comes, which is ready after 3 cycles
     2.000 s  slow client comes, which is never ready
     3.000 s  slow clients leave
     4.000 s  client hangs for 700.5 ms
     5.000 s  owner takes the timebase: truthful, 90 bpm, 1920 ticks per beat, 192 frames ahead while it waits
     5.000 s  owner takes the timebase: wrong about its tempo, 90 bpm, 960 ticks per beat, 0 frames ahead while it waits
     5.000 s  owner takes the timebase: silent, 90 bpm, 1920 ticks per beat, 0 frames ahead while it waits
     5.000 s  owner takes the timebase: talking nonsense, 90 bpm, 1920 ticks per beat, 0 frames ahead while it waits
     6.000 s  owner changes its tempo to 91.5 bpm
     6.000 s  owner glides to 60 bpm within 2000 ms
     6.000 s  owner changes its meter to 7/8 after 4 bars
     6.000 s  owner releases the timebase
     7.000 s  peer starts
     7.000 s  peer starts in 20.25 ms
     7.000 s  peer starts on the first quantum after 1200 ms
     7.000 s  peer stops
     7.000 s  peer sets the tempo to 120 bpm
     8.000 s  2 peers join
     8.000 s  1 peers join with an older session: stopped, 120 bpm, 0 beats ahead
     8.000 s  1 peers join with an older session: playing, 120 bpm, 0.000000001 beats ahead
     8.000 s  1 peers join with an older session: playing as Link reports, 120 bpm, -3 beats ahead
     8.000 s  1 peers join with an older session: stopped though Link reports a play, 120 bpm, 3 beats ahead
     9.000 s  3 peers leave
     9.000 s  all peers leave
     9.000 s  peer says what it sees, and once more after 900 ms
     9.000 s  Link measures the clocks anew, another by -0.05 ms
     9.000 s  network takes 60 ms at most, and loses one message of 3
    10.000 s  user starts
    10.000 s  user stops
    10.000 s  user locates to frame 48000
    10.000 s  user sets the tempo to 125 bpm
    10.000 s  user founds the session at 125 bpm
    10.000 s  user nudges the tempo by -0.5 bpm
    10.000 s  user imposes JACK on the session
    10.000 s  user has frames brought into phase
    10.000 s  user selects mode jack
    10.000 s  user selects launch now
    10.000 s  user turns start/stop sync off
    10.000 s  user turns tempo sync receive
    10.000 s  user chooses the meter 7/8
    10.000 s  user chooses a quantum of 3.5 beats
    10.000 s  user has the downbeat here
    10.000 s  user shifts the downbeat by -1 beats
    10.000 s  user has the session's downbeat
    10.000 s  user has frames kept in phase by relocate
    10.000 s  user sets the offset to -12.5 ms
    10.000 s  bridge notices that a client has left
    11.000 s  machine stalls for 5 ms
    11.000 s  machine stalls for 5 ms without notice
    11.000 s  period changes to 128 frames
    11.000 s  output latency changes to 3 periods
    11.000 s  JACK freewheels for 100 ms
    11.000 s  machine sleeps for 20000 ms
    11.000 s  JACK's clock is slewed, and faster by 0.0001
    11.000 s  server is gone for 3000 ms
    12.000 s  bridge is gone for 500 ms
    > 12.430 s  JACK leads
    12.500 s  end

    """

  @Test func `Everything that a history can have has its words`() throws {
    let text = Self.everything
    let kept = try KeptHistory(text: text, file: "everything")
    #expect(kept.text == text)
    let events = text.split(separator: "\n").filter { $0.contains(" s  ") }.map { line in
      line.drop { $0 != "s" }.dropFirst(3)
    }
    for phrase in Event.phrases {
      #expect(events.contains { phrase.pattern.values(in: $0) != nil }, "an example is missing: \(phrase)")
    }
    // None of it is as usual, and reset it is.
    for field in Setup.fields {
      #expect(field.text(kept.history.setup) != nil, "an example is missing: \(field.name)")
    }
    #expect(Setup.fields.count == Mirror(reflecting: Setup()).children.count)
    var setup = kept.history.setup
    for field in Setup.fields { field.reset(&setup) }
    #expect(setup == Setup())
  }

  @Test(arguments: [
    ("", 1, "a history begins with its title"),
    (" Title\n", 1, "a history begins with its title"),
    ("Title\n\nsead: 5\n", 3, "there is no \"sead\" among: fault, breaks, seed, server"),
    ("Title\n\nseed: five\n", 3, "\"five\" is not a whole number"),
    ("Title\n\nseed: 5\nseed: 5\n", 4, "seed has been said before"),
    ("Title\n\nserver: jackd1\n", 3, "\"jackd1\" is not jackd2 or PipeWire 0.3.65 or PipeWire 1.4.2"),
    ("Title\n\nmode: both\n", 3, "\"both\" is not a sync mode"),
    ("Title\n\nbreaks: everything\n", 3, "\"everything\" is not a law"),
    ("Title\n\ntempo: 5 bpm\n", 3, "\"5 bpm\" is not a number bpm"),
    ("Title\n\nseed 5\n", 3, "this is neither \"name: value\" nor \"1.5 s  event\""),
    ("Title\n\n1.5 client starts\n", 3, "an event is \"1.5 s  event\""),
    ("Title\n\n1.5.5 s  client starts\n", 3, "\"1.5.5 s\" is not a number with at most 9 decimals s"),
    ("Title\n\n1.0123456789 s  client starts\n", 3, "\"1.0123456789 s\" is not a number"),
    ("Title\n\n1.5 s  client dances\n", 3, "there is no such event: client dances"),
    ("Title\n\n1.5 s  client starts twice\n", 3, "there is no such event: client starts twice"),
    ("Title\n\n1.5 s  client hangs for 5 s\n", 3, "\"5 s\" is not a number with at most 6 decimals ms"),
    ("Title\n\n1.5 s  client starts\nseed: 5\n", 4, "seed belongs before the events"),
    ("Title\n\n2 s  end\n2 s  client stops\n", 4, "this comes after the end"),
    ("Title\n\n1.5 s  client starts\n", 4, "a history ends with \"9.5 s  end\""),
    ("Title\n\n> 1.5 s JACK rolls\n2 s  end\n", 3, "a line of the transcript is \"> 1.5 s  words\""),
    ("Title\n\n> soon s  JACK rolls\n2 s  end\n", 3, "\"soon s\" is not a number"),
    ("Title\n\nfault: joinPushes\n2 s  end\n", 5, "the fault needs the law that it breaks"),
  ])
  func `A line that cannot be read is reported with its file and its number`(
    text: String, line: Int, problem: String
  ) {
    let error = #expect(throws: HistoryError.self) { try KeptHistory(text: text, file: "some.txt") }
    let report = error?.description ?? ""
    #expect(report.hasPrefix("some.txt:\(line): \(problem)"), "\(report)")
  }

  @Test func `A history that a person writes needs no more digits than people need`() throws {
    let kept = try KeptHistory(
      text: """
        A client starts with a peer

        tempo: 133.7 bpm
          1 s  1 peers join
        15.3 s  client starts
        30 s  end
        """, file: "some.txt")
    #expect(
      kept.history
        == History(
          Setup(tempo: .bpm(133.7)), [.at(1, .peersJoin(1, nil)), .at(15.3, .clientStarts)],
          duration: .seconds(30)))
  }
}

extension KeptHistory: CustomTestStringConvertible {
  /// The title.
  public var testDescription: String { title }
}
