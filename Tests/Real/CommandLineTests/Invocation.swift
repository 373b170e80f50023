import Foundation
import Stage

/// One run of the built program, where no JACK server is: what it was given, and what it answered.
struct Invocation {
  let status: ExitStatus
  let output: String
  let errors: String

  /// Runs `jackstay` with `arguments`, which need not be text, and waits for its end.
  init(_ arguments: [[UInt8]], home: URL? = nil) throws {
    let child = try Child(
      Products.path("jackstay"), bytes: arguments,
      environment: [
        "HOME": home?.path ?? "/nowhere", "XDG_CONFIG_HOME": nil, "JACK_DEFAULT_SERVER": "jackstay-nobody",
        "JACK_NO_START_SERVER": "1",
      ])
    status = try child.wait()
    output = child.text()
    errors = child.text(of: .errors)
  }

  /// Runs `jackstay` with `arguments`.
  init(_ arguments: String..., home: URL? = nil) throws {
    try self.init(arguments.map { Array($0.utf8) }, home: home)
  }

  /// Whether it took its arguments, ran, and gave up because there is no server.
  var isTaken: Bool {
    status == .exited(1) && output.isEmpty && isOneLine
      && errors.contains("jackstay: error: The JACK server ") && errors.contains(" does not answer.")
  }

  /// Whether it has said one line of reasonable length, no more and no less.
  var isOneLine: Bool {
    errors.withoutTime.hasPrefix("jackstay: ") && errors.hasSuffix("\n") && errors.count < 400
      && errors.dropLast().allSatisfy { !$0.isNewline }
  }
}
