/// The page, as a browser gets it: one file, that needs nothing else.
enum PanelPage {
  /// The headers of all answers: browsers and proxies are not to keep them, to embed them, or to guess their
  /// type.
  static let headers = [
    ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
  ]

  /// The page, in which browsers run only code that bears `nonce`, and the headers of its answer.
  static func content(nonce: String) -> (headers: [(String, String)], bytes: [UInt8]) {
    let policy =
      "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; connect-src 'self'; "
      + "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    let headers =
      Self.headers + [
        ("Content-Type", "text/html; charset=utf-8"), ("Content-Security-Policy", policy),
        ("X-Frame-Options", "DENY"), ("Cross-Origin-Opener-Policy", "same-origin"),
      ]
    return (headers, Array(template.replacing("@NONCE@", with: nonce).utf8))
  }

  /// The page with its style and its program in it.
  package static let template: String = {
    text(PackageResources.panel_html)
      .replacing("/*STYLE*/", with: text(PackageResources.panel_css))
      .replacing("/*PROGRAM*/", with: text(PackageResources.panel_js))
  }()

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
