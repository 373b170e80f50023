import JSON
import Web

extension WebGuest {
  /// Posts a command to the connected panel, as the page does, and returns the answer.
  func tell(_ command: String, query: String = "") throws -> JSONObject {
    let body = "{\"command\":\"\(command)\"}"
    send(
      "POST /command\(query) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Origin: http://localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    return try JSONObject(parsing: answer().body.utf8)
  }
}
