extension Settings {
  /// Sets what `file` sets. The first fault of the file, in the order of its text, is thrown.
  public mutating func apply(_ file: ConfigurationFile) throws(SettingsError) {
    var keys: Set<String> = []
    for (index, text) in file.lines.enumerated() {
      do throws(FileLine.Fault) {
        var line = FileLine(text)
        guard let entry = try line.entry() else { continue }
        try apply(entry)
        guard keys.insert(entry.key).inserted else {
          throw entry.fault("\(entry.key) is set more than once; keep one line")
        }
      } catch {
        throw SettingsError("\(file.path.echoedAsPath):\(index + 1):\(error.column): \(error.reason)")
      }
    }
  }

  private mutating func apply(_ entry: FileLine.Entry) throws(FileLine.Fault) {
    guard let setting = Setting.all.first(where: { $0.key == entry.key }) else {
      throw entry.fault(Setting.unknown(key: entry.key))
    }
    guard setting.assign(entry.value, &self) else {
      throw entry.fault(
        "\(entry.key) = \(entry.written.echoed()): expected \(setting.expectation), "
          + "for example \(setting.fileExample)")
    }
  }
}

extension FileLine.Entry {
  fileprivate func fault(_ reason: String) -> FileLine.Fault {
    FileLine.Fault(column: column, reason: reason)
  }
}

extension Setting {
  fileprivate static func unknown(key: String) -> String {
    let keys = all.map(\.key)
    let advice =
      key.nearest(of: keys).map { "did you mean \"\($0)\"?" }
      ?? "the options are \(keys.joined(separator: ", "))"
    return "unknown option \"\(key.echoed())\"; \(advice)"
  }
}
