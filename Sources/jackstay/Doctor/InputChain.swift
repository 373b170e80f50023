import Glibc
import Host

/// A chain of nftables through which IPv4 packets to this machine go.
///
/// The kernel is asked, so that it does not matter whether nftables is a module of its, or built in, and whether the
/// program `nft` is there. It answers to processes that may administer the network, and to no others.
struct InputChain: Sendable, Equatable {
  /// Family, table and chain, as `nft` takes them.
  var name: String
  /// Whether what no rule accepts is dropped.
  var dropsByDefault: Bool

  /// All of them; empty, too, where the kernel does not answer. The corresponding C functions are `socket`, `send` and
  /// `recv`, and the header `linux/netfilter/nf_tables.h` has the numbers.
  static func all() -> [InputChain] {
    let (family, netfilter): (Int32, Int32) = (AF_NETLINK, 12)
    let descriptor = socket(family, Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue), netfilter)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    Descriptor.set(SO_RCVTIMEO, of: descriptor, to: timeval(tv_sec: 1, tv_usec: 0))
    // NFT_MSG_GETCHAIN of NFNL_SUBSYS_NFTABLES, with NLM_F_REQUEST and NLM_F_DUMP, for all families.
    let question: [UInt8] = [20, 0, 0, 0, 4, 10, 1, 3, 1, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0]
    guard send(descriptor, question, question.count, 0) == question.count else { return [] }
    var chains: [InputChain] = []
    var bytes = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = recv(descriptor, &bytes, bytes.count, 0)
      guard count > 0, let found = parsed(bytes[..<count]) else { return chains }
      chains += found
    }
  }

  /// The chains in one answer of the kernel's; `nil` where the answers end with it, or it is a refusal.
  static func parsed(_ bytes: ArraySlice<UInt8>) -> [InputChain]? {
    var chains: [InputChain] = []
    var rest = bytes
    while rest.count >= 16 {
      let length = Int(rest.number(at: 0, bytes: 4))
      guard length >= 16, length <= rest.count else { return nil }
      switch rest.number(at: 4, bytes: 2) {
      case (10 << 8) | 3 where length >= 20:
        let message = rest.dropFirst(16).prefix(length - 16)
        if let chain = chain(message) { chains.append(chain) }
      // NLMSG_ERROR and NLMSG_DONE.
      case 2: return nil
      case 3: return chains.isEmpty ? nil : chains
      default: break
      }
      rest = rest.dropFirst((length + 3) & ~3)
    }
    return chains
  }

  private static func chain(_ message: ArraySlice<UInt8>) -> InputChain? {
    let families: [UInt8: String] = [1: "inet", 2: "ip"]
    guard let family = message.first.flatMap({ families[$0] }) else { return nil }
    let attributes = attributes(message.dropFirst(4))
    // NFTA_CHAIN_HOOK with NFTA_HOOK_HOOKNUM, in the network's order: NF_INET_LOCAL_IN is 1.
    guard let table = attributes[1]?.text, let name = attributes[3]?.text, attributes[7]?.text == "filter",
      let hook = attributes[4].map({ Self.attributes($0) })?[1], Array(hook) == [0, 0, 0, 1]
    else { return nil }
    return InputChain(
      name: "\(family) \(table) \(name)", dropsByDefault: attributes[5].map(Array.init) == [0, 0, 0, 0])
  }

  private static func attributes(_ bytes: ArraySlice<UInt8>) -> [UInt64: ArraySlice<UInt8>] {
    var attributes: [UInt64: ArraySlice<UInt8>] = [:]
    var rest = bytes
    while rest.count >= 4 {
      let length = Int(rest.number(at: 0, bytes: 2))
      guard length >= 4, length <= rest.count else { break }
      // The two highest bits are flags.
      attributes[rest.number(at: 2, bytes: 2) & 0x3FFF] = rest.dropFirst(4).prefix(length - 4)
      rest = rest.dropFirst((length + 3) & ~3)
    }
    return attributes
  }
}

extension ArraySlice<UInt8> {
  /// A number in this machine's order, whose lowest byte is the first on all that Link runs on.
  fileprivate func number(at offset: Int, bytes count: Int) -> UInt64 {
    dropFirst(offset).prefix(count).reversed().reduce(0) { ($0 << 8) | UInt64($1) }
  }

  /// A text that ends with NUL.
  fileprivate var text: String { String(decoding: prefix { $0 != 0 }, as: UTF8.self) }
}
