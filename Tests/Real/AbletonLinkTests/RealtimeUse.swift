import AbletonLink
import MusicalTime

// That this file compiles is the test: a module other than AbletonLink uses all an audio thread may use from
// a function that may take no lock and allocate nothing.

@_noLocks
func useEverythingInRealtime(_ access: AudioThreadAccess, tempo: Tempo, quantum: Quantum) -> BeatTime {
  let now = access.now()
  let first = BeatTime.zero + .one
  var state = access.captureSessionState()
  state.setTempo(tempo, at: now)
  state.requestBeat(.zero, at: now, quantum: quantum)
  state.forceBeat(first, at: now, quantum: quantum)
  state.setIsPlaying(true, at: now)
  state.requestBeatAtStartPlayingTime(.zero, quantum: quantum)
  state.setIsPlaying(true, at: now, requestingBeat: first, quantum: quantum)
  if state.isPlaying, state.timeForIsPlaying <= now, access.numberOfPeers == 0 {
    access.commit(state)
  }
  let phase = state.phase(at: now, quantum: quantum)
  let time = state.time(atBeat: first, quantum: quantum)
  return state.beat(at: time, quantum: quantum) + phase.offset + state.tempo.beats(in: time - now)
}

@_noLocks
func useLinkInRealtime(_ link: Link) -> HostTime<LinkClock>? {
  guard !link.isConnected, link.numberOfPeers == 0 else { return nil }
  return link.now()
}
