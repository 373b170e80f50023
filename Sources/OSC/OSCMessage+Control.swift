import Control
import JSON
import OSCCodec

// Answers, values and events of a bridge as OSC messages.

extension OSCMessage {
  /// The answer to a message that was sent to an address.
  init(answer: ControlAnswer, to address: String) {
    let object = answer.object(id: nil)
    self.init(
      "\(OSCVocabulary.prefix)answer",
      arguments: [.string(object["answer"]?.string ?? ""), .string(address)]
        + (object["message"]?.string.map { [.string($0)] } ?? []))
  }

  /// An event: its name is in the address, and its members follow in their order.
  init?(event: JSONObject) {
    guard let first = event.members.first, let name = first.value.string else { return nil }
    self.init(
      "\(OSCVocabulary.prefix)event/\(name)",
      arguments: event.members.dropFirst().map { OSCVocabulary.argument($0.value, of: $0.name) })
  }

  /// The members of a status, one message each.
  static func values(of status: JSONObject) -> [OSCMessage] {
    status.members.filter { $0.name != "answer" && $0.name != "id" }.map { member in
      OSCMessage(
        OSCVocabulary.address(of: member.name), OSCVocabulary.argument(member.value, of: member.name))
    }
  }

  /// Status values that changed, without the restless ones; removed values are sent as nil.
  static func changes(from old: JSONObject, to new: JSONObject) -> [OSCMessage] {
    let gone = old.members.filter { new[$0.name] == nil }.map { ($0.name, OSCArgument.null) }
    let changed = new.members.filter { old[$0.name] != $0.value }.map {
      ($0.name, OSCVocabulary.argument($0.value, of: $0.name))
    }
    return (gone + changed).filter { !OSCVocabulary.restless.contains($0.0) }.map { name, value in
      OSCMessage(OSCVocabulary.address(of: name), value)
    }
  }
}
