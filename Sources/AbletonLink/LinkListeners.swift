import MusicalTime

/// All listeners for changes of one ``Link``.
///
/// It outlives Link's threads, which call it: ``Link`` stops them before it lets go.
final class LinkListeners: Sendable {
  let isEnabled = Broadcast<Bool>()
  let isStartStopSyncEnabled = Broadcast<Bool>()
  let peerCount = Broadcast<Int>()
  let tempo = Broadcast<Tempo>()
  let isPlaying = Broadcast<Bool>()

  func finish() {
    isEnabled.finish()
    isStartStopSyncEnabled.finish()
    peerCount.finish()
    tempo.finish()
    isPlaying.finish()
  }
}
