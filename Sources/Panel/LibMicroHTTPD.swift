import CMicroHTTPD
import Glibc
import Host

/// The calls into libmicrohttpd. Thread-safe, except where noted. Realtime-safe: no, none of them.
struct LibMicroHTTPD: @unchecked Sendable {
  private let functions: UnsafePointer<httpd_library>

  /// Someone's connection, while the library has it.
  struct Connection: @unchecked Sendable, Hashable {
    fileprivate let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }
  }

  /// A server with a thread of its own.
  struct Daemon: @unchecked Sendable {
    fileprivate let pointer: OpaquePointer
  }

  /// The library; `nil` where the machine has none.
  init?() {
    guard let functions = httpd_load() else { return nil }
    self.functions = functions
  }

  /// Its version.
  var version: String { functions.pointee.get_version().map { String(cString: $0) } ?? "unknown" }

  /// Starts a server; `nil` when the system has no memory or thread for it. The corresponding C function is
  /// `MHD_start_daemon`.
  func start(_ settings: httpd_settings) -> Daemon? {
    withUnsafePointer(to: settings) { httpd_start($0) }.map { Daemon(pointer: $0) }
  }

  /// Ends a server, and all connections, of which none may be suspended. The corresponding C function is
  /// `MHD_stop_daemon`.
  func stop(_ daemon: Daemon) { functions.pointee.stop_daemon(daemon.pointer) }

  /// Hands over a connection, which the library closes in any case; false when it cannot have another. The corresponding
  /// C function is `MHD_add_connection`.
  func add(_ descriptor: Int32, _ peer: SocketAddress?, to daemon: Daemon) -> Bool {
    if let peer {
      return peer.withPointer { functions.pointee.add_connection(daemon.pointer, descriptor, $0, $1) } == .YES
    }
    var address = sockaddr()
    address.sa_family = sa_family_t(AF_UNIX)
    return functions.pointee.add_connection(
      daemon.pointer, descriptor, &address, socklen_t(MemoryLayout.size(ofValue: address))) == .YES
  }

  /// Has a connection wait until ``resume(_:)``. Only for the library's callbacks for that connection. The
  /// corresponding C function is `MHD_suspend_connection`.
  func suspend(_ connection: Connection) { functions.pointee.suspend_connection(connection.pointer) }

  /// Has a connection that waits go on. The corresponding C function is `MHD_resume_connection`.
  func resume(_ connection: Connection) { functions.pointee.resume_connection(connection.pointer) }

  /// The system's number for a connection's socket; negative for none. The corresponding C function is
  /// `MHD_get_connection_info`.
  func descriptor(of connection: Connection) -> Int32 { httpd_descriptor(connection.pointer) }

  /// The fields of a request of one kind, in order. The corresponding C function is
  /// `MHD_get_connection_values`.
  func fields(_ kind: MHD_ValueKind, of connection: Connection) -> [PanelRequest.Field] {
    var fields: [PanelRequest.Field] = []
    _ = withUnsafeMutablePointer(to: &fields) { fields in
      functions.pointee.get_connection_values(
        connection.pointer, kind,
        { place, _, name, value in
          guard let fields = place?.assumingMemoryBound(to: [PanelRequest.Field].self), let name else {
            return .NO
          }
          fields.pointee.append(
            PanelRequest.Field(name: String(cString: name), value: value.map { String(cString: $0) } ?? ""))
          return .YES
        }, fields)
    }
    return fields
  }

  /// Answers a request by some bytes; false when there is no memory for it. Only for the library's callbacks
  /// for that connection. The corresponding C functions are `MHD_create_response_from_buffer` and
  /// `MHD_queue_response`.
  func respond(
    to connection: Connection, _ status: UInt32, _ headers: [(String, String)], _ bytes: [UInt8]
  ) -> Bool {
    var bytes = bytes
    let response = bytes.withUnsafeMutableBytes {
      functions.pointee.create_response_from_buffer($0.count, $0.baseAddress, .RESPMEM_MUST_COPY)
    }
    return queue(response, status, headers, connection)
  }

  /// Answers a request by the pieces that `read` returns from time to time, until it returns the end.
  /// `release` is called in any case, when that is over. The corresponding C functions are
  /// `MHD_create_response_from_callback` and `MHD_queue_response`.
  func stream(
    to connection: Connection, _ headers: [(String, String)], _ source: UnsafeMutableRawPointer,
    read: MHD_ContentReaderCallback, release: MHD_ContentReaderFreeCallback
  ) -> Bool {
    // The length of the answer is not known yet.
    let response = functions.pointee.create_response_from_callback(UInt64.max, 4096, read, source, release)
    guard response != nil else {
      release(source)
      return false
    }
    return queue(response, 200, headers, connection)
  }

  private func queue(
    _ response: OpaquePointer?, _ status: UInt32, _ headers: [(String, String)], _ connection: Connection
  ) -> Bool {
    guard let response else { return false }
    for (name, value) in headers { _ = functions.pointee.add_response_header(response, name, value) }
    defer { functions.pointee.destroy_response(response) }
    return functions.pointee.queue_response(connection.pointer, status, response) == .YES
  }
}
