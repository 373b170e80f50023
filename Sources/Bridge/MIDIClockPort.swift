import JACK
import MusicalTime
import Reconciliation

/// The MIDI clock of a cycle, and the port that it leaves from. For the real-time thread alone.
struct MIDIClockPort {
  /// The port's name, without the client's.
  static let name = "midi_clock"

  private let output: MIDIOutput
  private var clock: MIDIClock
  /// Whether the clock has taken the cycle: while JACK's time is unknown it takes none.
  private var isTaken = false

  init(_ output: MIDIOutput, _ configuration: MIDIClockConfiguration) {
    self.output = output
    clock = MIDIClock(
      configuration.mode, position: configuration.position, offset: configuration.offset)
  }

  /// Takes a cycle, in the first callback of it.
  @_noLocks
  mutating func take(_ cycle: SongCycle) {
    clock.cycle(cycle)
    isTaken = true
  }

  /// Takes the last cycle: what leaves in it is the song's end, and nothing in those that follow.
  @_noLocks
  mutating func end() {
    clock.end()
    isTaken = true
  }

  /// Writes what leaves the port in this cycle.
  @_noLocks
  mutating func play(_ cycle: CycleContext) {
    // Emptied in each cycle, or it would leave again.
    guard let buffer = cycle.midiBuffer(of: output), isTaken else { return }
    isTaken = false
    while let message = clock.next() {
      if message.count == 1 {
        buffer.write(message.status, at: message.offset)
      } else {
        buffer.write(message.status, message.first, message.second, at: message.offset)
      }
    }
  }
}
