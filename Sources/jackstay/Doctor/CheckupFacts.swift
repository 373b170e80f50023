import AbletonLink
import JSON

/// The facts about a machine that the doctor has found, before any judgement.
struct CheckupFacts: Sendable {
  /// The release of Link that the bridge has, or this program where no bridge answers.
  var linkRelease = Link.release
  /// Why the configuration cannot be used; `nil` where it can.
  var configurationFault: String?
  /// The version of the JACK library.
  var library: String
  /// Whether a PipeWire runs for this user, whatever the library is.
  var hasPipeWire: Bool
  var server: Server
  /// The status of a running bridge; `nil` where none answers.
  var bridge: JSONObject?
  /// Why a bridge that runs has not answered; `nil` where one has, or where none runs.
  var bridgeSilence: String?
  /// Whether that is because several run, and none was named.
  var hasSeveralBridges = false
  /// The system's refusal of real-time threads; `nil` where it lets this user have them.
  var realtimeRefusal: String?
  /// How many bytes may be locked into memory; `nil` for as many as there are.
  var lockableBytes: UInt64?
  var interfaces: [Interface]
  /// Why Link's port cannot be shared; `nil` where it can.
  var portRefusal: String?
  /// How many peers there are, a running bridge included; `nil` where the doctor could not look.
  var peers: Int?
  /// The other peers that are heard, as far as Link's messages show them.
  var heard: [HeardPeer] = []
  /// The firewalls that may filter packets.
  var firewalls: [Firewall]

  /// The JACK server.
  enum Server: Sendable {
    case running(Running)
    /// There is none, or it does not take us: what there is to say about that.
    case absent(String)
    /// There is one that this program does not reach: what there is to say, and to do.
    case unreachable(String, remedy: String)
    /// It does not answer.
    case hangs
    /// It freewheels, as for an export: a client that joined it then might hang it.
    case renders

    struct Running: Sendable {
      var name: String
      var rate: Double
      var bufferFrames: Int
      /// Of the physical outputs; `nil` where there are none.
      var latencyFrames: Int?
      /// The physical outputs.
      var outputs: [String]
      /// The programs that are heard.
      var heard: [String]
      /// Whether a client publishes bar, beat and tick.
      var showsPosition: Bool
      /// How far Link's clock is ahead of JACK's, in microseconds.
      var clockOffset: Double
      /// How much faster it runs, in millionths.
      var clockDrift: Double
    }
  }

  /// An interface with an IPv4 address.
  struct Interface: Sendable, Equatable {
    var name: String
    var address: String
    /// How many bits of the address are those of the network.
    var networkBits = 24
    var isLoopback: Bool
    /// Whether other machines may be behind it, and not only programs of this one.
    var reachesMachines = true
    var takesMulticast: Bool
    /// Whether a packet to Link's group and port came back; otherwise the reason.
    var discovery: PacketFailure?
    /// Whether a packet to Link's group and to a port of the receiver's own, as Link measures its peers, came back.
    var measurement: PacketFailure?
    /// The same by IPv6.
    var version6 = Version6.noAddress

    /// The network, for example `192.168.1.0/24`.
    var network: String { network(of: address) }

    /// The network of the same size that an address is in.
    private func network(of address: String) -> String {
      let number = address.split(separator: ".").reduce(UInt32(0)) { ($0 << 8) | (UInt32($1) ?? 0) }
      let mask: UInt32 = networkBits == 0 ? 0 : UInt32.max << (32 - networkBits)
      return [24, 16, 8, 0].map { "\(((number & mask) >> $0) & 255)" }.joined(separator: ".")
        + "/\(networkBits)"
    }

    /// Whether an address of IPv4 is in the interface's network.
    func reaches(_ address: String) -> Bool { network(of: address) == network }
  }

  /// A peer that is heard, beside the one that this machine is in the session.
  struct HeardPeer: Sendable, Equatable {
    var address: String
    /// The interface of this machine that it is heard on.
    var interface: String
    /// Whether it answers pings; `nil` where that is not known.
    var isMeasurable: Bool?
    /// Whether it is in the session that this machine is in; `nil` where that is not known.
    var isInOwnSession: Bool?
  }

  /// The fate of packets by IPv6, by which Link 3.1 and newer find peers besides, on interfaces that have an
  /// IPv4 address.
  enum Version6: Sendable, Equatable {
    /// The interface has no link-local address.
    case noAddress
    /// Packets to Link's group came back, to its port and to one of the receiver's own.
    case comesBack
    case fails(PacketFailure)
  }

  /// Why a packet that was sent to the own machine did not come back.
  enum PacketFailure: Sendable, Equatable {
    /// It was sent and did not arrive, or the system did not let it out: a firewall does that.
    case filtered
    /// It could not be tried, for another reason.
    case untried(String)
  }

  /// Something that may keep packets from Link.
  struct Firewall: Sendable, Equatable {
    var name: String
    /// Whether it filters.
    var isActive: Bool
    /// The chain through which incoming packets go, as `nft` names it; `nil` where it is not known.
    var chain: String?
  }
}
