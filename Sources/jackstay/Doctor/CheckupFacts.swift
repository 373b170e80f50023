import JSON

/// What the doctor has found out about a machine, before any judgement.
struct CheckupFacts: Sendable {
  /// The version of the JACK library.
  var library: String
  /// Whether a PipeWire runs for this user, whatever the library is.
  var hasPipeWire: Bool
  var server: Server
  /// What a running bridge says of itself; `nil` where none runs.
  var bridge: JSONObject?
  /// What the system says about real-time threads; `nil` where it lets this user have them.
  var realtimeRefusal: String?
  /// How many bytes may be locked into memory; `nil` for as many as there are.
  var lockableBytes: UInt64?
  var interfaces: [Interface]
  /// Why Link's port cannot be shared; `nil` where it can.
  var portRefusal: String?
  /// How many peers there are, a running bridge included; `nil` where nobody could look.
  var peers: Int?
  /// What may filter packets, by its name.
  var firewalls: [Firewall]
  /// Where Ardour is; `nil` where it is not.
  var ardour: String?

  /// The JACK server.
  enum Server: Sendable {
    case running(Running)
    /// There is none, or it does not take us: what there is to say about that.
    case absent(String)
    /// It does not answer.
    case hangs

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
      /// Whether somebody publishes bar, beat and tick.
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
    var isLoopback: Bool
    var takesMulticast: Bool
    /// Whether a packet to Link's group came back; otherwise the reason.
    var failure: String?
  }

  /// Something that may keep packets from Link.
  struct Firewall: Sendable, Equatable {
    var name: String
    /// Whether it filters; `nil` where that is root's to know.
    var isActive: Bool?
  }
}
