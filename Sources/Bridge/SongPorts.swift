import JACK
import MusicalTime
import Reconciliation

/// The ports that play along with the song. For the real-time thread alone, once JACK calls.
struct SongPorts {
  /// Where the song is.
  private var song = SongPosition()
  private var midiClock: MIDIClockPort?
  private var click: ClickPort?

  /// Those that are wanted of a client that JACK does not call yet.
  ///
  /// - Parameters:
  ///   - client: The client, which gets the ports.
  ///   - configuration: The configuration.
  ///   - missing: Gets an event for each port that the server has not registered.
  /// - Returns: The ports; `nil` when there is none.
  static func add(
    to client: borrowing Client, _ configuration: BridgeConfiguration, missing: inout [BridgeEvent]
  ) -> SongPorts? {
    var ports = SongPorts()
    if configuration.midiClock.mode != .off {
      do throws(JACKError) {
        ports.midiClock = MIDIClockPort(
          try client.addMIDIOutput(MIDIClockPort.name), configuration.midiClock)
      } catch {
        missing.append(.noMIDIClock(error))
      }
    }
    if configuration.click.mode != .off {
      do throws(JACKError) {
        ports.click = ClickPort(
          try client.addAudioOutput(ClickPort.name), configuration.click, rate: client.sampleRate)
      } catch {
        missing.append(.noClick(error))
      }
    }
    return ports.midiClock == nil && ports.click == nil ? nil : ports
  }

  /// Has them play at another rate from this cycle on.
  @_noLocks
  mutating func begin(at rate: SampleRate) { click?.begin(at: rate) }

  private init() {}

  /// Takes note of what JACK clients are going to be shown at `frame`.
  @_noLocks
  mutating func publish(_ entry: TimebaseEntry, forFrame frame: TransportFrame) {
    song.publish(entry, forFrame: frame)
  }

  /// Takes a cycle, in the first callback of it.
  ///
  /// - Parameters:
  ///   - observation: The cycle's observation.
  ///   - leader: The leading side.
  ///   - owner: The position of the timebase owner, if it leads.
  ///   - launch: The start that is waited for.
  ///   - quantum: The span over which the phase is shared.
  ///   - bars: How the bridge counts bars.
  ///   - lead: How much later a frame is heard than the observation allows for.
  @_noLocks
  mutating func take(
    _ observation: Observation, leader: Leader, owner: SongPosition.Owner?, launch: PendingLaunch?,
    quantum: Quantum, bars: BarCount, lead: HostInterval
  ) {
    let cycle = song.cycle(
      observation, leader: leader, owner: owner, launch: launch, quantum: quantum, bars: bars)
    midiClock?.take(cycle)
    click?.take(cycle, lead: lead)
  }

  /// Takes the last cycle: followers of the MIDI clock get its Stop, and nothing begins any more.
  @_noLocks
  mutating func end() { midiClock?.end() }

  /// Writes what leaves the ports in this cycle.
  @_noLocks
  mutating func play(_ cycle: CycleContext) {
    midiClock?.play(cycle)
    click?.play(cycle)
  }
}
