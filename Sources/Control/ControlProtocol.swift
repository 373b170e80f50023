import Glibc
import JSON

/// The rules on which both ends of a control socket have to agree.
public enum ControlProtocol {
  /// Which version this is. A new one is made where a program that knows the old one would misunderstand
  /// something; additions that it need not know, such as another member or event, are made to the old one.
  public static let version = 1

  /// Now, in microseconds of the clock that commands and the status have their times from. The corresponding C function
  /// is `clock_gettime` with `CLOCK_MONOTONIC_RAW`.
  public static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_RAW, &time)
    return Double(time.tv_sec) * 1e6 + (Double(time.tv_nsec) / 1000).rounded(.down)
  }

  /// The first line that a bridge sends which is called `name`, and runs a program of the version `program`.
  static func greeting(program: String, name: String) -> JSONObject {
    [
      "jackstay": .string(program), "protocol": .count(version), "name": .string(name),
      "process": .count(getpid()),
    ]
  }
}
