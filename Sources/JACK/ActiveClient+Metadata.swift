extension ActiveClient {
  /// Stores a property of this client, where every other client can read it.
  ///
  /// Waits for the server and touches files: not for a thread in a hurry. The server removes a client's
  /// properties when it closes. The corresponding C function is `jack_set_property`.
  ///
  /// - Parameters:
  ///   - value: The value as text.
  ///   - key: The name of the property, by custom a URI.
  ///   - type: What the text stands for, a MIME type or a URI; `nil` for plain text.
  /// - Throws: ``JACKError`` when the client is closed, its server gone, or the call failed.
  public func setProperty(_ value: String, key: String, type: String? = nil) throws(JACKError) {
    guard isKey(key), !value.utf8.contains(0), type?.utf8.contains(0) != true else {
      throw .invalidProperty(key: key)
    }
    try connection.requestMetadata { client throws(JACKError) in
      let subject = try LibJACK.uuid(of: client)
      let code = LibJACK.setProperty(client, of: subject, key: key, value: value, type: type)
      guard code == 0 else { throw .callFailed(function: "jack_set_property", code: code) }
    }
  }

  /// Reads a property of this client; `nil` when there is none of that key.
  ///
  /// Waits for the server. The corresponding C function is `jack_get_property`.
  ///
  /// - Throws: ``JACKError`` when the client is closed, its server gone, or the call failed.
  public func property(key: String) throws(JACKError) -> Property? {
    guard isKey(key) else { throw .invalidProperty(key: key) }
    return try connection.requestMetadata { client throws(JACKError) in
      LibJACK.property(of: try LibJACK.uuid(of: client), key: key)
    }
  }

  /// Removes a property of this client.
  ///
  /// Waits for the server. The corresponding C function is `jack_remove_property`.
  ///
  /// - Throws: ``JACKError`` when there is none of that key, the client is closed, or its server gone.
  public func removeProperty(key: String) throws(JACKError) {
    guard isKey(key) else { throw .invalidProperty(key: key) }
    try connection.requestMetadata { client throws(JACKError) in
      let code = LibJACK.removeProperty(client, of: try LibJACK.uuid(of: client), key: key)
      guard code == 0 else { throw .callFailed(function: "jack_remove_property", code: code) }
    }
  }

  private func isKey(_ key: String) -> Bool { !key.isEmpty && !key.utf8.contains(0) }
}
