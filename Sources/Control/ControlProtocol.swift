import Glibc
import JSON

/// What both ends of a control socket have to agree on.
public enum ControlProtocol {
  /// Which version this is. A new one is made where a program that knows the old one would misunderstand
  /// something; what it need not know, such as another member or event, is added to the old one.
  public static let version = 1

  /// The first line that a bridge sends which is called `name`, and runs a program of the version `program`.
  static func greeting(program: String, name: String) -> JSONObject {
    [
      "jackstay": .string(program), "protocol": .count(version), "name": .string(name),
      "process": .count(getpid()),
    ]
  }
}
