internal import CJACK
import Glibc
import MusicalTime

/// Every call into libjack, and nothing else: the rest of the module speaks Swift.
///
/// A function marked `@_noLocks` may be called on the real-time thread.
enum LibJACK {
  // MARK: The library

  static var version: String { String(cString: jack_get_version_string()) }

  static var isPipeWire: Bool { version.contains("PipeWire") }

  /// Whether libjack may be asked for the server called `server`: jackd2's library only where one listens, see
  /// ``ServerSocket``. jackd1 keeps its sockets elsewhere.
  static func mayBeAsked(for server: String) -> Bool {
    isPipeWire || version.hasPrefix("0.") || ServerSocket(of: server).isListening
  }

  /// The longest name in bytes. `jack_client_name_size` counts the terminating zero, and in jackd2 1.9.21 one
  /// byte more than its server accepts.
  static var longestName: Int { min(Int(jack_client_name_size()) - 1, 63) }

  static func routeLog(
    errors: (@convention(c) (UnsafePointer<CChar>?) -> Void)?,
    messages: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
  ) {
    jack_set_error_function(errors)
    jack_set_info_function(messages)
  }

  // MARK: Opening and closing

  static func open(
    name: String, server: String?, options: Client.Options
  ) -> (client: OpaquePointer?, status: OpenStatus) {
    if !isPipeWire { jackstay_prepare_threads() }
    var status: UInt32 = 0
    let client: OpaquePointer?
    if let server {
      client = jackstay_client_open(name, options.rawValue, server, &status)
    } else {
      client = jackstay_client_open(name, options.rawValue, nil, &status)
    }
    return (client, OpenStatus(rawValue: status))
  }

  static func close(_ client: OpaquePointer) { _ = jack_client_close(client) }

  /// The kernel's number of the calling thread.
  static var currentThread: pid_t { jackstay_current_thread() }

  static func activate(_ client: OpaquePointer) -> Int32 { jack_activate(client) }

  /// Names the real-time thread, which otherwise has the name of the thread that activated the client: the
  /// client's name, as much of it as the kernel keeps, and "-rt". Tools such as `top` show it.
  static func nameThread(of client: OpaquePointer) {
    let suffix = "-rt"
    var name = self.name(of: client)
    // The kernel keeps 15 bytes.
    while name.utf8.count + suffix.utf8.count > 15 { name.removeLast() }
    jackstay_name_thread(client, name + suffix)
  }

  /// The priority of the thread that runs the callbacks; `nil` where the server does not run in real time.
  static func realTimePriority(of client: OpaquePointer) -> Int32? {
    let priority = jack_client_real_time_priority(client)
    return priority > 0 ? priority : nil
  }

  static func name(of client: OpaquePointer) -> String {
    guard let name = jack_get_client_name(client) else { return "" }
    return String(cString: name)
  }

  @_noLocks
  static func sampleRate(of client: OpaquePointer) -> UInt32 { jack_get_sample_rate(client) }

  @_noLocks
  static func bufferSize(of client: OpaquePointer) -> UInt32 { jack_get_buffer_size(client) }

  // MARK: Registering callbacks

  /// Only while the client is inactive: JACK refuses it afterwards.
  static func registerNotifications(
    _ client: OpaquePointer, _ notifications: Notifications
  ) throws(JACKError) {
    let argument = Unmanaged.passUnretained(notifications).toOpaque()
    // jackd2 calls the one that takes a reason, PipeWire 0.3.65 the other one only.
    jack_on_info_shutdown(client, onShutdown, argument)
    jack_on_shutdown(client, onPlainShutdown, argument)
    try check("jack_set_buffer_size_callback", jack_set_buffer_size_callback(client, onBufferSize, argument))
    try check("jack_set_sample_rate_callback", jack_set_sample_rate_callback(client, onSampleRate, argument))
    try check("jack_set_xrun_callback", jack_set_xrun_callback(client, onXRun, argument))
    try check("jack_set_graph_order_callback", jack_set_graph_order_callback(client, onGraphOrder, argument))
    try check(
      "jack_set_port_registration_callback",
      jack_set_port_registration_callback(client, onPortRegistration, argument))
    try check(
      "jack_set_client_registration_callback",
      jack_set_client_registration_callback(client, onClientRegistration, argument))
    try check("jack_set_latency_callback", jack_set_latency_callback(client, onLatency, argument))
    try check("jack_set_freewheel_callback", jack_set_freewheel_callback(client, onFreewheel, argument))
    // A server without metadata refuses it, and does all else.
    _ = jack_set_property_change_callback(client, onPropertyChange, argument)
  }

  static func registerProcess(_ client: OpaquePointer, _ target: RealtimeTarget) throws(JACKError) {
    let argument = Unmanaged.passUnretained(target).toOpaque()
    try check("jack_set_process_callback", jack_set_process_callback(client, onProcess, argument))
  }

  static func setSync(_ client: OpaquePointer, _ target: RealtimeTarget, _ on: Bool) -> Int32 {
    // The argument stays when the callback goes: jackd2 stores the two one after the other, while the
    // real-time thread may be about to use both.
    let argument = Unmanaged.passUnretained(target).toOpaque()
    return jack_set_sync_callback(client, on ? onSync : nil, argument)
  }

  // MARK: Ports

  static func registerMIDIOutput(_ client: OpaquePointer, _ name: String) throws(JACKError) -> OpaquePointer {
    try register(client, name, JACK_DEFAULT_MIDI_TYPE, JackPortIsOutput)
  }

  /// The port's buffer for a cycle of this length, emptied.
  @_noLocks
  static func emptyMIDIBuffer(of port: OpaquePointer, frameCount: UInt32) -> UnsafeMutableRawPointer? {
    guard let buffer = jack_port_get_buffer(port, frameCount) else { return nil }
    jack_midi_clear_buffer(buffer)
    return buffer
  }

  /// Room for an event in a buffer; `nil` where there is none.
  @_noLocks
  static func reserveMIDIEvent(
    _ buffer: UnsafeMutableRawPointer, at offset: UInt32, count: Int
  ) -> UnsafeMutablePointer<UInt8>? {
    jack_midi_event_reserve(buffer, offset, count)
  }

  static func registerAudioOutput(_ client: OpaquePointer, _ name: String) throws(JACKError) -> OpaquePointer
  {
    try register(client, name, JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, JackPortIsTerminal)
  }

  static func registerAudioInput(_ client: OpaquePointer, _ name: String) throws(JACKError) -> OpaquePointer {
    try register(client, name, JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, JackPortIsTerminal)
  }

  static func registerMIDIInput(_ client: OpaquePointer, _ name: String) throws(JACKError) -> OpaquePointer {
    try register(client, name, JACK_DEFAULT_MIDI_TYPE, JackPortIsInput)
  }

  /// The messages that have come to a port in the cycle of this length.
  @_noLocks
  static func midiBuffer(of port: OpaquePointer, frameCount: UInt32) -> UnsafeMutableRawPointer? {
    jack_port_get_buffer(port, frameCount)
  }

  @_noLocks
  static func midiEventCount(_ buffer: UnsafeMutableRawPointer) -> UInt32 {
    jack_midi_get_event_count(buffer)
  }

  /// A message that has come, and its frame; `nil` for one that is not there.
  @_noLocks
  static func midiEvent(
    _ buffer: UnsafeMutableRawPointer, at index: UInt32
  ) -> (offset: UInt32, bytes: UnsafeRawBufferPointer)? {
    var event = jack_midi_event_t()
    guard jack_midi_event_get(&event, buffer, index) == 0 else { return nil }
    return (event.time, UnsafeRawBufferPointer(start: event.buffer, count: Int(event.size)))
  }

  private static func register(
    _ client: OpaquePointer, _ name: String, _ type: String, _ flags: JackPortFlags...
  ) throws(JACKError) -> OpaquePointer {
    if let port = jack_port_register(client, name, type, all(flags), 0) { return port }
    // JACK gives no reason.
    let full = "\(self.name(of: client)):\(name)"
    throw jack_port_by_name(client, full) == nil ? .noPort(name) : .portTaken(full)
  }

  private static func all(_ flags: [JackPortFlags]) -> UInt { flags.reduce(0) { $0 | UInt($1.rawValue) } }

  /// The samples of a port in the cycle of which this is the length.
  @_noLocks
  static func audioBuffer(of port: OpaquePointer, frameCount: UInt32) -> UnsafeMutablePointer<Float>? {
    jack_port_get_buffer(port, frameCount)?.assumingMemoryBound(to: Float.self)
  }

  // MARK: Timebase

  static func setTimebase(_ client: OpaquePointer, _ target: RealtimeTarget, conditionally: Bool) -> Int32 {
    let argument = Unmanaged.passUnretained(target).toOpaque()
    return jack_set_timebase_callback(client, conditionally ? 1 : 0, onTimebase, argument)
  }

  static func releaseTimebase(_ client: OpaquePointer) -> Int32 { jack_release_timebase(client) }

  // MARK: Time

  @_noLocks
  static func now() -> HostTime<JACKClock> {
    HostTime(microseconds: Int64(truncatingIfNeeded: jack_get_time()))
  }

  @_noLocks
  static func cycleTimes(of client: OpaquePointer) -> CycleTimes? {
    var frame: jack_nframes_t = 0
    var start: jack_time_t = 0
    var next: jack_time_t = 0
    var period: Float = 0
    guard jack_get_cycle_times(client, &frame, &start, &next, &period) == 0 else { return nil }
    return CycleTimes(
      frame: ServerFrame(frame),
      start: HostTime(microseconds: Int64(truncatingIfNeeded: start)),
      next: HostTime(microseconds: Int64(truncatingIfNeeded: next)))
  }

  /// How far the server has counted; `nil` where the library shows that to active clients only.
  static func pace(of client: OpaquePointer) -> ServerPace? {
    guard !isPipeWire else { return nil }
    return ServerPace(
      frame: ServerFrame(jack_last_frame_time(client)), time: now(),
      isRealtime: jack_is_realtime(client) > 0)
  }

  // MARK: Transport

  @inline(__always) @_noLocks
  static func transport(of client: OpaquePointer) -> TransportReading {
    var position = jack_position_t()
    let state = TransportState(jack_transport_query(client, &position))
    return TransportReading(state: state, position: PositionReading(&position))
  }

  @_noLocks
  static func motion(of client: OpaquePointer) -> (state: TransportState, frame: TransportFrame) {
    var position = jack_position_t()
    let state = TransportState(jack_transport_query(client, &position))
    return (state, TransportFrame(position.frame))
  }

  @_noLocks
  static func startTransport(_ client: OpaquePointer) { jack_transport_start(client) }

  @_noLocks
  static func stopTransport(_ client: OpaquePointer) { jack_transport_stop(client) }

  @_noLocks
  static func locateTransport(_ client: OpaquePointer, to frame: TransportFrame) -> Bool {
    jack_transport_locate(client, frame.number) == 0
  }

  @_noLocks
  static func repositionTransport(_ client: OpaquePointer, to frame: TransportFrame) -> Bool {
    var position = jack_position_t()
    _ = jack_transport_query(client, &position)
    position.frame = frame.number
    // jackd2 silently ignores a position that declares more: an owner's fractions of ticks, for example.
    position.valid = jack_position_bits_t(rawValue: position.valid.rawValue & JackPositionBBT.rawValue)
    return jack_transport_reposition(client, &position) == 0
  }

  static func repositionTransport(
    _ client: OpaquePointer, to frame: TransportFrame, showing bbt: BarBeatTick, beatsPerMinute: Double
  ) -> Bool {
    var position = jack_position_t()
    _ = jack_transport_query(client, &position)
    position.frame = frame.number
    position.show(bbt, beatsPerMinute: beatsPerMinute)
    return jack_transport_reposition(client, &position) == 0
  }

  static func setSyncTimeout(_ client: OpaquePointer, microseconds: UInt64) -> Int32 {
    jack_set_sync_timeout(client, microseconds)
  }

  // MARK: Latency

  /// The full names of the ports whose sound leaves the machine.
  static func physicalOutputs(_ client: OpaquePointer) -> [String] {
    audioPorts(client, JackPortIsPhysical, JackPortIsInput)
  }

  static func largestPlaybackLatency(_ client: OpaquePointer) -> UInt32? {
    var largest: UInt32?
    for name in physicalOutputs(client) {
      // A port may have gone since its name was read.
      guard let latency = playbackLatency(client, of: name) else { continue }
      largest = max(largest ?? 0, latency)
    }
    return largest
  }

  static func playbackLatency(_ client: OpaquePointer, of name: String) -> UInt32? {
    latency(client, of: name, JackPlaybackLatency)
  }

  static func captureLatency(_ client: OpaquePointer, of name: String) -> UInt32? {
    latency(client, of: name, JackCaptureLatency)
  }

  private static func latency(
    _ client: OpaquePointer, of name: String, _ mode: jack_latency_callback_mode_t
  ) -> UInt32? {
    // A port that is not in use has no name, and is found by that.
    guard !name.isEmpty, let port = jack_port_by_name(client, name) else { return nil }
    var range = jack_latency_range_t()
    jack_port_get_latency_range(port, mode, &range)
    return range.max
  }

  /// The full names of other clients' ports that are connected to physical outputs; where none is, of all
  /// their audio outputs that are not physical themselves.
  static func heardPorts(_ client: OpaquePointer) -> [String] {
    let connected = physicalOutputs(client).flatMap { name in
      // A port may have gone since its name was read.
      jack_port_by_name(client, name).map { names(jack_port_get_all_connections(client, $0)) } ?? []
    }.filter { !isOwn($0, client) }
    guard connected.isEmpty else { return connected }
    let physical = Set(audioPorts(client, JackPortIsPhysical, JackPortIsOutput))
    return audioPorts(client, JackPortIsOutput).filter { !physical.contains($0) && !isOwn($0, client) }
  }

  /// The full names of all ports.
  static func ports(_ client: OpaquePointer) -> [String] { names(jack_get_ports(client, nil, nil, 0)) }

  // MARK: Connections

  static func connections(_ client: OpaquePointer, of name: String) -> [String] {
    jack_port_by_name(client, name).map { names(jack_port_get_all_connections(client, $0)) } ?? []
  }

  static func hasPort(_ client: OpaquePointer, _ name: String) -> Bool {
    jack_port_by_name(client, name) != nil
  }

  /// Whether the two are connected afterwards.
  static func connect(_ client: OpaquePointer, _ output: String, to input: String) -> Bool {
    var code: Int32 = 0
    JACKLog.whileSilent { code = jack_connect(client, output, input) }
    return code == 0 || code == EEXIST
  }

  /// Whether the two are not connected afterwards.
  static func disconnect(_ client: OpaquePointer, _ output: String, from input: String) -> Bool {
    var code: Int32 = 0
    JACKLog.whileSilent { code = jack_disconnect(client, output, input) }
    return code == 0 || !connections(client, of: output).contains(input)
  }

  /// Whether a port takes in; `nil` when there is none of that full name.
  static func isInput(_ client: OpaquePointer, _ name: String) -> Bool? {
    jack_port_by_name(client, name).map { has(JackPortIsInput, jack_port_flags($0)) }
  }

  private static func has(_ flag: JackPortFlags, _ flags: Int32) -> Bool {
    UInt32(bitPattern: flags) & flag.rawValue != 0
  }

  /// The ports of a type that JACK itself has, or of all.
  static func ports(_ client: OpaquePointer, _ type: PortDescription.Content?) -> [PortDescription] {
    let types: [PortDescription.Content] = type.map { [$0] } ?? [.audio, .midi]
    return types.flatMap { type -> [PortDescription] in
      let word = type == .audio ? JACK_DEFAULT_AUDIO_TYPE : JACK_DEFAULT_MIDI_TYPE
      return names(jack_get_ports(client, nil, word, 0)).compactMap { name -> PortDescription? in
        // A port may have gone since its name was read.
        guard let port = jack_port_by_name(client, name) else { return nil }
        let flags = jack_port_flags(port)
        return PortDescription(
          name: name, content: type, direction: has(JackPortIsInput, flags) ? .input : .output,
          isPhysical: has(JackPortIsPhysical, flags), isOwn: jack_port_is_mine(client, port) != 0)
      }
    }
  }

  private static func isOwn(_ name: String, _ client: OpaquePointer) -> Bool {
    jack_port_by_name(client, name).map { jack_port_is_mine(client, $0) != 0 } ?? false
  }

  /// The full names of the audio ports with all of the flags.
  private static func audioPorts(_ client: OpaquePointer, _ flags: JackPortFlags...) -> [String] {
    names(jack_get_ports(client, nil, JACK_DEFAULT_AUDIO_TYPE, all(flags)))
  }

  private static func names(_ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?) -> [String] {
    guard let list else { return [] }
    defer { jack_free(list) }
    var names: [String] = []
    var next = list
    while let name = next.pointee {
      names.append(String(cString: name))
      next += 1
    }
    return names
  }

  // MARK: Metadata

  static func uuid(of client: OpaquePointer) throws(JACKError) -> UInt64 {
    var uuid: jack_uuid_t = 0
    guard let name = jack_get_client_name(client), let text = jack_get_uuid_for_client_name(client, name)
    else { throw .callFailed(function: "jack_get_uuid_for_client_name", code: -1) }
    defer { jack_free(text) }
    try check("jack_uuid_parse", jack_uuid_parse(text, &uuid))
    return uuid
  }

  static func setProperty(
    _ client: OpaquePointer, of subject: UInt64, key: String, value: String, type: String?
  ) -> Int32 {
    guard let type else { return jack_set_property(client, subject, key, value, nil) }
    return jack_set_property(client, subject, key, value, type)
  }

  static func property(of subject: UInt64, key: String) -> Property? {
    var value: UnsafeMutablePointer<CChar>?
    var type: UnsafeMutablePointer<CChar>?
    guard jack_get_property(subject, key, &value, &type) == 0, let value else { return nil }
    defer {
      jack_free(value)
      jack_free(type)
    }
    return Property(value: String(cString: value), type: type.map { String(cString: $0) })
  }

  static func removeProperty(_ client: OpaquePointer, of subject: UInt64, key: String) -> Int32 {
    jack_remove_property(client, subject, key)
  }

  private static func check(_ function: String, _ code: Int32) throws(JACKError) {
    guard code == 0 else { throw .callFailed(function: function, code: code) }
  }
}
