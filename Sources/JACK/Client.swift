import MusicalTime

/// A client that is known to the server but not yet called by it.
///
/// A client is opened, then ``activate(_:isSlowToSync:)`` turns it into an ``ActiveClient``. A client that is not
/// activated is closed when its value goes out of scope.
///
/// libjack serves one server per process at a time: close every client of one server before opening the first
/// of another.
///
/// Not for the real-time thread: opening and closing talk to the server and allocate.
public struct Client: ~Copyable, Sendable {
  let connection: Connection

  /// Whether JACK gave the client another name than was asked for.
  public let wasRenamed: Bool

  /// Where the server was reached.
  public let server: ServerAddress

  /// How many clients a jackd2 server takes at least: 64 in old versions, 254 in 1.9.21.
  private static let fewestOfFullServer = 60

  /// How a client is opened.
  public struct Options: OptionSet, Sendable, Hashable {
    /// The bits of `jack_options_t`.
    public let rawValue: UInt32

    /// Options of the given bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Fail when no server runs, instead of starting one.
    public static let doNotStartServer = Options(rawValue: 0x01)
    /// Fail when the name is taken, instead of letting JACK append a number.
    ///
    /// Where it is taken, a client of another name appears for a moment.
    public static let useExactName = Options(rawValue: 0x02)
  }

  /// Opens a client.
  ///
  /// The corresponding C function is `jack_client_open`. Blocks for as long as the server takes to answer.
  ///
  /// - Parameters:
  ///   - name: The requested name, in at most 63 bytes of UTF-8, or fewer where `jack_client_name_size` says
  ///     so, without `:` and control characters. A name that is taken gets a number appended, see ``name``
  ///     and ``wasRenamed``.
  ///   - server: The name of the server; `nil` is the default one, named by the environment variable
  ///     `JACK_DEFAULT_SERVER` or else `default`.
  ///   - options: By default a server is not started and the name may be changed.
  /// - Returns: A client the server knows, which it does not call yet.
  /// - Throws: ``JACKError`` when no server runs, or the name or the client is not accepted.
  public static func open(
    name: String, server: String? = nil, options: Options = [.doNotStartServer]
  ) throws(JACKError) -> Client {
    try Names.checkClient(name)
    if let server { try Names.checkServer(server) }
    guard !options.contains(.doNotStartServer) || LibJACK.mayBeAsked(for: server ?? defaultServer) else {
      throw .serverNotRunning(server: server ?? defaultServer)
    }
    let before = Set(UnixConnection.all())
    // jackd2 gives no reason when it rejects an exact name, so the name is not requested as exact.
    let (client, status) = LibJACK.open(
      name: name, server: server, options: options.intersection(.doNotStartServer))
    guard let client else {
      if status.contains(.versionError) { throw .protocolMismatch }
      if status.contains(.nameNotUnique), !status.contains(.serverFailed) { throw .nameTaken(name) }
      if status.contains(.serverFailed) { throw .serverNotRunning(server: server ?? Names.defaultServer) }
      // jackd2 does not report that either.
      let name = server ?? Names.defaultServer
      if !LibJACK.isPipeWire, ServerAbsence.clientCount(of: name) >= Client.fewestOfFullServer {
        throw .serverFull(server: name)
      }
      throw .serverRefused(status)
    }
    let address =
      ServerAddress(among: UnixConnection.all().filter { !before.contains($0) })
      ?? ServerAddress("\(LibJACK.isPipeWire ? "pipewire" : "jack")_\(server ?? Names.defaultServer)")
    let connection = try Connection(owning: client)
    let wasRenamed = connection.name != name
    guard !wasRenamed || !options.contains(.useExactName) else { throw .nameTaken(name) }
    return Client(connection: connection, wasRenamed: wasRenamed, server: address)
  }

  /// The name of the server where none is given: from the environment variable `JACK_DEFAULT_SERVER`, or else
  /// `default`.
  ///
  /// Thread-safe.
  public static var defaultServer: String { Names.defaultServer }

  /// The name JACK gave the client.
  ///
  /// Thread-safe. The corresponding C function is `jack_get_client_name`.
  public var name: String { connection.name }

  /// The server's sample rate.
  ///
  /// Thread-safe. The corresponding C function is `jack_get_sample_rate`.
  public var sampleRate: SampleRate { connection.notifications.sampleRate }

  /// The length of a cycle in frames.
  ///
  /// Thread-safe. The corresponding C function is `jack_get_buffer_size`.
  public var bufferSize: UInt32 { connection.notifications.bufferSize }

  /// How far the server has counted. `nil` with PipeWire, which shows it to active clients only, and when the
  /// server has gone.
  ///
  /// Does not wait. The corresponding C functions are `jack_last_frame_time` and `jack_is_realtime`.
  public var pace: ServerPace? { connection.pace }

  /// Whether the server has gone.
  public var serverIsGone: Bool { connection.notifications.serverIsGone }

  /// Has the server call `handler` from now on.
  ///
  /// The handler belongs to the real-time thread until the client is closed; what other threads share with it
  /// has to be `Sendable`. The first call may come before this function returns. When it throws, the client
  /// is closed.
  ///
  /// The corresponding C functions are `jack_set_process_callback` and `jack_activate`.
  ///
  /// Waits until the real-time thread has begun, for ten seconds at most.
  ///
  /// - Parameters:
  ///   - handler: The code for the real-time thread. It is released after the client has been closed.
  ///   - isSlowToSync: Whether the transport waits for the client, as with ``ActiveClient/setSlowSync(_:)``.
  /// - Returns: The client, now taking part in the server's cycles.
  /// - Throws: ``JACKError`` when the server does not take the client in.
  public consuming func activate(
    _ handler: sending RealtimeHandler, isSlowToSync: Bool = false
  ) throws(JACKError) -> ActiveClient {
    try connection.activate(handler, isSlowToSync: isSlowToSync)
    return ActiveClient(connection)
  }
}
