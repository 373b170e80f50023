import PropertyTesting
import Testing

@testable import Ardour

@Suite struct ArdourMessageTests {
  /// As Ardour 7.3 sent them.
  private static let sent: [(String, ArdourMessage)] = [
    (#"{"node":"strip_description","addr":[0],"val":["Master",1056]}"#, .other),
    (#"{"node":"strip_meter","addr":[0],"val":[-1.0e+128]}"#, .other),
    (#"{"node":"transport_tempo","val":[120]}"#, .tempo(120)),
    (#"{"node":"transport_tempo","val":[127.123]}"#, .tempo(127.123)),
    (#"{"node":"transport_time","val":[0.0853333]}"#, .time(0.0853333)),
    (#"{"node":"transport_bbt","val":["001|01|0328"]}"#, .tick(328)),
    (#"{"node":"transport_roll","val":[true]}"#, .roll(true)),
    (#"{"node":"transport_record","val":[false]}"#, .record(false)),
    (#" { "val" : [ "a\"b" , null ] , "addr" : [ ] , "node" : "something" } "#, .other),
  ]

  @Test func `Messages of Ardour's are read`() {
    for (text, message) in Self.sent { #expect(ArdourMessage(Array(text.utf8)) == message, "\(text)") }
  }

  @Test(arguments: [
    "", "{}", "null", "[]", #"{"node":"transport_tempo"}"#, #"{"node":"transport_tempo","val":["120"]}"#,
    #"{"node":"transport_tempo","val":[0]}"#, #"{"node":"transport_tempo","val":[-1]}"#,
    #"{"node":"transport_tempo","val":[1e999]}"#, #"{"node":"transport_tempo","val":[nan]}"#,
    #"{"node":"transport_tempo","val":[120]"#, #"{"node":"transport_tempo","val":[120]}x"#,
    #"{"node":"transport_tempo","val":[120],"val":[130]}"#, #"{"node":"transport_bbt","val":["1|1"]}"#,
    #"{"node":"transport_bbt","val":["1|1|-3"]}"#, #"{"node":"transport_bbt","val":["1|1|99999999999"]}"#,
    #"{"node":"transport_roll","val":[1]}"#, #"{"node":1,"val":[1]}"#, #"{"node":"a","val":[[1]]}"#,
    #"{"node":"transport_record","val":[true}"#, #"{"node":"transport_time","val":["\"#,
  ])
  func `Anything else is no message`(text: String) {
    #expect(ArdourMessage(Array(text.utf8)) == nil)
  }

  @Test func `A tempo is written exactly to a millionth, in both notations`() {
    #expect(
      ArdourRequest.setTempo(126.5, .number).text == #"{"node":"transport_tempo","val":[126.500000]}"#)
    #expect(
      ArdourRequest.setTempo(126.5, .text).text == #"{"node":"transport_tempo","val":[".126500000e3"]}"#)
    #expect(ArdourRequest.askTempo.text == #"{"node":"transport_tempo"}"#)
    #expect(ArdourRequest.askRecord.text == #"{"node":"transport_record"}"#)
    #expect(ArdourRequest.record(true).text == #"{"node":"transport_record","val":[true]}"#)
    forAll(500) { seed, random in
      let tempo = Double.random(in: 20...999, using: &random)
      for notation in [ArdourRequest.Notation.number, .text] {
        let text = ArdourRequest.setTempo(tempo, notation).text
        let digits = text.drop { $0 != "[" }.filter { "0123456789.e".contains($0) }
        #expect(((Double(digits) ?? 0) - tempo).magnitude < 1e-6, "seed \(seed): \(text)")
        // A text that begins with a point is no whole number for a reader of those.
        if notation == .text { #expect(text.contains(#"[".0"#) || text.contains(#"["."#)) }
      }
    }
  }
}
