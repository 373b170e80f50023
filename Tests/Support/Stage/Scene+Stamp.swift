extension Scene {
  /// Has a peer stamp a start with a quantum's own time, some time ahead, while JACK is stopped at frame 0,
  /// and has the roll judged.
  ///
  /// - Parameter tell: Takes the entry into the account.
  /// - Returns: The report on the first rolling cycle; nil when it could not be judged.
  /// - Throws: ``StageError`` when JACK does not roll.
  public func stampedStart(telling tell: (Judged) -> Void = { $0.tell() }) throws -> ProbeReport? {
    try probe.judge(
      "a stamped start", for: .seconds(8), telling: tell,
      preparing: {
        try rest()
        try probe.send("locate 0")
        try probe.send("wait 0.2")
      },
      { try probe.launch(by: "playonquantum 1.2") })
  }

  /// Whether a start rolls when it is stamped to, and not a quantum later.
  public func isOnItsStamp(_ launch: ProbeReport) -> Bool {
    // From the cycle at output to the stamp.
    abs(launch["play_time_us"] ?? .infinity) < 1.5 * periodLength
  }
}
