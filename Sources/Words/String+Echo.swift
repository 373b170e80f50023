extension String {
  /// The text as an error line can show it: one line, no control characters, cut to `limit` characters.
  ///
  /// Format characters are escaped too: a change of writing direction would reorder the rest of the line.
  public func echoed(limit: Int = 40) -> String {
    var echo = ""
    var count = 0
    for scalar in unicodeScalars {
      guard count < limit else { return echo + "…" }
      echo += scalar.isPrintable ? String(scalar) : scalar.escaped
      count += 1
    }
    return echo
  }

  /// ``echoed(limit:)``, in quotes where the value would otherwise not be seen as one word.
  package func echoedAsWord() -> String {
    isEmpty || unicodeScalars.contains(where: \.properties.isWhitespace) ? "\"\(echoed())\"" : echoed()
  }
}

extension Unicode.Scalar {
  /// Whether the scalar takes part in control: of a terminal, of lines, of the writing direction.
  package var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
  }

  fileprivate var escaped: String {
    switch self {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: "\\u{\(String(value, radix: 16, uppercase: true))}"
    }
  }
}
