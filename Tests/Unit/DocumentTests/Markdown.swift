/// A Markdown text, as far as the tests of the documents have to understand it.
struct Markdown {
  let lines: [Substring]

  init(_ text: some StringProtocol) {
    lines = Substring(text).split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The contents of the fenced blocks that are marked as `language`.
  func blocks(of language: String) -> [String] {
    var blocks: [String] = []
    var block: [Substring]?
    var fence: Substring?
    for line in lines {
      if let open = fence, line == "```" {
        if open == "```\(language)" { blocks.append((block ?? []).joined(separator: "\n")) }
        (fence, block) = (nil, nil)
      } else if fence != nil {
        block?.append(line)
      } else if line.hasPrefix("```") {
        (fence, block) = (line, [])
      }
    }
    return blocks
  }

  /// The part below the second-level heading `title`, up to the next one; `nil` without such a heading.
  func section(_ title: String) -> Markdown? {
    guard let heading = lines.firstIndex(of: "## \(title)") else { return nil }
    let body = lines[(heading + 1)...]
    return Markdown(body.prefix { !$0.hasPrefix("## ") }.joined(separator: "\n"))
  }

  /// The lines that are not in a fenced block.
  var prose: [Substring] {
    var isFenced = false
    return lines.filter { line in
      if line.hasPrefix("```") { isFenced.toggle() }
      return !isFenced && !line.hasPrefix("```")
    }
  }

  /// The targets of its links and pictures.
  var links: [String] {
    let text = prose.joined(separator: "\n")
    return (text.matches(of: /\]\(([^)\s]+)\)/) + text.matches(of: /<img src="([^"]+)"/)).map {
      String($0.output.1)
    }
  }

  /// By which fragments GitHub finds its headings.
  var anchors: [String] {
    prose.filter { $0.hasPrefix("#") }.map { heading in
      let title = heading.drop { $0 == "#" }.dropFirst().lowercased()
      return String(
        title.filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }.map {
          $0 == " " ? "-" : $0
        })
    }
  }
}
