import Testing

@testable import Panel

@Suite struct PanelPageTests {
  @Test func `The page is whole, and needs nothing from elsewhere`() {
    let page = PanelPage.template
    for mark in ["/*STYLE*/", "/*PROGRAM*/"] { #expect(!page.contains(mark)) }
    #expect(
      page.contains("<title>jackstay</title>") && page.contains("--ground:") && page.contains("EventSource"))
    // All that is named with a scheme: the icon's own format, which is never fetched.
    let addresses = page.matches(of: /[a-z]+:\/\/[^ '")]*/).map { String($0.output) }
    #expect(Set(addresses) == ["http://www.w3.org/2000/svg"])
    #expect(page.matches(of: /(src|href)="([^"]*)"/).allSatisfy { $0.output.2.hasPrefix("data:") })
    #expect(!page.contains("@import") && !page.contains("url("))
    #expect(page.utf8.count < 40_000)
  }

  @Test func `Only code that bears the nonce is run, and each page has another nonce`() throws {
    let (headers, bytes) = PanelPage.content(nonce: "abc")
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.contains("<style nonce=\"abc\">") && text.contains("<script nonce=\"abc\">"))
    #expect(text.matches(of: /<(script|style)/).count == 2 && !text.contains("@NONCE@"))
    // Code that the policy forbids would not work either.
    #expect(!text.contains(" style=\"") && text.firstMatch(of: /\son[a-z]+="/) == nil)
    let policy = try #require(headers.first { $0.0 == "Content-Security-Policy" }?.1)
    for part in [
      "default-src 'none'", "script-src 'nonce-abc'", "connect-src 'self'", "frame-ancestors 'none'",
    ] {
      #expect(policy.contains(part))
    }
    #expect(headers.contains { $0 == ("Referrer-Policy", "no-referrer") })
  }

  @Test func `Each button has a name, and each event is read aloud`() {
    let page = PanelPage.template
    for button in page.matches(of: /<button([^>]*)>(.*?)<\/button>/) {
      let (attributes, content) = (button.output.1, button.output.2)
      let words = content.replacing(/<[^>]*>/, with: "").replacing(/&[a-z]+;/, with: "").filter {
        $0.isLetter
      }
      #expect(attributes.contains("aria-label=\"") || words.count > 2, "\(button.output.0)")
    }
    for input in page.matches(of: /<input[^>]*>/) { #expect(input.output.contains("aria-label=\"")) }
    #expect(
      page.contains("role=\"alert\"") && page.contains("role=\"status\"") && page.contains(":focus-visible"))
    #expect(page.contains("<html lang=\"en\">") && page.contains("width=device-width"))
    #expect(!page.contains("user-scalable=no") && !page.contains("maximum-scale"))
  }
}
