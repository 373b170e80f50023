import Glibc

/// Ableton's own example of a Link program, as Debian packages it: the peer that Link's test plan is written
/// for. It plays its clicks through JACK, at Link's beats as they are heard.
public final class LinkHut: Sendable {
  /// Where its clicks come from.
  public static let port = "LinkHut:out_1"

  private let child: Child

  /// Starts one that takes part in Link, start and stop too.
  ///
  /// - Parameter server: The JACK server that it plays on.
  /// - Throws: ``StageError`` when it does not start.
  public init(on server: JackServer) throws(StageError) {
    child = try Child("LinkHut", [], environment: server.environment, streams: .pipes)
    // It reads keys from when it has printed their list.
    try child.awaitText("its state") { $0.contains("stopped") }
    try press("a")
    try press("s")
  }

  /// Starts or stops the session.
  public func pressPlay() throws(StageError) { try press(" ") }

  /// Makes the session faster by so many beats per minute, or slower.
  public func changeTempo(by steps: Int) throws(StageError) {
    for _ in 0..<steps.magnitude { try press(steps > 0 ? "e" : "w") }
  }

  /// Ends it.
  public func end() { child.terminate() }

  private func press(_ key: String) throws(StageError) {
    try child.write(key)
    // Of keys that come together it reads one.
    usleep(80_000)
  }
}
