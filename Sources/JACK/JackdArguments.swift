/// The command line of a jackd2 server.
struct JackdArguments: Equatable {
  /// The server's name.
  private(set) var serverName = "default"
  /// The driver, such as `alsa` or `dummy`; empty where none is named.
  private(set) var driver = ""
  /// The driver's own options.
  private(set) var driverOptions: [String] = []

  /// Those of a process; what holds without options where the process is not this user's, or has ended.
  init(of process: Int32) {
    self.init(KernelFile.text(at: "/proc/\(process)/cmdline").split(separator: "\0").map(String.init))
  }

  /// Those in the words of a command line, the program's name first.
  init(_ words: [String]) {
    var rest = words.dropFirst()
    while let word = rest.popFirst() {
      if let name = JackdArguments.value(of: "-n", "--name", in: word, &rest) {
        serverName = name
      } else if let driver = JackdArguments.value(of: "-d", "--driver", in: word, &rest) {
        self.driver = driver
        // All that follows is the driver's.
        driverOptions = Array(rest)
        return
      }
    }
  }

  /// Whether the server takes starts and stops from another server on the network and from no client, as that of a
  /// netjack slave does: its driver undoes every start of a client after one cycle.
  ///
  /// Read in jackd2's source and recorded with 1.9.21: `-d netone` obeys its master unless its `transport-sync` is 0;
  /// `-d net` has that switched off, and starts by itself.
  var followsMaster: Bool {
    guard driver == "netone" else { return false }
    var rest = driverOptions[...]
    while let word = rest.popFirst() {
      if let value = JackdArguments.value(of: "-t", "--transport-sync", in: word, &rest) {
        return value != "0"
      }
    }
    return true
  }

  /// The value of an option: in the word itself, or the next one.
  private static func value(
    of short: String, _ long: String, in word: String, _ rest: inout ArraySlice<String>
  ) -> String? {
    if word == short || word == long { return rest.popFirst() ?? "" }
    if word.hasPrefix(long + "=") { return String(word.dropFirst(long.count + 1)) }
    if word.hasPrefix(short), !word.hasPrefix("--") { return String(word.dropFirst(short.count)) }
    return nil
  }
}
