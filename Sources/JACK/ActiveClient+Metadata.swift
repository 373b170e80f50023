extension ActiveClient {
  /// An element for changes of properties since the last one, of any client and by any, this one's own
  /// writing included; for one reader. It ends as ``events`` do.
  ///
  /// The corresponding C function is `jack_set_property_change_callback`.
  public var propertyChanges: AsyncStream<Void> { connection.notifications.propertyChanges }

  /// Stores a property of this client, where every other client can read it, and write it.
  ///
  /// Waits for the server, which notifies all clients, one after the other, and touches files: not for a
  /// thread in a hurry. A client's properties go when it closes, also if its server has died. The
  /// corresponding C function is `jack_set_property`.
  ///
  /// - Parameters:
  ///   - value: The value as text; JACK stores no empty one.
  ///   - key: The name of the property, by custom a URI.
  ///   - type: The type of the value, a MIME type or a URI; `nil` for plain text.
  /// - Throws: ``JACKError`` when the client is closed, its server gone, or the call failed.
  public func setProperty(_ value: String, key: String, type: String? = nil) throws(JACKError) {
    guard isKey(key), !value.utf8.contains(0), type?.utf8.contains(0) != true else {
      throw .invalidProperty(key: key)
    }
    try connection.requestMetadata { client, record throws(JACKError) in
      let subject = try record.subject(client)
      let code = LibJACK.setProperty(client, of: subject, key: key, value: value, type: type)
      guard code == 0 else { throw .callFailed(function: "jack_set_property", code: code) }
      record.keys.insert(key)
    }
  }

  /// Reads a property of this client; `nil` when there is none of that key.
  ///
  /// Waits for the server. The corresponding C function is `jack_get_property`.
  ///
  /// - Throws: ``JACKError`` when the client is closed, its server gone, or the call failed.
  public func property(key: String) throws(JACKError) -> Property? {
    guard isKey(key) else { throw .invalidProperty(key: key) }
    return try connection.requestMetadata { client, record throws(JACKError) in
      LibJACK.property(of: try record.subject(client), key: key)
    }
  }

  /// Removes a property of this client.
  ///
  /// Waits for the server. The corresponding C function is `jack_remove_property`.
  ///
  /// - Throws: ``JACKError`` when there is none of that key, the client is closed, or its server gone.
  public func removeProperty(key: String) throws(JACKError) {
    guard isKey(key) else { throw .invalidProperty(key: key) }
    try connection.requestMetadata { client, record throws(JACKError) in
      let code = LibJACK.removeProperty(client, of: try record.subject(client), key: key)
      guard code == 0 else { throw .callFailed(function: "jack_remove_property", code: code) }
      record.keys.remove(key)
    }
  }

  private func isKey(_ key: String) -> Bool { !key.isEmpty && !key.utf8.contains(0) }
}
