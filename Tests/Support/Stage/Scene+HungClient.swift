import Glibc

extension Scene {
  /// Does something while a JACK client hangs, and with it all requests to the server, for some ten seconds
  /// each time: another client owns the timebase, so the bridge asks for that again and again.
  ///
  /// - Parameters:
  ///   - bpm: The owner's tempo.
  ///   - prepare: The preparation, with the owner in the lead.
  ///   - body: The actions while it hangs.
  /// - Throws: The errors of the two, and ``StageError`` when the bridge does not follow the owner.
  public func withHungClient(
    ownerAt bpm: Double, preparing prepare: () throws -> Void = {}, _ body: () throws -> Void
  ) throws {
    let owner = try startDAW()
    let hung = try startDAW(named: "hung")
    try lead(owner, bpm: bpm)
    try prepare()
    hung.child.signal(SIGSTOP)
    defer { hung.child.signal(SIGCONT) }
    // While another client owns the timebase, the server is asked for it four times a second.
    usleep(1_500_000)
    try withExtendedLifetime(owner) { try body() }
  }
}
