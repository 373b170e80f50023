import Testing

@testable import jackstay

@Suite struct LineBacklogTests {
  @Test("Of too many lines the last are kept, and a line in place of the others says how many were lost")
  func loss() {
    var backlog = LineBacklog()
    for number in 0..<20_000 { backlog.append("line \(number)") }
    let lines = backlog.take()
    #expect(lines.count == LineBacklog.capacity + 1)
    #expect(lines.first?.contains("\(20_000 - LineBacklog.capacity) lines are left out here") == true)
    #expect(lines.dropFirst().first == "line \(20_000 - LineBacklog.capacity)")
    #expect(lines.last == "line 19999")
    #expect(backlog.take().isEmpty)
    backlog.append("more")
    #expect(backlog.take() == ["more"])
  }
}
