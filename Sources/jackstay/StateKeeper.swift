import Dispatch
import Host
import Settings
import Synchronization

/// Writes down what is to outlast the run, some time after it has changed, and at the end; or, of a session of a
/// session manager's, when that says so.
///
/// It has a queue of its own: a disk may take long, and no caller waits for it. Thread-safe.
final class StateKeeper: Sendable {
  /// For how long changes are collected.
  private static let delay = DispatchTimeInterval.seconds(1)

  /// Whether it keeps what a session has.
  var isOfSession: Bool { tellChange != nil }

  private let report: @Sendable (LogLine) -> Void
  /// Told when there is something that the session has not saved, and when there is not any more.
  private let tellChange: (@Sendable (Bool) -> Void)?
  private let queue = DispatchQueue(label: "jackstay.state")
  private let state: Mutex<State>
  /// On the file, which bridges of one name on two servers have in common; `nil` where there is nothing to claim.
  private let claim: FileClaim?

  private struct State {
    var file: StateFile
    var current: SavedState
    var written: SavedState
    var isScheduled = false
    var hasFailed = false
    var isToldAnothers = false
    var isToldChanged = false

    /// Whether that is news for a session's manager; takes it for told.
    mutating func turnsChanged() -> Bool? {
      let isChanged = current.isChosenSince(written)
      guard isChanged != isToldChanged else { return nil }
      isToldChanged = isChanged
      return isChanged
    }
  }

  /// Keeps what was `read` up to date in `file`, and reports what goes wrong.
  init(_ file: StateFile, read: SavedState, report: @escaping @Sendable (LogLine) -> Void) {
    self.report = report
    tellChange = nil
    claim = FileClaim(on: file.path, kind: "state")
    state = Mutex(State(file: file, current: read, written: read))
  }

  /// Keeps what a session has, which was `read`, until it is saved; tells by `tellChange` whether there is
  /// something that is not.
  init(session file: StateFile, read: SavedState, tellChange: @escaping @Sendable (Bool) -> Void) {
    self.report = { _ in }
    self.tellChange = tellChange
    claim = nil
    state = Mutex(State(file: file, current: read, written: read))
  }

  /// Takes note of a change, which is written soon, or when the session is saved.
  func change(_ body: (inout SavedState) -> Void) {
    if let tellChange {
      let news = state.withLock { state in
        body(&state.current)
        return state.turnsChanged()
      }
      if let news { tellChange(news) }
      return
    }
    let isDue = state.withLock { state in
      body(&state.current)
      guard state.current != state.written, !state.isScheduled else { return false }
      state.isScheduled = true
      return true
    }
    if isDue { queue.asyncAfter(deadline: .now() + Self.delay) { self.write() } }
  }

  /// Writes what is not written yet, and waits for that, but no longer than `timeout`.
  func finish(within timeout: DispatchTimeInterval) {
    // A choice that is not saved then is not to be.
    guard !isOfSession else { return }
    let done = DispatchSemaphore(value: 0)
    queue.async {
      self.write()
      self.claim?.release()
      done.signal()
    }
    _ = done.wait(timeout: .now() + timeout)
  }

  /// Writes what a session has.
  func save() throws(SettingsError) {
    let (file, current) = state.withLock { ($0.file, $0.current) }
    try file.write(current.saved)
    let isChanged = state.withLock { state in
      state.written = current.saved
      if state.current == current { state.current = current.saved }
      // A choice made meanwhile is not in it.
      state.isToldChanged = state.current.isChosenSince(state.written)
      return state.isToldChanged
    }
    tellChange?(isChanged)
  }

  /// Keeps what another session has from now on.
  func open(_ file: StateFile, read: SavedState) {
    state.withLock { $0 = State(file: file, current: read, written: read) }
  }

  private func write() {
    let (file, wanted) = state.withLock { state in
      state.isScheduled = false
      return (state.file, state.current == state.written ? nil : state.current)
    }
    guard let wanted, isOurs() else { return }
    do throws(SettingsError) {
      try file.write(wanted)
      state.withLock {
        $0.written = wanted
        $0.hasFailed = false
      }
    } catch {
      let isNew = state.withLock { state in
        defer { state.hasFailed = true }
        return !state.hasFailed
      }
      if isNew { report(.warning("the last choices are not saved: \(error)")) }
    }
  }
}

extension StateKeeper {
  /// Whether no other bridge of this name keeps what it has in the same file: two would overwrite each other's. The
  /// first that has something to write has the file until it ends.
  private func isOurs() -> Bool {
    let isOurs = claim?.take() ?? true
    let isNews = state.withLock { state in
      defer { state.isToldAnothers = !isOurs }
      return !isOurs && !state.isToldAnothers
    }
    if isNews {
      report(
        .warning(
          """
          another bridge\(claim?.holder.map { " (process \($0))" } ?? "") of this name saves its choices, so this one does not. \
          Choose another --name.
          """))
    }
    return isOurs
  }

  /// The keeper of the choices that a bridge of that name remembers, of which `layers` take those that no
  /// other layer makes; `nil` where nothing is to be remembered.
  static func begin(
    _ layers: inout SettingLayers, environment: [String: String],
    report: @escaping @Sendable (LogLine) -> Void
  ) -> StateKeeper? {
    guard layers.settings.keepsState,
      let file = StateFile(name: layers.settings.clientName, environment: environment)
    else { return nil }
    var state = SavedState()
    do throws(StateFile.Fault) {
      if let read = try file.read() { state = read }
    } catch {
      switch error {
      case .foreign:
        report(.warning("the last choices are not saved: \(file.isForeign)"))
        return nil
      case .unreadable(let reason):
        report(
          .warning(
            """
            the last choices are neither read nor saved: \(file.echo): \(reason). Make the file readable, or start with \
            --no-state.
            """))
        return nil
      case .damaged(let reason):
        do throws(SettingsError) {
          let aside = try file.setAside()
          report(
            .warning(
              "the last choices are lost, because \(file.echo) is damaged: \(reason). It was renamed to \(aside)."
            ))
        } catch {
          report(.warning("the last choices are lost: \(error)"))
          return nil
        }
      }
    }
    layers.remember(state, at: file.path)
    return StateKeeper(file, read: state, report: report)
  }
}
