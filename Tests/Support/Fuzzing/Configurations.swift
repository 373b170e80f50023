import ArgumentParser
import PropertyTesting
import Settings

extension FuzzTarget {
  /// A command line without flags, which takes longer to be read than all that is read here.
  private static let noFlags = try? Options.parse([])

  /// Environment variables, one a line.
  static let environment = FuzzTarget(
    name: "environment", longest: 1024,
    generate: { random in
      let settings = Setting.all.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))
      let lines = settings.map { setting in
        let value = random.oneIn(6) ? Vocabulary.value(&random) : setting.example.filter { $0 != "\"" }
        return "\(setting.variable)=\(value)"
      }
      var bytes = Array(lines.joined(separator: "\n").utf8)
      if random.oneIn(3) {
        bytes.mutate(Vocabulary.numbers + Vocabulary.words + ["JACKSTAY_", "="], &random)
      }
      return bytes
    },
    check: { bytes throws(BrokenLaw) in
      var environment = ["XDG_CONFIG_DIRS": "nowhere"]
      for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.first ?? "")
        if name.hasPrefix("JACKSTAY_") { environment[name] = String(parts.count > 1 ? parts[1] : "") }
      }
      guard let options = noFlags else { throw BrokenLaw("no flags are no command line") }
      let layers: SettingLayers
      do throws(SettingsError) {
        layers = try SettingLayers(options, environment: environment)
      } catch {
        try BrokenLaw.check(error: error.description)
        return .refused
      }
      try layers.settings.check()
      return layers.count > 0 ? .accepted : .refused
    })

  /// The file of what outlasts a run.
  static let state = FuzzTarget(
    name: "state", longest: 1024,
    generate: { random in
      var lines: [String] = []
      for key in ["tempo", "offset", "link", "start-stop-sync", "other"].shuffled(using: &random).prefix(
        Int.random(in: 0...5, using: &random))
      {
        let example = Setting.all.first { $0.key == key }?.example ?? "1"
        lines.append("\(key) = \(random.oneIn(8) ? Vocabulary.value(&random) : example)")
      }
      var bytes = Array(lines.joined(separator: "\n").utf8)
      if random.oneIn(2) { bytes.mutate(Vocabulary.keys + Vocabulary.numbers + ["=", "\"", "#"], &random) }
      return bytes
    },
    check: { bytes throws(BrokenLaw) in
      let state: SavedState
      do throws(SettingsError) {
        state = try SavedState(ConfigurationFile(path: "state", contents: bytes))
      } catch {
        try BrokenLaw.check(error: error.description)
        return .refused
      }
      let again = try? SavedState(ConfigurationFile(path: "state", contents: Array(state.text.utf8)))
      try require(again == state, "what was read is not what is written: \(state.text)")
      return .accepted
    })
}
