import JACK
import MusicalTime
import Stage
import Synchronization
import Testing

/// Sends a ramp and a message in each cycle, and compares what comes with what a cycle has sent.
private final class Echo: RealtimeHandler, @unchecked Sendable {
  let audioCycles = Atomic<Int>(0)
  let silentCycles = Atomic<Int>(0)
  let messages = Atomic<Int>(0)
  let wrongMessages = Atomic<Int>(0)
  private let audioOutput: AudioOutput
  private let audioInput: AudioInput
  private let midiOutput: MIDIOutput
  private let midiInput: MIDIInput

  init(_ client: borrowing Client) throws(JACKError) {
    audioOutput = try client.addAudioOutput("audio_out")
    audioInput = try client.addAudioInput("audio_in")
    midiOutput = try client.addMIDIOutput("midi_out")
    midiInput = try client.addMIDIInput("midi_in")
  }

  @_noLocks
  override func process(_ cycle: CycleContext) {
    if let heard = cycle.audioBuffer(of: audioInput) {
      var ramps = 0
      var zeros = 0
      var index = 0
      while index < heard.count {
        if heard[index] == Float(index) / 1024 { ramps &+= 1 }
        if heard[index] == 0 { zeros &+= 1 }
        index &+= 1
      }
      if ramps == heard.count { audioCycles.wrappingAdd(1, ordering: .relaxed) }
      if zeros == heard.count { silentCycles.wrappingAdd(1, ordering: .relaxed) }
    }
    if let samples = cycle.audioBuffer(of: audioOutput) {
      var index = 0
      while index < samples.count {
        samples[index] = Float(index) / 1024
        index &+= 1
      }
    }
    if let messages = cycle.midiMessages(of: midiInput) {
      var index = 0
      while index < messages.count {
        if let (offset, bytes) = messages[index], offset == 17, bytes.count == 3, bytes[0] == 0x90,
          bytes[1] == 60, bytes[2] == 100
        {
          self.messages.wrappingAdd(1, ordering: .relaxed)
        } else {
          wrongMessages.wrappingAdd(1, ordering: .relaxed)
        }
        index &+= 1
      }
      if case .some = messages[messages.count] { wrongMessages.wrappingAdd(1, ordering: .relaxed) }
    }
    if let buffer = cycle.midiBuffer(of: midiOutput) { buffer.write(0x90, 60, 100, at: 17) }
  }
}

extension JACKSuite {
  @Suite struct Ports {
    init() { quiet }

    @Test(
      "Audio and MIDI come to inputs that are connected, and silence to those that are not", .onEveryServer)
    func inputs() async throws {
      let server = try JackServer.started()
      let opened = try Client.open(name: "echo", server: server.name)
      let echo = try Echo(opened)
      let client = try opened.activate(echo)
      #expect(try await eventually { echo.silentCycles.load(ordering: .relaxed) > 20 })
      #expect(echo.audioCycles.load(ordering: .relaxed) == 0 && echo.messages.load(ordering: .relaxed) == 0)

      #expect(client.connect("audio_in", from: "\(client.name):audio_out"))
      #expect(client.connect("audio_in", from: "\(client.name):audio_out"), "connected before")
      #expect(client.connect("midi_out", to: "\(client.name):midi_in"))
      #expect(try await eventually { echo.audioCycles.load(ordering: .relaxed) > 20 })
      #expect(try await eventually { echo.messages.load(ordering: .relaxed) > 20 })
      #expect(echo.wrongMessages.load(ordering: .relaxed) == 0)
      #expect(client.connections(of: "audio_in") == ["\(client.name):audio_out"])

      #expect(client.disconnect("audio_in", from: "\(client.name):audio_out"))
      #expect(client.disconnect("audio_in", from: "\(client.name):audio_out"), "apart before")
      #expect(client.disconnect("midi_out", from: "\(client.name):midi_in"))
      #expect(!client.disconnect("none", from: "\(client.name):midi_in"))
      #expect(!client.connect("audio_in", from: "nobody:out") && !client.connect("none", from: "nobody:out"))
      let silent = echo.silentCycles.load(ordering: .relaxed)
      #expect(try await eventually { echo.silentCycles.load(ordering: .relaxed) > silent + 20 })
      #expect(client.connections(of: "audio_in").isEmpty)
      client.close()
      #expect(!client.connect("audio_in", from: "echo:audio_out"))
      #expect(!client.disconnect("audio_in", from: "echo:audio_out"))
    }

    @Test("The ports of a server are listed by what they carry, which way, and whose they are")
    func list() async throws {
      let server = try JackServer.started()
      let opened = try Client.open(name: "lister", server: server.name)
      let echo = try Echo(opened)
      let client = try opened.activate(echo)
      let other = try Client.open(name: "other", server: server.name)
      _ = try other.addAudioInput("in")
      let active = try other.activate(RealtimeHandler())
      let ports = client.ports()
      func port(_ name: String) -> PortDescription? { ports.first { $0.name == name } }
      #expect(ports.count == client.ports(carrying: .audio).count + client.ports(carrying: .midi).count)
      for (name, content, direction) in [
        ("audio_out", PortDescription.Content.audio, PortDescription.Direction.output),
        ("audio_in", .audio, .input), ("midi_out", .midi, .output), ("midi_in", .midi, .input),
      ] {
        let port = try #require(port("lister:\(name)"))
        #expect(port.content == content && port.direction == direction && port.isOwn && !port.isPhysical)
      }
      #expect(try !#require(port("other:in")).isOwn)
      let microphone = try #require(port("system:capture_1"))
      #expect(microphone.direction == .output && microphone.isPhysical && !microphone.isOwn)
      #expect(try #require(port("system:playback_1")).direction == .input)
      #expect(client.captureLatency(of: "system:capture_1") != nil)
      #expect(client.captureLatency(of: "nobody:out") == nil && client.captureLatency(of: "") == nil)
      active.close()
      client.close()
      #expect(client.ports().isEmpty && client.captureLatency(of: "system:capture_1") == nil)
    }
  }
}
