import Settings

/// The errors of a command line that no option is to blame for.
enum UsageFault {
  /// The error for a word that is not a flag of the program.
  static func unexpected(_ word: String) -> SettingsError {
    guard word != "run" else {
      return SettingsError("unexpected argument \"run\"; the command comes before the options, and once")
    }
    let name = String(word.prefix { $0 != "=" })
    let isFlag = name.hasPrefix("-")
    let what = isFlag ? "unknown option \(name.echoed())" : "unexpected argument \"\(word.echoed())\""
    let spellings = Setting.all.flatMap(\.flags) + ["--config", "--help", "--print-server", "--version"]
    let letters = String(name.drop { $0 == "-" })
    guard let near = letters.nearest(of: spellings.map { String($0.dropFirst(2)) } + (isFlag ? [] : ["run"]))
    else {
      return SettingsError("\(what); see jackstay --help")
    }
    let meant = near == "run" ? "jackstay run" : "--\(near)"
    return SettingsError("\(what); did you mean \(meant)? See jackstay --help")
  }

  /// The error for `arguments` that ArgumentParser refused in the words of `message`.
  static func error(parsing arguments: [String], message: String) -> SettingsError {
    let emptied = arguments.filter { $0.hasSuffix("=") }.map { String($0.dropLast()) }
    for flag in emptied + arguments.suffix(1) {
      if let setting = Setting.withFlag(flag), !setting.isSwitch {
        return setting.missingValue
      }
      if flag == "--config" {
        return SettingsError(
          "--config: the value is missing; expected the path of a file, for example --config jackstay.toml")
      }
    }
    let sentence = message.prefix { $0 != "\n" }
    let words = sentence.hasSuffix(".") ? sentence.dropLast() : sentence
    let clause = words.prefix(1).lowercased() + words.dropFirst()
    return SettingsError("\(clause.echoed(limit: 160)); see jackstay --help")
  }
}
