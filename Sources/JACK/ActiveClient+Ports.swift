extension ActiveClient {
  /// The full names of the ports that a port of this client is connected to, as `synth:midi_in`.
  ///
  /// Empty when there are none, the client has no such port or is closed, or its server is gone. Worth asking again
  /// after ``ServerEvent/graphOrderChanged``. The corresponding C function is `jack_port_get_all_connections`.
  ///
  /// - Parameter port: The port's name without the client's, as `click`.
  /// - Returns: The full names of the other ports.
  public func connections(of port: String) -> [String] {
    connection.callIfOpen { LibJACK.connections($0, of: "\(name):\(port)") } ?? []
  }

  /// Whether the server has a port of that full name; false when the client is closed, or its server gone.
  ///
  /// The corresponding C function is `jack_port_by_name`.
  public func hasPort(_ port: String) -> Bool {
    connection.callIfOpen { LibJACK.hasPort($0, port) } ?? false
  }

  /// Whether the server has a client with ports whose name begins so; false when this client is closed, or its server
  /// gone.
  ///
  /// The corresponding C function is `jack_get_ports`.
  ///
  /// - Parameter beginning: The beginning of the name, of letters alone, in upper or lower case.
  /// - Returns: Whether there is one.
  public func hasClients(beginning: String) -> Bool {
    let ports = connection.callIfOpen { LibJACK.ports($0) } ?? []
    return ports.contains { $0.lowercased().hasPrefix(beginning.lowercased()) }
  }

  /// Connects an output of this client to an input of any client.
  ///
  /// Waits for the server, which notifies all clients. The corresponding C function is `jack_connect`.
  ///
  /// - Parameters:
  ///   - port: The output's name without the client's, as `click`.
  ///   - other: The full name of the input.
  /// - Returns: Whether the two are connected now, or were before.
  @discardableResult
  public func connect(_ port: String, to other: String) -> Bool {
    let isConnected = try? connection.request { client, _ throws(JACKError) in
      LibJACK.connect(client, "\(name):\(port)", to: other)
    }
    return isConnected ?? false
  }
  /// Connects an input of this client with an output of any client.
  ///
  /// Waits for the server, which notifies all clients. The corresponding C function is `jack_connect`.
  ///
  /// - Parameters:
  ///   - port: The input's name without the client's, as `microphone`.
  ///   - other: The full name of the output.
  /// - Returns: Whether the two are connected now, or were before.
  @discardableResult
  public func connect(_ port: String, from other: String) -> Bool {
    let isConnected = try? connection.request { client, _ throws(JACKError) in
      LibJACK.connect(client, other, to: "\(name):\(port)")
    }
    return isConnected ?? false
  }

  /// Ends the connection of a port of this client with another.
  ///
  /// Waits for the server, which notifies all clients. The corresponding C function is `jack_disconnect`.
  ///
  /// - Parameters:
  ///   - port: The port's name without the client's, as `click`.
  ///   - other: The full name of the other port.
  /// - Returns: Whether the two are not connected now; false when this client has no such port or is closed, or its
  ///   server is gone.
  @discardableResult
  public func disconnect(_ port: String, from other: String) -> Bool {
    let isApart = try? connection.request { client, _ throws(JACKError) in
      let own = "\(name):\(port)"
      return LibJACK.isInput(client, own).map {
        $0 ? LibJACK.disconnect(client, other, from: own) : LibJACK.disconnect(client, own, from: other)
      }
    }
    return (isApart ?? nil) ?? false
  }
}
