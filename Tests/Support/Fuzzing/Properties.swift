import JSON
import Metadata
import MusicalTime
import PropertyTesting
import Settings

extension FuzzTarget {
  /// Texts that other JACK clients write into the bridge's properties: one byte chooses the property, the
  /// rest is the text.
  static let properties = FuzzTarget(
    name: "properties", longest: 256,
    generate: { random in
      let index = UInt8.random(in: 0..<UInt8(SharedProperty.all.count), using: &random)
      let text =
        switch Int.random(in: 0..<4, using: &random) {
        case 0: "\(Double.random(in: 15...1010, using: &random))"
        case 1: ["true", "false", "0", "1", "auto", "link", "jack"].randomElement(using: &random) ?? ""
        default: Vocabulary.value(&random)
        }
      var bytes = Array(text.utf8)
      if random.oneIn(2) { bytes.mutate(Vocabulary.numbers + Vocabulary.words, &random) }
      return [index] + bytes
    },
    check: { bytes throws(BrokenLaw) in
      guard let first = bytes.first else { return .refused }
      let property = SharedProperty.all[Int(first) % SharedProperty.all.count]
      let status: JSONObject = [
        "tempo": 120, "peers": 1, "mode": "auto", "start_stop_sync": true, "link": true,
      ]
      let now = ContinuousClock.now
      var ledger = PropertyLedger()
      var texts: [String: String] = [:]
      for (property, text) in ledger.due(status, at: now) {
        ledger.wrote(text, to: property)
        texts[property.key] = text
      }
      let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
      let isNew = texts[property.key] != text
      texts[property.key] = text
      let findings = ledger.found(texts)
      try require(findings.count == (isNew ? 1 : 0), "\(findings) of one text, \(text.debugDescription)")
      try require(ledger.found(texts).isEmpty, "the same text is found twice")
      guard case .command(let line, let subject, let wanted) = findings.first else {
        let due = ledger.due(status, at: now).map(\.property.key)
        try require(due == (isNew ? [property.key] : []), "what is wrong is not put right: \(due)")
        return .refused
      }
      guard let instruction = try? Instruction(line: line) else { throw BrokenLaw("\(line) is no command") }
      if case .command(.proposeTempo(let tempo)) = instruction {
        try require(
          Tempo.range.contains(tempo.beatsPerMinute), "a tempo of \(tempo.beatsPerMinute) was taken")
      }
      ledger.accepted(subject, text: wanted, at: now)
      let due = ledger.due(status, at: now).filter { $0.property.subject == subject && $0.text != wanted }
      try require(due.isEmpty, "what was asked for is written over before it is there")
      return .accepted
    })
}
