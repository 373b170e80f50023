import JSON
import PropertyTesting
import Testing

@Suite struct JSONTests {
  private func fault(_ text: String) -> String? {
    do {
      _ = try JSONObject(parsing: text.utf8)
      return nil
    } catch {
      return error.description
    }
  }

  @Test func `An object is written in one line, in the order in which it was made`() {
    var object: JSONObject = ["answer": "status", "tempo": 120.5, "peers": 2, "rendering": false]
    object["error"] = .null
    object["peers"] = 3
    #expect(object.line == #"{"answer":"status","tempo":120.5,"peers":3,"rendering":false,"error":null}"#)
    object["tempo"] = nil
    #expect(object["tempo"] == nil)
    #expect(JSONObject().line == "{}")
    #expect(
      object.adding(["peers": 4, "z": 1]).members.map(\.name) == [
        "answer", "peers", "rendering", "error", "z",
      ])
  }

  @Test func `No text ends the line, or moves a cursor`() {
    let object: JSONObject = ["a\n": "\"\\\u{1B}[2J\r\n\t\u{0}\u{85}\u{2028}é🎵"]
    #expect(object.line == #"{"a\n":"\"\\\u001b[2J\r\n\t\u0000\u0085\u2028é🎵"}"#)
    #expect((try? JSONObject(parsing: object.line.utf8)) == object)
  }

  @Test(arguments: [
    (0.0, "0"), (-0.5, "-0.5"), (9_007_199_254_740_991, "9007199254740991"), (1e300, "1e+300"),
    (.infinity, "null"), (-.infinity, "null"), (.nan, "null"), (120, "120"),
  ])
  func `Numbers are as short as they can be, and finite`(number: Double, text: String) {
    #expect(JSONObject(dictionaryLiteral: ("n", .number(number))).line == #"{"n":\#(text)}"#)
  }

  @Test func `All kinds of JSON values are read`() throws {
    let text = #" { "a" : -0.5e+1 , "" : "\u00e9\uD83C\uDFB5\/\b\f" , "t":true,"f":false,"n":null }"# + "\r\n"
    let object = try JSONObject(parsing: text.utf8)
    #expect(object["a"]?.number == -5)
    #expect(object[""]?.string == "é🎵/\u{8}\u{C}")
    #expect(object["t"]?.boolean == true && object["f"]?.boolean == false && object["n"] == .null)
    #expect(try JSONObject(parsing: "{}".utf8) == JSONObject())
  }

  @Test(arguments: [
    ("", "byte 1: expected an object, as in {\"command\":\"start\"}"),
    ("[]", "byte 1: expected an object, as in {\"command\":\"start\"}"),
    ("{", "byte 2: expected a name in quotes"), ("{a:1}", "byte 2: expected a name in quotes"),
    ("{\"a\"}", "byte 5: expected ':' after the name"),
    ("{\"a\":}", "byte 6: expected a text in quotes, a number, true, false or null"),
    ("{\"a\":[]}", "byte 6: expected a text in quotes, a number, true, false or null"),
    ("{\"a\":{}}", "byte 6: expected a text in quotes, a number, true, false or null"),
    ("{\"a\":nan}", "byte 6: expected a text in quotes, a number, true, false or null"),
    ("{\"a\":01}", "byte 7: expected ',' or '}' after the value"),
    ("{\"a\":.5}", "byte 6: expected a text in quotes, a number, true, false or null"),
    ("{\"a\":5.}", "byte 8: expected a digit"), ("{\"a\":-}", "byte 7: expected a digit"),
    ("{\"a\":1e999}", "byte 6: expected a number below 1.8e308"),
    ("{\"a\":1,}", "byte 8: expected a name in quotes"),
    ("{\"a\":1,\"a\":2}", "byte 8: expected a name that is not there already"),
    ("{\"a\":1}{", "byte 8: expected nothing after the object"),
    ("{\"a\":\"x", "byte 6: expected a closing quote at the end of this text"),
    ("{\"a\":\"\n\"}", "byte 7: expected control characters escaped, as in \\u001b"),
    ("{\"a\":\"\\x\"}", #"byte 7: expected one of \" \\ \/ \b \f \n \r \t \uXXXX"#),
    ("{\"a\":\"\\u12\"}", "byte 11: expected four hexadecimal digits"),
    ("{\"a\":\"\\ud800\"}", "byte 7: expected both halves of a character, as in \\ud83c\\udfb5"),
    ("{\"a\":\"\\udc00\\ud800\"}", "byte 7: expected both halves of a character, as in \\ud83c\\udfb5"),
  ])
  func `For any other text the fault has the place, and the expectation`(text: String, line: String) {
    #expect(fault(text) == line)
  }

  @Test func `Text that is not UTF-8 is none`() {
    for bytes: [UInt8] in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80]] {
      let line = Array("{\"a\":\"".utf8) + bytes + Array("\"}".utf8)
      #expect(throws: JSONFault.self) { try JSONObject(parsing: line) }
    }
  }

  @Test func `Any bytes are one object that is the same when written, or one fault`() {
    let pieces = [
      "{", "}", "\"", ":", ",", "\\", "\\u", "d83c", "\\udfb5", "1", "-", "e9", ".", "true", "null", "\"a\":",
      "[", " ", "\n", "é",
    ].map { Array($0.utf8) }
    var taken = 0
    forAll(50_000) { seed, random in
      var bytes = seed % 2 == 0 ? Array("{\"a\":1,\"b\":\"x\"}".utf8) : []
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        let place = Int.random(in: 0...bytes.count, using: &random)
        let piece =
          random.oneIn(3) ? [UInt8.random(in: 0...255, using: &random)] : pieces.randomElement(using: &random)
        bytes.insert(contentsOf: piece ?? [], at: place)
        if random.oneIn(4), !bytes.isEmpty { bytes.removeLast() }
      }
      do {
        let object = try JSONObject(parsing: bytes)
        taken += 1
        #expect(object.members.allSatisfy { $0.value.number?.isFinite ?? true }, "seed \(seed)")
        #expect(!object.line.utf8.contains { $0 < 0x20 }, "seed \(seed)")
        #expect(try JSONObject(parsing: object.line.utf8) == object, "seed \(seed)")
      } catch let fault as JSONFault {
        #expect((1...bytes.count + 1).contains(fault.position), "seed \(seed)")
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
    #expect(taken > 1000)
  }

  @Test func `A long one takes no longer than it is`() throws {
    let text = "{\"a\":\"" + String(repeating: "\\u0041", count: 500_000) + "\"}"
    #expect(try JSONObject(parsing: text.utf8)["a"]?.string?.utf8.count == 500_000)
    #expect(fault(String(repeating: "{\"a\":", count: 100_000)) != nil)
  }
}
