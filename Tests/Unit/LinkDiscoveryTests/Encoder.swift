import PropertyTesting

/// Writes the messages of Link's peers, and shares no code with their reader.
enum Encoder {
  static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  static func entry(_ key: String, _ value: [UInt8]) -> [UInt8] {
    Array(key.utf8) + bytes(UInt32(value.count)) + value
  }

  static func message(
    version: UInt8 = 1, kind: UInt8 = 1, life: UInt8 = 5, group: UInt16 = 0, sender: UInt64 = 7,
    _ entries: [UInt8]
  ) -> [UInt8] {
    Array("_asdp_v".utf8) + [version, kind, life] + bytes(group) + bytes(sender) + entries
  }

  static func timeline(_ microsecondsPerBeat: Int64) -> [UInt8] {
    entry("tmln", bytes(microsecondsPerBeat) + bytes(Int64(-3)) + bytes(Int64(12345)))
  }

  static func session(_ number: UInt64) -> [UInt8] { entry("sess", bytes(number)) }

  static func startStop(_ isPlaying: Bool) -> [UInt8] {
    entry("stst", [isPlaying ? 1 : 0] + bytes(Int64(4)) + bytes(Int64(5)))
  }

  static func endpoint(_ address: [UInt8], _ port: UInt16) -> [UInt8] {
    entry(address.count == 4 ? "mep4" : "mep6", address + bytes(port))
  }

  /// The state of a peer as Link sends it.
  static func alive(
    _ sender: UInt64 = 7, session number: UInt64 = 7, microsecondsPerBeat: Int64 = 500_000,
    isPlaying: Bool = false, life: UInt8 = 5, address: [UInt8] = [10, 0, 0, 2], port: UInt16 = 4000
  ) -> [UInt8] {
    message(
      life: life, sender: sender,
      timeline(microsecondsPerBeat) + session(number) + startStop(isPlaying) + endpoint(address, port))
  }

  static func goodbye(_ sender: UInt64 = 7) -> [UInt8] {
    message(kind: 3, life: 0, sender: sender, [])
  }

  /// The answer to a ping: all that it carried, after the answering peer's own entries.
  static func answer(to ping: [UInt8], session number: UInt64 = 7) -> [UInt8] {
    Array("_link_v".utf8) + [1, 2] + session(number) + entry("__gt", bytes(Int64(99))) + ping.dropFirst(9)
  }
}
