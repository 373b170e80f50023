internal import CJACK
import MusicalTime

// The functions JACK calls. Those of the real-time thread hand over to a `RealtimeTarget`, the others to
// `Notifications`. Nothing is retained: the connection keeps both alive until JACK has closed the client.

// MARK: The real-time thread

@_noLocks
func onProcess(_ frameCount: jack_nframes_t, _ argument: UnsafeMutableRawPointer?) -> Int32 {
  guard let argument else { return 0 }
  Unmanaged<RealtimeTarget>.fromOpaque(argument)._withUnsafeGuaranteedRef { $0.process(frameCount) }
  // Anything else would end JACK's thread.
  return 0
}

@_noLocks
func onSync(
  _ state: jack_transport_state_t, _ position: UnsafeMutablePointer<jack_position_t>?,
  _ argument: UnsafeMutableRawPointer?
) -> Int32 {
  guard let argument, let position else { return 1 }
  let isReady = Unmanaged<RealtimeTarget>.fromOpaque(argument)._withUnsafeGuaranteedRef {
    $0.sync(TransportState(state), PositionReading(UnsafePointer(position)))
  }
  return isReady ? 1 : 0
}

@_noLocks
func onTimebase(
  _ state: jack_transport_state_t, _ frameCount: jack_nframes_t,
  _ position: UnsafeMutablePointer<jack_position_t>?, _ isNewPosition: Int32,
  _ argument: UnsafeMutableRawPointer?
) {
  guard let position else { return }
  let next = TimebasePosition(position)
  // jackd2 stores the callback before its argument: the first cycle of an owner may see none.
  guard let argument else { return next.clear() }
  Unmanaged<RealtimeTarget>.fromOpaque(argument)._withUnsafeGuaranteedRef {
    $0.timebase(frameCount, TransportState(state), next, isNewPosition != 0)
  }
}

// MARK: The notification thread

func onShutdown(
  _ status: jack_status_t, _ reason: UnsafePointer<CChar>?, _ argument: UnsafeMutableRawPointer?
) {
  let reason = reason.map { String(cString: $0) } ?? ""
  notifications(argument)?.serverDidShutDown(reason: reason)
}

func onPlainShutdown(_ argument: UnsafeMutableRawPointer?) {
  notifications(argument)?.serverDidShutDown(reason: "")
}

func onBufferSize(_ frameCount: jack_nframes_t, _ argument: UnsafeMutableRawPointer?) -> Int32 {
  notifications(argument)?.bufferSizeDidChange(to: frameCount)
  return 0
}

func onSampleRate(_ hertz: jack_nframes_t, _ argument: UnsafeMutableRawPointer?) -> Int32 {
  notifications(argument)?.sampleRateDidChange(to: hertz)
  return 0
}

func onXRun(_ argument: UnsafeMutableRawPointer?) -> Int32 {
  notifications(argument)?.deadlineWasMissed()
  return 0
}

func onGraphOrder(_ argument: UnsafeMutableRawPointer?) -> Int32 {
  notifications(argument)?.did(.graphOrderChanged)
  return 0
}

func onPortRegistration(
  _ port: jack_port_id_t, _ isRegistered: Int32, _ argument: UnsafeMutableRawPointer?
) {
  notifications(argument)?.did(.portsChanged)
}

func onClientRegistration(
  _ name: UnsafePointer<CChar>?, _ isRegistered: Int32, _ argument: UnsafeMutableRawPointer?
) {
  guard isRegistered == 0 else { return }
  notifications(argument)?.did(.clientLeft)
}

func onLatency(_ mode: jack_latency_callback_mode_t, _ argument: UnsafeMutableRawPointer?) {
  // Capture latencies come first, by a call of their own; nothing here depends on them.
  guard mode == JackPlaybackLatency else { return }
  notifications(argument)?.did(.latencyChanged)
}

func onPropertyChange(
  _ subject: jack_uuid_t, _ key: UnsafePointer<CChar>?, _ change: jack_property_change_t,
  _ argument: UnsafeMutableRawPointer?
) {
  notifications(argument)?.propertyDidChange()
}

func onFreewheel(_ starting: Int32, _ argument: UnsafeMutableRawPointer?) {
  notifications(argument)?.didFreewheel(starting != 0)
}

private func notifications(_ argument: UnsafeMutableRawPointer?) -> Notifications? {
  argument.map { Unmanaged<Notifications>.fromOpaque($0).takeUnretainedValue() }
}

// MARK: JACK's values, in Swift

extension TransportState {
  @_noLocks
  init(_ state: jack_transport_state_t) {
    switch state.rawValue {
    case JackTransportRolling.rawValue, JackTransportLooping.rawValue: self = .rolling
    case JackTransportStarting.rawValue, JackTransportNetStarting.rawValue: self = .starting
    default: self = .stopped
    }
  }
}

extension PositionReading {
  /// By its place: the whole of it is large, and a cycle has no time for copies.
  @inline(__always) @_noLocks
  init(_ position: UnsafePointer<jack_position_t>) {
    let valid = PositionFields(rawValue: position.pointee.valid.rawValue)
    self.init(
      frame: TransportFrame(position.pointee.frame), frameRate: position.pointee.frame_rate, valid: valid,
      barStartTick: position.pointee.bar_start_tick,
      timebase: TimebaseReading(
        isValid: valid.declares(.barBeatTick), bar: position.pointee.bar, beat: position.pointee.beat,
        tick: position.pointee.tick, beatsPerBar: position.pointee.beats_per_bar,
        beatType: position.pointee.beat_type, ticksPerBeat: position.pointee.ticks_per_beat,
        beatsPerMinute: position.pointee.beats_per_minute,
        tickDouble: valid.declares(.tickDouble) ? position.pointee.tick_double : nil,
        bbtFrameOffset: valid.declares(.bbtFrameOffset) ? position.pointee.bbt_offset : nil))
  }
}

extension jack_position_t {
  /// Sets every field of bar, beat and tick, and declares those alone valid.
  @inline(__always) @_noLocks
  mutating func show(_ bbt: BarBeatTick, beatsPerMinute: Double) {
    bar = bbt.bar
    beat = bbt.beat
    tick = bbt.tick
    bar_start_tick = bbt.barStartTick
    beats_per_bar = Float(bbt.meter.beatsPerBar)
    beat_type = Float(bbt.meter.beatType)
    ticks_per_beat = Double(bbt.ticksPerBeat.count)
    beats_per_minute = beatsPerMinute
    // JackTickDouble or JackBBTFrameOffset here would make jackd2 silently ignore the reposition of any
    // client that changes the frame of what it has read.
    valid = JackPositionBBT
  }
}
