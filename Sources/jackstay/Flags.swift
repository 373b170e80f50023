import ArgumentParser
import Settings

/// The flags of the options in ``Setting/all``.
///
/// ArgumentParser finds a type's flags by reflection, and fills them by decoding. Usually both are made from
/// stored properties; here both are made from the table, so that an option is described in one place only.
struct Flags: ParsableArguments, CustomReflectable {
  /// The flags that were given.
  private(set) var uses: [FlagUse] = []

  init() {}

  init(from decoder: any Decoder) throws {
    let flags = try decoder.container(keyedBy: Key.self)
    for setting in Setting.all {
      if setting.isSwitch {
        for isOn in [true, false] {
          let count = try flags.decode(Flag<Int>.self, forKey: Key(setting, on: isOn)).wrappedValue
          uses += Array(repeating: FlagUse(setting, on: isOn), count: count)
        }
      } else {
        let values = try flags.decode(Option<[String]>.self, forKey: Key(setting)).wrappedValue
        uses += values.map { FlagUse(setting, value: $0) }
      }
    }
  }

  var customMirror: Mirror {
    let flags: [Mirror.Child] = Setting.all.flatMap { setting in
      setting.isSwitch
        ? [Self.switchFlag(setting, on: true), Self.switchFlag(setting, on: false)]
        : [Self.valueFlag(setting)]
    }
    return Mirror(self, children: flags, displayStyle: .struct)
  }

  // A flag is an array, or a count, so that a repeated one is seen. Its value is whatever follows it, so that
  // `--latency -5` is about the number.
  private static func valueFlag(_ setting: Setting) -> Mirror.Child {
    let option = Option<[String]>(
      wrappedValue: [], name: .customLong(setting.key), parsing: .unconditionalSingleValue,
      help: ArgumentHelp("\(setting.summary)", valueName: setting.placeholder ?? ""))
    return (Key(setting).stringValue, option)
  }

  private static func switchFlag(_ setting: Setting, on isOn: Bool) -> Mirror.Child {
    let key = Key(setting, on: isOn)
    let flag = Flag<Int>(
      name: .customLong(key.stringValue), help: ArgumentHelp(stringLiteral: setting.summary(on: isOn)))
    return (key.stringValue, flag)
  }
}

extension Flags {
  /// The name of a flag.
  private struct Key: CodingKey {
    let stringValue: String

    init(_ setting: Setting) { stringValue = setting.key }

    init(_ setting: Setting, on isOn: Bool) { stringValue = isOn ? setting.key : "no-\(setting.key)" }

    init?(stringValue: String) { self.stringValue = stringValue }

    var intValue: Int? { nil }

    init?(intValue: Int) { nil }
  }
}
