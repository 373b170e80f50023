import MusicalTime
import Reconciliation

extension Event {
  /// The event in words.
  var text: String {
    switch self {
    case .clientStarts: "client starts"
    case .clientStops: "client stops"
    case .clientLocates(let frame): "client locates to frame \(Notation.frame.write(frame))"
    case .clientLoops(let beats): "client loops back by \(Notation.beats.write(beats))"
    case .clientLocatesToChange(let interval):
      "client locates to \(ms(interval)) after the owner's last change"
    case .slowClient(let needs?): "slow client comes, which is ready after \(needs) cycles"
    case .slowClient(nil): "slow client comes, which is never ready"
    case .slowClientsLeave: "slow clients leave"
    case .clientHangs(let interval): "client hangs for \(ms(interval))"
    case .ownerTakes(let honesty, let tempo, let ticks, let lead):
      "owner takes the timebase: \(Notation.honesty.write(honesty)), \(bpm(tempo)), "
        + "\(Notation.number.write(ticks)) ticks per beat, \(Notation.frames.write(lead)) ahead while it waits"
    case .ownerChangesTempo(let tempo): "owner changes its tempo to \(bpm(tempo))"
    case .ownerGlides(let tempo, let interval): "owner glides to \(bpm(tempo)) within \(ms(interval))"
    case .ownerChangesMeter(let meter, let bars): "owner changes its meter to \(meter) after \(bars) bars"
    case .ownerReleases: "owner releases the timebase"
    case .peerStarts(.zero): "peer starts"
    case .peerStarts(let wait): "peer starts in \(ms(wait))"
    case .peerStartsOnQuantum(let wait): "peer starts on the first quantum after \(ms(wait))"
    case .peerStops: "peer stops"
    case .peerChangesTempo(let tempo): "peer sets the tempo to \(Notation.tempo.write(tempo))"
    case .peersJoin(let count, nil): "\(count) peers join"
    case .peersJoin(let count, let merge?):
      "\(count) peers join with an older session: \(Notation.play.write(merge.play)), "
        + "\(Notation.tempo.write(merge.tempo)), \(Notation.beats.write(merge.shift)) ahead"
    case .peersLeave(Event.all): "all peers leave"
    case .peersLeave(let count): "\(count) peers leave"
    case .peerRepeats(let wait): "peer says what it sees, and once more after \(ms(wait))"
    case .remeasured(let step): "Link measures the clocks anew, another by \(ms(step))"
    case .networkChanges(let delay, let loss):
      "network takes \(Notation.number.write(delay)) ms at most, and loses one message of \(loss)"
    case .command(let command): command.text
    case .choice(.mode(let mode)): "user selects mode \(mode)"
    case .choice(.launch(let mode)): "user selects launch \(mode)"
    case .choice(.startStopSync(let sharing)): "user turns start/stop sync \(Notation.sharing.write(sharing))"
    case .choice(.tempoSync(let sharing)): "user turns tempo sync \(Notation.sharing.write(sharing))"
    case .choice(.meter(let meter)): "user chooses the meter \(Notation.meter.write(meter))"
    case .choice(.quantum(let quantum)): "user chooses a quantum of \(Notation.quantum.write(quantum))"
    case .choice(.discipline(let discipline)): "user has frames kept in phase by \(discipline)"
    case .offsetChanges(let interval): "user sets the offset to \(ms(interval))"
    case .stall(let interval, isNoticed: true): "machine stalls for \(ms(interval))"
    case .stall(let interval, isNoticed: false): "machine stalls for \(ms(interval)) without notice"
    case .periodChanges(let period): "period changes to \(Notation.frames.write(period))"
    case .latencyChanges(let periods): "output latency changes to \(periods) periods"
    case .freewheel(let interval): "JACK freewheels for \(ms(interval))"
    case .machineSleeps(let interval): "machine sleeps for \(ms(interval))"
    case .clockSlews(let skew): "JACK's clock is slewed, and faster by \(Notation.number.write(skew))"
    case .serverDies(let interval): "server is gone for \(ms(interval))"
    case .bridgeEnds(let interval): "bridge is gone for \(ms(interval))"
    }
  }

  /// The event that some words stand for.
  init(text: Substring) throws {
    for phrase in Event.phrases {
      guard var values = phrase.pattern.values(in: text) else { continue }
      self = try phrase.event(&values)
      return
    }
    throw Unreadable("there is no such event: \(text)")
  }

  /// As many peers as there are.
  private static let all = 100

  /// The words of what can happen.
  struct Phrase: Sendable {
    let pattern: Pattern
    let event: @Sendable (inout Pattern.Values) throws -> Event

    init(
      _ words: String, _ event: @escaping @Sendable (inout Pattern.Values) throws -> Event
    ) {
      pattern = Pattern(words)
      self.event = event
    }
  }

  /// The words of all that can happen.
  static let phrases: [Phrase] = [
    Phrase("client starts") { _ in .clientStarts },
    Phrase("client stops") { _ in .clientStops },
    Phrase("client locates to frame {}") {
      .clientLocates(frame: try $0.next(.frame))
    },
    Phrase("client loops back by {}") {
      .clientLoops(by: try $0.next(.beats))
    },
    Phrase("client locates to {} after the owner's last change") {
      .clientLocatesToChange(after: try $0.next(.milliseconds))
    },
    Phrase("slow client comes, which is ready after {} cycles") {
      .slowClient(needs: try $0.next(.count))
    },
    Phrase("slow client comes, which is never ready") { _ in .slowClient(needs: nil) },
    Phrase("slow clients leave") { _ in .slowClientsLeave },
    Phrase("client hangs for {}") {
      .clientHangs(for: try $0.next(.milliseconds))
    },
    Phrase("owner takes the timebase: {}, {}, {} ticks per beat, {} ahead while it waits") {
      .ownerTakes(
        try $0.next(.honesty), beatsPerMinute: try $0.next(.beatsPerMinute),
        ticksPerBeat: try $0.next(.number), lead: try $0.next(.frames))
    },
    Phrase("owner changes its tempo to {}") {
      .ownerChangesTempo(to: try $0.next(.beatsPerMinute))
    },
    Phrase("owner glides to {} within {}") {
      .ownerGlides(to: try $0.next(.beatsPerMinute), over: try $0.next(.milliseconds))
    },
    Phrase("owner changes its meter to {} after {} bars") {
      .ownerChangesMeter(to: try $0.next(.meter), afterBars: try $0.next(.count))
    },
    Phrase("owner releases the timebase") { _ in .ownerReleases },
    Phrase("peer starts") { _ in .peerStarts(in: .zero) },
    Phrase("peer starts in {}") {
      .peerStarts(in: try $0.next(.milliseconds))
    },
    Phrase("peer starts on the first quantum after {}") {
      .peerStartsOnQuantum(after: try $0.next(.milliseconds))
    },
    Phrase("peer stops") { _ in .peerStops },
    Phrase("peer sets the tempo to {}") {
      .peerChangesTempo(to: try $0.next(.tempo))
    },
    Phrase("{} peers join") { .peersJoin(try $0.next(.count), nil) },
    Phrase("{} peers join with an older session: {}, {}, {} ahead") {
      let (count, play) = (try $0.next(.count), try $0.next(.play))
      return .peersJoin(
        count,
        Merge(
          tempo: try $0.next(.tempo), shift: try $0.next(.beats), isPlaying: play.isPlaying,
          tellsPlay: play.isTold))
    },
    Phrase("all peers leave") { _ in .peersLeave(all) },
    Phrase("{} peers leave") { .peersLeave(try $0.next(.count)) },
    Phrase("peer says what it sees, and once more after {}") {
      .peerRepeats(after: try $0.next(.milliseconds))
    },
    Phrase("Link measures the clocks anew, another by {}") {
      .remeasured(by: try $0.next(.milliseconds))
    },
    Phrase("network takes {} ms at most, and loses one message of {}") {
      .networkChanges(delay: try $0.next(.number), loss: try $0.next(.count))
    },
    Phrase("machine stalls for {} without notice") {
      .stall(try $0.next(.milliseconds), isNoticed: false)
    },
    Phrase("machine stalls for {}") {
      .stall(try $0.next(.milliseconds), isNoticed: true)
    },
    Phrase("period changes to {}") {
      .periodChanges(to: try $0.next(.frames))
    },
    Phrase("output latency changes to {} periods") {
      .latencyChanges(toPeriods: try $0.next(.count))
    },
    Phrase("JACK freewheels for {}") {
      .freewheel(for: try $0.next(.milliseconds))
    },
    Phrase("machine sleeps for {}") {
      .machineSleeps(for: try $0.next(.milliseconds))
    },
    Phrase("JACK's clock is slewed, and faster by {}") {
      .clockSlews(to: try $0.next(.number))
    },
    Phrase("server is gone for {}") {
      .serverDies(for: try $0.next(.milliseconds))
    },
    Phrase("bridge is gone for {}") {
      .bridgeEnds(for: try $0.next(.milliseconds))
    },

    Phrase("user starts") { _ in .command(.start) },
    Phrase("user stops") { _ in .command(.stop) },
    Phrase("user locates to frame {}") {
      .command(.locate(try $0.next(.frame)))
    },
    Phrase("user sets the tempo to {}") {
      .command(.proposeTempo(try $0.next(.tempo)))
    },
    Phrase("user founds the session at {}") {
      .command(.foundSession(try $0.next(.tempo)))
    },
    Phrase("user nudges the tempo by {}") {
      .command(.nudgeTempo(try $0.next(.step)))
    },
    Phrase("user imposes JACK on the session") { _ in .command(.imposeJACK) },
    Phrase("user has frames brought into phase") { _ in .command(.realignFrames) },
    Phrase("user selects mode {}") {
      .choice(.mode(try $0.next(.cases("a sync mode"))))
    },
    Phrase("user selects launch {}") {
      .choice(.launch(try $0.next(.cases("a launch mode"))))
    },
    Phrase("user turns start/stop sync {}") {
      .choice(.startStopSync(try $0.next(.sharing)))
    },
    Phrase("user turns tempo sync {}") {
      .choice(.tempoSync(try $0.next(.sharing)))
    },
    Phrase("user chooses the meter {}") {
      .choice(.meter(try $0.next(.meter)))
    },
    Phrase("user chooses a quantum of {}") {
      .choice(.quantum(try $0.next(.quantum)))
    },
    Phrase("user has the downbeat here") { _ in .command(.shiftDownbeat(.here)) },
    Phrase("user shifts the downbeat by {} beats") {
      .command(.shiftDownbeat(.by(try $0.next(.count))))
    },
    Phrase("user has the session's downbeat") { _ in .command(.shiftDownbeat(.none)) },
    Phrase("user has frames kept in phase by {}") {
      .choice(.discipline(try $0.next(.cases("a discipline"))))
    },
    Phrase("user sets the offset to {}") {
      .offsetChanges(to: try $0.next(.milliseconds))
    },
    Phrase("bridge notices that a client has left") { _ in .command(.clientLeft) },
  ]
}

extension Command {
  fileprivate var text: String {
    switch self {
    case .start: "user starts"
    case .stop: "user stops"
    case .locate(let frame): "user locates to frame \(Notation.frame.write(frame))"
    case .proposeTempo(let tempo): "user sets the tempo to \(Notation.tempo.write(tempo))"
    case .foundSession(let tempo): "user founds the session at \(Notation.tempo.write(tempo))"
    case .nudgeTempo(let step): "user nudges the tempo by \(Notation.step.write(step))"
    case .shiftDownbeat(.here): "user has the downbeat here"
    case .shiftDownbeat(.by(let count)): "user shifts the downbeat by \(count) beats"
    case .shiftDownbeat(.none): "user has the session's downbeat"
    case .imposeJACK: "user imposes JACK on the session"
    case .realignFrames: "user has frames brought into phase"
    case .clientLeft: "bridge notices that a client has left"
    }
  }
}

private func ms(_ interval: HostInterval) -> String { Notation.milliseconds.write(interval) }
private func bpm(_ tempo: Double) -> String { Notation.beatsPerMinute.write(tempo) }

/// Whether a session that the bridge joins plays, and whether Link reports it.
private struct Play: Equatable {
  var isPlaying: Bool
  var isTold: Bool
}

extension Event.Merge {
  fileprivate var play: Play { Play(isPlaying: isPlaying, isTold: tellsPlay) }
}

extension Notation<Play> {
  fileprivate static let play = Notation.one(of: [
    "stopped": Play(isPlaying: false, isTold: false),
    "playing": Play(isPlaying: true, isTold: false),
    "playing as Link reports": Play(isPlaying: true, isTold: true),
    "stopped though Link reports a play": Play(isPlaying: false, isTold: true),
  ])
}

extension Notation<SimulatedOwner.Honesty> {
  fileprivate static let honesty = Notation.one(of: [
    "truthful": .truthful, "wrong about its tempo": .liesAboutTempo, "silent": .silent,
    "talking nonsense": .garbage,
  ])
}

extension Notation<Sharing> {
  fileprivate static let sharing = Notation.one(of: [
    "on": .both, "off": .off, "receive": .receive, "send": .send,
  ])
}

extension Notation<Int> {
  fileprivate static let count = Notation.plain("a whole number")
}

extension Notation<TempoStep> {
  fileprivate static let step = Notation<Double>.beatsPerMinute.map(
    { TempoStep(beatsPerMinute: $0) }, from: \.beatsPerMinute)
}
