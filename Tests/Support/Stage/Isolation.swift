import CStage

/// The separation of this process, and of all its children, from the machine's network.
///
/// Before `main` runs, a process that links this library moves into a network namespace of its own, where
/// only `lo` exists, with a `/dev/shm` of its own: no Link session and no JACK server from outside is there,
/// and nothing done here is seen, or left behind, outside.
public enum Isolation {
  /// How the separation went.
  public enum Status: Sendable, Equatable {
    /// The process sees only itself and its children.
    case isolated
    /// A step was refused, for the reason in the error number.
    case failed(step: String, errorNumber: Int32)
  }

  /// How the separation of this process went.
  public static var status: Status {
    let error = stage_isolation_error()
    guard error != 0 else { return .isolated }
    return .failed(step: String(cString: stage_isolation_step()), errorNumber: error)
  }

  /// Throws one line with the remedy unless the process is isolated.
  public static func require() throws(StageError) {
    guard case .failed(let step, let number) = status else { return }
    throw .notIsolated(step: step, errorNumber: number)
  }
}
