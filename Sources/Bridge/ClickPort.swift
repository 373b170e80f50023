import JACK
import MusicalTime
import Reconciliation

/// The click of a cycle, and the port that it leaves from. For the real-time thread alone.
struct ClickPort {
  /// The port's name, without the client's.
  static let name = "click"

  private let output: AudioOutput
  private var click: Click

  init(_ output: AudioOutput, _ configuration: ClickConfiguration, rate: SampleRate) {
    self.output = output
    click = Click(configuration.level, at: rate)
  }

  /// Has it sound at another rate from this cycle on.
  @_noLocks
  mutating func begin(at rate: SampleRate) { click.begin(at: rate) }

  /// Takes a cycle, in the first callback of it.
  @_noLocks
  mutating func take(_ cycle: SongCycle, lead: HostInterval) { click.cycle(cycle, lead: lead) }

  /// Writes the samples of this cycle. In one that was not taken, while JACK's time is unknown, only clicks
  /// that have begun sound on.
  @_noLocks
  mutating func play(_ cycle: CycleContext) {
    guard let buffer = cycle.audioBuffer(of: output) else { return }
    click.render(into: buffer)
  }
}
