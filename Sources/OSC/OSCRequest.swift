import MusicalTime
import OSCCodec
import Words

/// The request of a message.
public enum OSCRequest: Sendable, Hashable {
  /// To be done, in the words of standard input.
  case command(String)
  /// How something is.
  case question(OSCQuestion)
  /// How everything is.
  case status
  /// To get events, at the port it came from or at another one.
  case subscribe(port: UInt16?)
  /// To get no more events.
  case unsubscribe(port: UInt16?)
  /// To prove that the sender receives: the number that it was sent.
  case prove(Int32)
  /// Nothing: a button was released.
  case nothing

  /// The request of a message.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - words: The words of the commands.
  /// - Throws: ``OSCFault`` where it asks for nothing that can be done.
  public init(_ message: OSCMessage, _ words: [CommandWord]) throws(OSCFault) {
    let parts = message.address.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count >= 3, parts[0].isEmpty else { throw .foreign }
    if parts.count == 4, parts[1] == "jackstay", parts[2] == "value" {
      self = try OSCRequest.value(parts[3], message.arguments)
      return
    }
    guard parts.count == 3 else { throw .foreign }
    switch parts[1] {
    case "jackstay": self = try OSCRequest.own(parts[2], message.arguments, words)
    case "jacklink": self = try OSCRequest.jacklink(parts[2], message.arguments, words)
    case "link": self = try OSCRequest.link(parts[2], message.arguments, words)
    default: throw .foreign
    }
  }

  private static func own(
    _ name: String, _ arguments: [OSCArgument], _ words: [CommandWord]
  ) throws(OSCFault) -> OSCRequest {
    switch name {
    // It is the bridge's own answer.
    case "answer": throw .foreign
    case "proof": return .prove(try proof(arguments))
    case "subscribe", "watch": return .subscribe(port: try port(arguments))
    case "unsubscribe": return .unsubscribe(port: try port(arguments))
    case "status": return try isPressed(arguments) ? .status : .nothing
    case "tap": return try isPressed(arguments) ? .command("tempo tap") : .nothing
    default: break
    }
    // As it is written, or with `_` for `-`.
    guard let word = words.first(where: { $0.word == name || $0.word.replacing("-", with: "_") == name })
    else {
      throw .wrong(
        "unknown address \"\(OSCVocabulary.prefix)\(name.echoed())\"; expected a command, or "
          + "\(OSCVocabulary.valuePrefix) and a member of the status")
    }
    guard word.parameter != nil else { return try isPressed(arguments) ? .command(word.word) : .nothing }
    guard let argument = try single(arguments) else {
      throw .wrong(
        "\(word.word): expected a value; \(OSCVocabulary.valuePrefix) and a member of the status asks for one"
      )
    }
    return .command("\(word.word) \(try text(argument, for: word))")
  }

  /// The addresses of values. With a value behind it, it is the bridge's own message, as a controller echoes
  /// it.
  private static func value(_ name: String, _ arguments: [OSCArgument]) throws(OSCFault) -> OSCRequest {
    guard arguments.isEmpty else { throw .foreign }
    guard OSCVocabulary.members.contains(name) else {
      throw .wrong(
        "unknown value \"\(OSCVocabulary.valuePrefix)\(name.echoed())\"; expected a member of the status")
    }
    return .question(.member(name))
  }

  /// Where a machine is asked to prove that it receives, and does so.
  static let proofAddress = "\(OSCVocabulary.prefix)proof"

  /// The addresses of x37v's jacklink.
  private static func jacklink(
    _ name: String, _ arguments: [OSCArgument], _ words: [CommandWord]
  ) throws(OSCFault) -> OSCRequest {
    let argument = try single(arguments)
    switch name {
    case "bpm": return argument == nil ? .question(.member("tempo")) : try own("tempo", arguments, words)
    case "sync": return argument == nil ? .question(.member("link")) : try own("link", arguments, words)
    case "rolling": return try argument.map(transport) ?? .question(.isRolling)
    case "beattime":
      guard let argument else { return .question(.beatTime) }
      guard let number = argument.number, number >= 0 else {
        throw .wrong("beattime: expected beats from the beginning, 0 or more")
      }
      return .command("locate \(number.plain)b")
    default: throw .foreign
    }
  }

  /// The addresses at which some programs ask for the state of a session.
  private static func link(
    _ name: String, _ arguments: [OSCArgument], _ words: [CommandWord]
  ) throws(OSCFault) -> OSCRequest {
    let argument = try single(arguments)
    switch name {
    case "tempo": return argument == nil ? .question(.tempo) : try own("tempo", arguments, words)
    case "start_stop": return try argument.map(transport) ?? .question(.startStop)
    case "num_peers":
      guard argument == nil else { throw .wrong("num_peers can only be asked for; expected no value") }
      return .question(.member("peers"))
    default: throw .foreign
    }
  }

  private static func transport(_ argument: OSCArgument) throws(OSCFault) -> OSCRequest {
    .command(try isPressed([argument]) ? "start" : "stop")
  }
}

// MARK: Arguments

extension OSCRequest {
  private static func single(_ arguments: [OSCArgument]) throws(OSCFault) -> OSCArgument? {
    guard arguments.count <= 1 else { throw .wrong("\(arguments.count) values; expected one, or none") }
    return arguments.first
  }

  /// Whether a button is pressed: buttons send 1 then, and 0 when they are released.
  private static func isPressed(_ arguments: [OSCArgument]) throws(OSCFault) -> Bool {
    guard let argument = try single(arguments) else { return true }
    if case .bool(let isPressed) = argument { return isPressed }
    guard let number = argument.number else { throw .wrong("expected no value, or 1, 0, T or F") }
    return number != 0
  }

  private static func port(_ arguments: [OSCArgument]) throws(OSCFault) -> UInt16? {
    guard let argument = try single(arguments) else { return nil }
    guard let port = argument.number.flatMap({ UInt16(exactly: $0) }), port > 0 else {
      throw .wrong("expected no value, or a port from 1 to 65535")
    }
    return port
  }

  private static func proof(_ arguments: [OSCArgument]) throws(OSCFault) -> Int32 {
    guard let number = try single(arguments)?.number.flatMap({ Int32(exactly: $0) }) else {
      throw .wrong("proof: expected the number that came at this address")
    }
    return number
  }

  /// A value in the words of standard input.
  private static func text(
    _ argument: OSCArgument, for word: CommandWord
  ) throws(OSCFault) -> String {
    if case .string(let text) = argument { return text }
    if case .bool(let truth) = argument { return truth ? "on" : "off" }
    guard let number = argument.number else {
      throw .wrong("\(word.word): expected \(word.parameter ?? ""), as a text or a finite number")
    }
    if word.isSwitch { return number == 0 ? "off" : "on" }
    if word.word == "downbeat" { return number == 0 ? "0" : (number > 0 ? "+" : "") + number.plain }
    // In a text a sign makes it a step.
    guard word.word != "tempo" || number >= 0 else {
      throw .wrong(
        "tempo \(number.plain): expected beats per minute, or a step as a text, such as +1 or -0.5")
    }
    return switch argument {
    case .int32(let count): "\(count)"
    case .int64(let count): "\(count)"
    case .float(let short): short.plain
    default: number.plain
    }
  }
}

extension OSCArgument {
  /// The number, if it is one and finite.
  fileprivate var number: Double? {
    switch self {
    case .int32(let number): Double(number)
    case .int64(let number): Double(number)
    case .float(let number): number.isFinite ? Double(number) : nil
    case .double(let number): number.isFinite ? number : nil
    case .string, .bool, .null: nil
    }
  }
}
