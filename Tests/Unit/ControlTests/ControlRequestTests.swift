import JSON
import PropertyTesting
import Testing
import Words

@testable import Control

@Suite struct ControlRequestTests {
  @Test func `Any bytes are requests, nothing, or faults of one line`() {
    let pieces = [
      "{\"command\":\"start\"}", "{\"command\":\"tempo 128\",\"id\":7}", "{", "}", "\"", "command", ":", "\n",
      "\r\n", "\"id\"", ",", "\\", "é", "[", "1e999", " ",
    ].map { Array($0.utf8) }
    var (requests, faults) = (0, 0)
    forAll(100_000) { seed, random in
      var reader = LineReader(longest: ControlRequest.longest)
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 0...5, using: &random) {
        bytes +=
          random.oneIn(4)
          ? (0..<Int.random(in: 0...20, using: &random)).map { _ in .random(in: 0...255, using: &random) }
          : pieces.randomElement(using: &random) ?? []
      }
      for line in reader.take(bytes) + [reader.end()] {
        do throws(ControlRequest.Fault) {
          if try ControlRequest(line) != nil { requests += 1 }
        } catch {
          faults += 1
          #expect(!error.description.isEmpty && error.description.count < 300, "seed \(seed)")
          #expect(error.description.allSatisfy { !$0.isNewline }, "seed \(seed)")
        }
      }
    }
    #expect(requests > 1000 && faults > 1000)
  }

  @Test func `An answer has its kind first, then the request's name, then its content`() {
    #expect(ControlAnswer.taken.object(id: nil).line == #"{"answer":"taken"}"#)
    #expect(ControlAnswer.watching.object(id: 1).line == #"{"answer":"watching","id":1}"#)
    #expect(ControlAnswer.kept("x").object(id: "a").line == #"{"answer":"kept","id":"a","message":"x"}"#)
    #expect(ControlAnswer.refused("x").object(id: nil).line == #"{"answer":"refused","message":"x"}"#)
    #expect(ControlAnswer.error("x").object(id: nil).line == #"{"answer":"error","message":"x"}"#)
    #expect(ControlAnswer.help("x\ny").object(id: nil).line == #"{"answer":"help","message":"x\ny"}"#)
    #expect(ControlAnswer.status(["a": 1]).object(id: 2).line == #"{"answer":"status","id":2,"a":1}"#)
  }
}
