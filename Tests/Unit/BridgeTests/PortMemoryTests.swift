import Testing

@testable import Bridge

/// Connections of the bridge's ports outlast its client.
@Suite struct PortMemoryTests {
  private static let synth = PortMemory.Cable(port: "midi_clock", other: "synth:in")
  private static let speaker = PortMemory.Cable(port: "click", other: "system:playback_1")

  @Test func `Connections are made again for the next client, as soon as the other port is there`() {
    var memory = PortMemory()
    #expect(memory.tries(at: [Self.synth, Self.speaker]) { _ in true } == [])
    memory.clientWasOpened()
    #expect(memory.tries(at: []) { $0 == "system:playback_1" } == [Self.speaker])
    #expect(memory.tries(at: [Self.speaker]) { $0 == "system:playback_1" } == [])
    #expect(memory.tries(at: [Self.speaker]) { _ in true } == [Self.synth])
    #expect(memory.tries(at: [Self.speaker, Self.synth]) { _ in true } == [])
  }

  @Test func `A connection that a user removes is not made again`() {
    var memory = PortMemory()
    _ = memory.tries(at: [Self.synth, Self.speaker]) { _ in true }
    #expect(memory.tries(at: [Self.speaker]) { _ in true } == [])
    memory.clientWasOpened()
    #expect(memory.tries(at: []) { _ in true } == [Self.speaker])
    _ = memory.tries(at: [Self.speaker]) { _ in true }
    // Nor one that was made again.
    #expect(memory.tries(at: []) { _ in true } == [])
  }

  @Test func `A connection of a client that leaves with the server is remembered`() {
    var memory = PortMemory()
    _ = memory.tries(at: [Self.synth]) { _ in true }
    #expect(memory.tries(at: []) { _ in false } == [])
    memory.clientWasOpened()
    #expect(memory.tries(at: []) { _ in false } == [])
    #expect(memory.tries(at: []) { _ in true } == [Self.synth])
  }

  @Test func `A connection that JACK refuses again and again is given up`() {
    var memory = PortMemory()
    _ = memory.tries(at: [Self.synth]) { _ in true }
    memory.clientWasOpened()
    var trials = 0
    while trials < 1000, !memory.tries(at: [], isThere: { _ in true }).isEmpty { trials += 1 }
    #expect((2..<1000).contains(trials))
    #expect(memory.tries(at: []) { _ in true } == [])
  }

  @Test func `While JACK makes some connections, none are tried`() {
    var memory = PortMemory()
    _ = memory.tries(at: [Self.synth]) { _ in true }
    memory.clientWasOpened()
    #expect(memory.look(at: []) { _ in true } == [Self.synth])
    #expect(memory.look(at: []) { _ in true } == [])
    memory.haveBeenTried()
    #expect(memory.look(at: []) { _ in true } == [Self.synth])
  }
}

extension PortMemory {
  /// Those that are due, tried.
  fileprivate mutating func tries(at connected: Set<Cable>, isThere: (String) -> Bool) -> [Cable] {
    defer { haveBeenTried() }
    return look(at: connected, isThere: isThere)
  }
}
