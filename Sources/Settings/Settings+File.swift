import TOMLKit

extension Settings {
  /// Sets what `file` sets. The first fault of the file, in the order of its text, is thrown.
  public mutating func apply(_ file: ConfigurationFile) throws(SettingsError) {
    let outline = TOMLOutline(file.text)
    let table = try file.parsed(outline)
    for statement in outline.statements {
      guard let setting = Setting.all.first(where: { $0.key == statement.key }) else {
        throw file.fault(at: statement.position, Setting.unknown(key: statement.key))
      }
      let value = table[statement.key].map(SettingValue.init(_:)) ?? .compound
      guard setting.assign(value, &self) else {
        throw file.fault(at: statement.position, setting.fault(in: statement))
      }
    }
    if let stop = outline.stop {
      throw file.fault(stop)
    }
  }
}

extension ConfigurationFile {
  fileprivate func fault(at position: TextPosition, _ reason: String) -> SettingsError {
    SettingsError("\(path.echoedAsPath):\(position): \(reason)")
  }

  fileprivate func fault(_ stop: TOMLOutline.Stop) -> SettingsError {
    switch stop {
    case .tooDeep(let position):
      fault(at: position, "nested too deeply; \(Self.advice)")
    case .escapedNUL(let position):
      fault(at: position, "a NUL character cannot be part of a text; remove it")
    case .malformed(let position, let expected):
      fault(at: position, "not valid TOML: expected \(expected); \(Self.advice)")
    }
  }

  /// The values of the statements in the outline.
  fileprivate func parsed(_ outline: TOMLOutline) throws(SettingsError) -> TOMLTable {
    do {
      return try TOMLTable(string: outline.soundText)
    } catch let error as TOMLParseError {
      let line = error.source.begin.line
      if let repeated = outline.repetition(endingAt: line) {
        throw fault(at: repeated.position, "\(repeated.key.echoed()) is set more than once; keep one line")
      }
      throw fault(
        at: TextPosition(line: line, column: error.source.begin.column),
        "not valid TOML: \(error.reason); \(Self.advice)")
    } catch {
      throw SettingsError("\(path.echoedAsPath): not valid TOML: \("\(error)".echoed(limit: 160))")
    }
  }

  private static let advice = "write lines such as \(Setting.all.first?.fileExample ?? "")"
}

extension TOMLOutline {
  /// The statement that sets a key again and begins as the last one up to `line`.
  ///
  /// The parser's position for a repeated key is the end of its value.
  fileprivate func repetition(endingAt line: Int) -> Statement? {
    let before = statements.prefix { $0.position.line <= line }
    guard let last = before.last, !last.isTable else { return nil }
    return before.dropLast().contains { $0.key == last.key && !$0.isTable } ? last : nil
  }
}

extension TOMLParseError {
  /// The parser's words, without the part that every error begins with.
  fileprivate var reason: String {
    let prefix = "Error while parsing "
    let words = description.hasPrefix(prefix) ? String(description.dropFirst(prefix.count)) : description
    return words.echoed(limit: 160)
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

  fileprivate func fault(in statement: TOMLOutline.Statement) -> String {
    let written = statement.isTable ? key : "\(key) = \((statement.value ?? "").echoed())"
    return "\(written): expected \(expectation), for example \(fileExample)"
  }
}

extension SettingValue {
  fileprivate init(_ value: any TOMLValueConvertible) {
    switch value.type {
    case .int: self = value.int.map(SettingValue.integer) ?? .compound
    case .double: self = value.double.map(SettingValue.float) ?? .compound
    case .string: self = value.string.map(SettingValue.string) ?? .compound
    case .bool: self = value.bool.map(SettingValue.boolean) ?? .compound
    case .table, .array, .date, .time, .dateTime: self = .compound
    }
  }
}
