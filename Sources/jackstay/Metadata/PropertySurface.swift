import Bridge
import Control
import JACK
import JSON
import Metadata
import Synchronization

/// Keeps the properties of the bridge's JACK client as the status is, and does what other clients write into them.
final class PropertySurface: Surface {
  private let properties: ClientProperties
  private let wrongs = Atomic<Int>(0)
  /// Whether a property may have changed since they were last read.
  private let hasChanged = Atomic<Bool>(false)

  /// How often the status is looked at.
  private static let interval = Duration.milliseconds(250)
  /// For how long changes are collected: who writes without end is not read without end.
  private static let pause = Duration.milliseconds(20)

  /// The client as programs show it: its name as people have it, and the name of its icon.
  private static let appearance = [
    ("http://jackaudio.org/metadata/pretty-name", "Jackstay"),
    ("http://jackaudio.org/metadata/icon-name", "jackstay"),
  ]

  init(_ properties: ClientProperties) { self.properties = properties }

  /// How often something was written that could not be done.
  var wrongCount: Int { wrongs.load(ordering: .relaxed) }

  /// Has `answer` do what is written, and asks it for the status, until the task is cancelled.
  func run(_ answer: @escaping @Sendable (String) async -> ControlAnswer) async {
    let (calls, call) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let changes = Task { [self] in
      for await _ in properties.changes {
        hasChanged.store(true, ordering: .relaxed)
        call.yield()
        try? await Task.sleep(for: Self.pause)
      }
    }
    let clock = Task { while (try? await Task.sleep(for: Self.interval)) != nil { call.yield() } }
    defer {
      changes.cancel()
      clock.cancel()
    }
    var ledger = PropertyLedger()
    var life: Int?
    /// The life of a server that has no metadata, as PipeWire without a session manager.
    var refusing: Int?
    for await _ in calls {
      let current = properties.life
      if life != current {
        ledger.serverChanged()
        life = current
        if let current, await !show(in: current) { refusing = current }
      }
      guard let current, current != refusing else { continue }
      if hasChanged.exchange(false, ordering: .relaxed) { await look(&ledger, in: current, answer) }
      guard case .status(let status) = await answer("status") else { continue }
      for (property, text) in ledger.due(status, at: .now) {
        guard await properties.set(property.key, Property(value: text, type: property.type), in: current)
        else { break }
        ledger.wrote(text, to: property)
      }
    }
  }

  /// Sets what programs show of the client; false where that cannot be.
  private func show(in life: Int) async -> Bool {
    for (key, value) in Self.appearance {
      guard await properties.set(key, Property(value: value), in: life) else { return false }
    }
    return true
  }

  private func look(
    _ ledger: inout PropertyLedger, in life: Int, _ answer: (String) async -> ControlAnswer
  ) async {
    guard let texts = await properties.values(of: SharedProperty.all.map(\.key), in: life) else { return }
    for finding in ledger.found(texts) {
      switch finding {
      case .wrong: wrongs.wrappingAdd(1, ordering: .relaxed)
      case .command(let line, let subject, let text):
        switch await answer(line) {
        case .taken, .kept: ledger.accepted(subject, text: text, at: .now)
        case .refused, .error, .status, .watching, .help: wrongs.wrappingAdd(1, ordering: .relaxed)
        }
      }
    }
  }
}
