import Testing
import Words

@Suite struct NumberTests {
  @Test(
    arguments: [
      (0, "0"), (-0.0, "0"), (126, "126"), (126.3, "126.3"), (-3.5, "-3.5"), (0.1, "0.1"), (1e-5, "0.00001"),
      (-1.25e-7, "-0.000000125"), (1e-9, "0.000000001"), (1e-12, "0"), (1e15, "1000000000000000"),
      (0.000123456789012, "0.000123456789012"),
    ] as [(Double, String)])
  func `A number in commands and files has no exponent, and as few digits as it needs`(
    number: Double, text: String
  ) {
    #expect(number.plain == text)
    #expect(
      (-number).plain == (number == 0 || text == "0" ? "0" : number < 0 ? "\(text.dropFirst())" : "-\(text)"))
  }

  @Test func `A number of single precision has no more digits than that`() {
    #expect(Float(126.3).plain == "126.3" && Float(0.00001).plain == "0.00001" && Float(120).plain == "120")
  }

  @Test func `A whole number has no point as long as each of them differs from the next`() {
    #expect(9_007_199_254_740_991.0.shortest == "9007199254740991")
    #expect(9_007_199_254_740_992.0.shortest == "9007199254740992.0")
    #expect(1e300.shortest == "1e+300" && 1e-300.shortest == "1e-300" && Double.infinity.shortest == "inf")
  }
}
