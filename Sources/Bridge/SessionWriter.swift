import AbletonLink
import MusicalTime
import Realtime
import Reconciliation

/// Commits the cycle's edits to the Link session on a thread of its own: the only one that changes the session.
///
/// For a second after a commit of its own Link's audio thread is not shown what peers do. After a commit of another
/// thread it is shown everything at once. An edit that is on its way is shown by ``Sender/foresee(_:in:)`` as it will be
/// committed, so that to the cycle its own edits have happened as soon as they are decided.
final class SessionWriter: Sendable {
  /// The end that a cycle holds: a plain value, good for as long as the writer lives.
  struct Sender: Sendable {
    fileprivate let edits: Ring<SentEdit>.Writer
    fileprivate let wakeup: Wakeup.Sender

    /// How many edits may be missing from the states that are captured from now on. Realtime-safe.
    var waiting: Int {
      @inline(__always) @_noLocks get { edits.waiting }
    }

    /// Does to a state that was captured after so many were ``waiting`` what will be done to the session. Realtime-safe.
    @inline(never) @_noLocks
    func foresee(_ count: Int, in session: inout SessionState<AudioThread>) {
      var back = count
      while back > 0 {
        session.apply(edits.pushed(back: back))
        back &-= 1
      }
    }

    /// Has an edit committed once ``wake()`` was called. Realtime-safe.
    ///
    /// Returns false where sixteen edits wait already: then Link hangs.
    @_noLocks
    func send(_ edit: SentEdit) -> Bool { edits.push(edit) }

    /// Has the edits that were sent committed soon. Realtime-safe.
    @_noLocks
    func wake() { wakeup.send() }
  }

  /// The end that a cycle holds.
  let sender: Sender

  private let edits = Ring<SentEdit>(capacity: 16)
  private let wakeup: Wakeup

  /// A writer to the session of `link`, which it keeps; it calls `onIdle` on its thread when all that was sent is
  /// committed.
  init(_ link: Link, onIdle: @escaping @Sendable () -> Void) {
    let reader = edits.reader
    wakeup = Wakeup { [edits] in
      withExtendedLifetime(edits) {
        while let edit = reader.first() {
          var session = link.captureSessionState()
          if session.apply(edit) { link.commit(session) }
          // Only now the cycle's capture shows it.
          _ = reader.pop()
        }
        onIdle()
      }
    }
    sender = Sender(edits: edits.writer, wakeup: wakeup.sender)
  }

  /// Whether all that was sent has been committed, or dropped. Thread-safe.
  var isIdle: Bool { edits.isEmpty }

  /// Runs the thread right after JACK's, which runs at `priority`. Thread-safe. Realtime-safe: no.
  func run(after priority: Int32) { wakeup.setRealTimePriority(max(1, priority - 1)) }
}

extension SessionState {
  // Generic: the compiler checks what becomes of them in the functions that are marked.

  /// Makes the changes of an edit that still hold. Returns whether there are any. Realtime-safe.
  @discardableResult
  fileprivate mutating func apply(_ sent: SentEdit) -> Bool {
    let edit = sent.remainder(tempo: tempo, isPlaying: isPlaying)
    if let tempo = edit.tempo { setTempo(tempo.tempo, at: tempo.time) }
    if let beat = edit.beat { set(beat, at: sent.time, quantum: sent.quantum) }
    if let play = edit.isPlaying { setIsPlaying(play.isPlaying, at: play.time) }
    return !edit.isEmpty
  }

  /// Link counts time in whole microseconds, rounded down.
  private mutating func set(_ edit: BeatEdit, at time: HostTime<LinkClock>, quantum: Quantum) {
    let beat = edit.beat - tempo.beats(in: time.sinceMicrosecond)
    let time = HostTime<LinkClock>(microseconds: time.microseconds)
    if edit.isForced {
      forceBeat(beat, at: time, quantum: quantum)
    } else {
      requestBeat(beat, at: time, quantum: quantum)
    }
  }
}
