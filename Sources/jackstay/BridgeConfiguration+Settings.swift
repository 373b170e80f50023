import Bridge
import Settings

extension BridgeConfiguration {
  /// The part of the settings that concerns the bridge.
  init(_ settings: Settings) {
    self.init()
    clientName = settings.clientName
    server = settings.server
    waitsForServer = settings.waitForServer
    tempo = settings.tempo
    isLinkEnabled = settings.isLinkEnabled
    latency = settings.latency
    offset = settings.offset
    compensatingClients = settings.compensatingClients
    midiClock = MIDIClockConfiguration(
      mode: settings.midiClock, position: settings.midiClockPosition, offset: settings.midiClockOffset)
    click = ClickConfiguration(mode: settings.click, level: settings.clickLevel)
    reconciler = .init(
      quantum: settings.quantum, meter: settings.meter, ticksPerBeat: settings.ticksPerBeat,
      startStopSync: settings.startStopSync, launch: settings.launch,
      frameAlignment: settings.frameAlignment,
      relocation: settings.relocation, discipline: settings.discipline,
      disciplineThreshold: settings.disciplineThreshold.interval, mode: settings.mode,
      takeover: settings.takeover)
  }
}
