import AbletonLink
import MusicalTime
import Testing

func tempo(_ beatsPerMinute: Double) throws -> Tempo { try #require(Tempo(beatsPerMinute: beatsPerMinute)) }

func beats(_ beats: Double) throws -> Beats { try #require(Beats(beats)) }

func beatTime(_ beats: Double) throws -> BeatTime { try #require(BeatTime(beats)) }

func quantum(_ beats: Double) throws -> Quantum { try #require(Quantum(beats: beats)) }

extension Link {
  /// Captures, changes and commits.
  func change(_ change: (inout SessionState<AppThread>) -> Void) {
    var state = captureSessionState()
    change(&state)
    commit(state)
  }

  var sessionTempo: Tempo { captureSessionState().tempo }
}

extension AudioThreadAccess {
  /// Captures, changes and commits.
  func change(_ change: (inout SessionState<AudioThread>) -> Void) {
    var state = captureSessionState()
    change(&state)
    commit(state)
  }
}
