import Glibc

/// The signs of firewalls that can be read without being root.
enum Firewalls {
  /// What there is, in order; empty where there is no sign of any.
  static func found(root: String = "") -> [CheckupFacts.Firewall] {
    var found: [CheckupFacts.Firewall] = []
    if let text = contents("\(root)/etc/ufw/ufw.conf") {
      let line = text.split(separator: "\n").last { $0.hasPrefix("ENABLED=") }
      found.append(.init(name: "ufw", isActive: line.map { $0.lowercased().contains("yes") }))
    }
    if access("\(root)/run/firewalld", F_OK) == 0 { found.append(.init(name: "firewalld", isActive: true)) }
    // Tables that somebody has made; what they do is root's to know.
    if let modules = contents("\(root)/proc/modules") {
      let filters = modules.split(separator: "\n").filter { line in
        let words = line.split(separator: " ")
        guard let name = words.first, words.count > 2, let uses = Int(words[2]) else { return false }
        return uses > 0 && ["nf_tables", "iptable_filter"].contains(name)
      }
      found += filters.map { line in
        .init(name: line.hasPrefix("nf_tables") ? "nftables" : "iptables", isActive: nil)
      }
    }
    return found
  }

  /// The text of a file of at most 256 KiB; `nil` where it cannot be read. The corresponding C functions are
  /// `open` and `read`.
  private static func contents(_ path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var (bytes, text) = ([UInt8](repeating: 0, count: 16384), [UInt8]())
    while text.count < 256 * 1024 {
      let count = read(file, &bytes, bytes.count)
      guard count > 0 else { break }
      text += bytes[..<count]
    }
    return String(decoding: text, as: UTF8.self)
  }
}
