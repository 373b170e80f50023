import MusicalTime
import Reconciliation

// A history as Swift source: what a failure prints can be put into a test as it is.

extension History {
  /// The expression that makes this history.
  public var code: String {
    let lines = events.map { "    .at(\(seconds($0.time)), \($0.event.code))," }
    return
      (["History(", "  \(setup.code),", "  ["] + lines + ["  ], duration: .seconds(\(seconds(duration))))"])
      .joined(separator: "\n")
  }
}

private func seconds(_ interval: HostInterval) -> Double { Double(interval.nanoseconds) / 1e9 }

private func milliseconds(_ interval: HostInterval) -> String { ".milliseconds(\(interval.milliseconds))" }

private func bpm(_ tempo: Tempo) -> String { ".bpm(\(tempo.beatsPerMinute))" }

extension ServerRules {
  fileprivate var code: String {
    switch self {
    case .pipewire: ".pipewire"
    case .modernPipewire: ".modernPipewire"
    default: "\(self)"
    }
  }
}

extension Setup {
  fileprivate var code: String {
    let usual = Setup()
    var words = ["seed: \(seed)"]
    if rules != usual.rules { words.append("rules: \(rules.code)") }
    if period != usual.period { words.append("period: \(period)") }
    if rate != usual.rate { words.append("rate: SampleRate(hertz: \(rate.hertz))!") }
    if skew != usual.skew { words.append("skew: \(skew)") }
    if jitter != usual.jitter { words.append("jitter: \(milliseconds(jitter))") }
    if misses != usual.misses { words.append("misses: \(milliseconds(misses))") }
    if clockOffset != usual.clockOffset { words.append("clockOffset: \(milliseconds(clockOffset))") }
    if clockSkew != usual.clockSkew { words.append("clockSkew: \(clockSkew)") }
    if hasLatency != usual.hasLatency { words.append("hasLatency: \(hasLatency)") }
    if tempo != usual.tempo { words.append("tempo: \(bpm(tempo))") }
    if quantum != Quantum(barOf: meter) { words.append("quantum: Quantum(beats: \(quantum.doubleValue))!") }
    if meter != usual.meter { words.append("meter: Meter(\"\(meter)\")!") }
    if launch != usual.launch { words.append("launch: .\(launch)") }
    if startStopSync != usual.startStopSync { words.append("startStopSync: \(startStopSync)") }
    if frameAlignment != usual.frameAlignment { words.append("frameAlignment: .\(frameAlignment)") }
    if mode != usual.mode { words.append("mode: .\(mode)") }
    if let takeover { words.append("takeover: .\(takeover)") }
    if relocation != usual.relocation { words.append("relocation: .\(relocation)") }
    if discipline != usual.discipline { words.append("discipline: .\(discipline)") }
    if hasOtherBridge { words.append("hasOtherBridge: true") }
    return "Setup(\(words.joined(separator: ", ")))"
  }
}

extension Event {
  fileprivate var code: String {
    switch self {
    case .clientStarts: ".clientStarts"
    case .clientStops: ".clientStops"
    case .clientLocates(let frame): ".clientLocates(frame: \(frame))"
    case .slowClient(let needs): ".slowClient(needs: \(needs.map(String.init) ?? "nil"))"
    case .slowClientsLeave: ".slowClientsLeave"
    case .clientHangs(let interval): ".clientHangs(for: \(milliseconds(interval)))"
    case .ownerTakes(let honesty, let tempo, let ticks, let lead):
      ".ownerTakes(.\(honesty), beatsPerMinute: \(tempo), ticksPerBeat: \(ticks), lead: \(lead))"
    case .clientLoops(let beats): ".clientLoops(by: Beats(nanobeats: \(beats.nanobeats)))"
    case .ownerChangesTempo(let tempo): ".ownerChangesTempo(to: \(tempo))"
    case .ownerGlides(let tempo, let interval):
      ".ownerGlides(to: \(tempo), over: \(milliseconds(interval)))"
    case .ownerChangesMeter(let meter, let bars):
      ".ownerChangesMeter(to: Meter(\"\(meter)\")!, afterBars: \(bars))"
    case .ownerReleases: ".ownerReleases"
    case .peerStarts(let wait): ".peerStarts(in: \(milliseconds(wait)))"
    case .peerStartsOnQuantum(let wait): ".peerStartsOnQuantum(after: \(milliseconds(wait)))"
    case .peerStops: ".peerStops"
    case .peerChangesTempo(let tempo): ".peerChangesTempo(to: \(bpm(tempo)))"
    case .peersJoin(let count, let merge): ".peersJoin(\(count), \(merge?.code ?? "nil"))"
    case .peersLeave(let count): ".peersLeave(\(count))"
    case .peerRepeats(let wait): ".peerRepeats(after: \(milliseconds(wait)))"
    case .remeasured(let step): ".remeasured(by: \(milliseconds(step)))"
    case .networkChanges(let delay, let loss): ".networkChanges(delay: \(delay), loss: \(loss))"
    case .command(let command): ".command(\(command.code))"
    case .stall(let interval, let isNoticed): ".stall(\(milliseconds(interval)), isNoticed: \(isNoticed))"
    case .periodChanges(let period): ".periodChanges(to: \(period))"
    case .freewheel(let interval): ".freewheel(for: \(milliseconds(interval)))"
    case .machineSleeps(let interval): ".machineSleeps(for: \(milliseconds(interval)))"
    case .clockSlews(let skew): ".clockSlews(to: \(skew))"
    case .serverDies(let interval): ".serverDies(for: \(milliseconds(interval)))"
    case .bridgeEnds(let interval): ".bridgeEnds(for: \(milliseconds(interval)))"
    }
  }
}

extension Event.Merge {
  fileprivate var code: String {
    let beats = "Beats(nanobeats: \(shift.nanobeats))"
    return ".init(tempo: \(bpm(tempo)), shift: \(beats), isPlaying: \(isPlaying), tellsPlay: \(tellsPlay))"
  }
}

extension Command {
  fileprivate var code: String {
    switch self {
    case .proposeTempo(let tempo): ".proposeTempo(\(bpm(tempo)))"
    case .nudgeTempo(let step): ".nudgeTempo(TempoStep(beatsPerMinute: \(step.beatsPerMinute))!)"
    case .locate(let frame): ".locate(\(frame))"
    case .shareStartStop(let isShared): ".shareStartStop(\(isShared))"
    case .imposeJACK: ".imposeJACK"
    case .waitForLaunch(let mode): ".waitForLaunch(.\(mode))"
    case .discipline(let discipline): ".discipline(.\(discipline))"
    case .clientLeft: ".clientLeft"
    case .foundSession(let tempo): ".foundSession(\(bpm(tempo)))"
    case .select(let mode): ".select(.\(mode))"
    case .start: ".start"
    case .stop: ".stop"
    }
  }
}
