import Foundation
import Glibc
import Synchronization

/// Chromium without a window, controlled over its DevTools protocol, as by a user with a mouse, a keyboard, a
/// finger.
///
/// The browser ends with the object. Thread-safe: no; calls wait.
public final class Browser {
  private let child: Child
  private let folder: RuntimeFolder
  private let commands: Int32
  private let answers: Int32
  private var unread: [UInt8] = []
  private var count = 0
  private var session: String?

  /// Whether there is one.
  public static var isInstalled: Bool { Child.locate("chromium") != nil }

  /// Starts a browser with one page, that is empty.
  ///
  /// - Throws: ``StageError`` when it does not start.
  public init() throws(StageError) {
    folder = try RuntimeFolder()
    let paths = ["commands", "answers"].map { [folder] in "\(folder.path)/\($0)" }
    for path in paths {
      guard mkfifo(path, 0o600) == 0 else { throw .unusable("\(path) cannot be made") }
    }
    // Open at both ends, so that neither process waits for the other to open its end.
    commands = Glibc.open(paths[0], O_RDWR | O_CLOEXEC)
    answers = Glibc.open(paths[1], O_RDWR | O_CLOEXEC)
    let flags = [
      "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
      "--no-first-run", "--disable-background-networking", "--disable-sync", "--disable-extensions",
      "--disable-component-update", "--hide-scrollbars", "--user-data-dir=\(folder.path)/profile",
      "about:blank",
    ]
    child = try Child(
      "/bin/sh", ["-c", "exec chromium \"$@\" 3<\"$0\" 4>\"$BROWSER_ANSWERS\"", paths[0]] + flags,
      environment: ["BROWSER_ANSWERS": paths[1], "HOME": folder.path])
    let target = try ask("Target.createTarget", ["url": "about:blank"])["targetId"] as? String ?? ""
    session = try ask("Target.attachToTarget", ["targetId": target, "flatten": true])["sessionId"] as? String
    _ = try ask("Page.enable")
    _ = try ask("Runtime.enable")
  }

  deinit {
    child.terminate()
    close(commands)
    close(answers)
  }

  /// Makes the page as large as a telephone's, or a desktop's, in points.
  public func resize(width: Int, height: Int, isTelephone: Bool = false) throws(StageError) {
    _ = try ask(
      "Emulation.setDeviceMetricsOverride",
      ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": isTelephone])
    _ = try ask("Emulation.setTouchEmulationEnabled", ["enabled": isTelephone])
  }

  /// Goes to an address.
  public func open(_ address: String) throws(StageError) {
    _ = try ask("Page.navigate", ["url": address])
    try wait(
      until: "document.readyState === 'complete' && location.href !== 'about:blank'", "the page \(address)")
  }

  /// The value of an expression of the page's own language, as text.
  public func evaluate(_ expression: String) throws(StageError) -> String {
    let answer = try ask(
      "Runtime.evaluate",
      ["expression": "String(\(expression))", "returnByValue": true, "awaitPromise": true])
    guard answer["exceptionDetails"] == nil, let result = answer["result"] as? [String: Any] else {
      throw .unusable("\(expression): \(answer)")
    }
    return result["value"] as? String ?? ""
  }

  /// Waits until an expression is true.
  public func wait(
    until expression: String, _ what: String, within limit: Duration = .seconds(20)
  ) throws(StageError) {
    let deadline = ContinuousClock.now + limit
    while true {
      // Between two pages no page can answer.
      if let value = try? evaluate(expression), value == "true" { return }
      guard ContinuousClock.now < deadline else {
        let page = (try? evaluate("document.body.innerText")) ?? ""
        throw .timedOut(awaiting: what, transcript: page)
      }
      usleep(20_000)
    }
  }

  /// Presses and lets go a key, by the name that pages know it by.
  public func press(_ key: String) throws(StageError) {
    let names = [" ": ("Space", 32), "Tab": ("Tab", 9), "Enter": ("Enter", 13), "Escape": ("Escape", 27)]
    let (code, number) = names[key] ?? ("", Int(key.uppercased().utf8.first ?? 0))
    let text = key == "Enter" ? "\r" : key.count == 1 ? key : ""
    for kind in [text.isEmpty ? "rawKeyDown" : "keyDown", "keyUp"] {
      var event: [String: Any] = ["type": kind, "key": key, "code": code, "windowsVirtualKeyCode": number]
      if kind == "keyDown" { event["text"] = text }
      _ = try ask("Input.dispatchKeyEvent", event)
    }
  }

  /// Types a text.
  public func type(_ text: String) throws(StageError) { _ = try ask("Input.insertText", ["text": text]) }

  /// Presses in the middle of the element of a selector: with a mouse, or with a finger.
  public func press(at selector: String, byFinger: Bool = false) throws(StageError) {
    let place = try evaluate(
      """
      (() => { const e = document.querySelector(\(selector.debugDescription)); e.scrollIntoView({block: "nearest"}); \
      const b = e.getBoundingClientRect(); return (b.x + b.width / 2) + " " + (b.y + b.height / 2); })()
      """
    ).split(separator: " ").compactMap { Double($0) }
    guard place.count == 2 else { throw .unusable("there is no \(selector)") }
    if byFinger {
      _ = try ask(
        "Input.dispatchTouchEvent", ["type": "touchStart", "touchPoints": [["x": place[0], "y": place[1]]]])
      _ = try ask("Input.dispatchTouchEvent", ["type": "touchEnd", "touchPoints": [Any]()])
      return
    }
    for kind in ["mousePressed", "mouseReleased"] {
      _ = try ask(
        "Input.dispatchMouseEvent",
        ["type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1])
    }
  }

  /// The page's picture, as a PNG file's bytes.
  public func picture() throws(StageError) -> Data {
    let text = try ask("Page.captureScreenshot", ["format": "png"])["data"] as? String ?? ""
    guard let data = Data(base64Encoded: text), !data.isEmpty else { throw .unusable("there is no picture") }
    return data
  }

  // MARK: The protocol: objects of JSON, each ended by a byte of 0

  private func ask(_ method: String, _ parameters: [String: Any] = [:]) throws(StageError) -> [String: Any] {
    count += 1
    var message: [String: Any] = ["id": count, "method": method, "params": parameters]
    if let session { message["sessionId"] = session }
    guard let data = try? JSONSerialization.data(withJSONObject: message) else {
      throw .unusable("\(message)")
    }
    var rest = Array(data) + [0]
    while !rest.isEmpty {
      let written = write(commands, rest, rest.count)
      guard written > 0 else { throw .unusable("the browser takes no commands") }
      rest.removeFirst(written)
    }
    let deadline = ContinuousClock.now + .seconds(30)
    while true {
      guard let answer = try next(until: deadline) else {
        throw .timedOut(awaiting: method, transcript: child.text(of: .errors))
      }
      guard answer["id"] as? Int == count else { continue }
      guard let result = answer["result"] as? [String: Any] else { throw .unusable("\(method): \(answer)") }
      return result
    }
  }

  /// The next answer or event; nil when there is none in time.
  private func next(until deadline: ContinuousClock.Instant) throws(StageError) -> [String: Any]? {
    while true {
      if let end = unread.firstIndex(of: 0) {
        let data = Data(unread[..<end])
        unread.removeFirst(end + 1)
        return (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
      }
      let time = (deadline - .now) / .milliseconds(1)
      guard time > 0 else { return nil }
      if let status = child.status {
        throw .ended(awaiting: "the browser", status: status, transcript: child.text(of: .errors))
      }
      var wish = pollfd(fd: answers, events: Int16(POLLIN), revents: 0)
      guard poll(&wish, 1, Int32(min(time, 500))) > 0 else { continue }
      var piece = [UInt8](repeating: 0, count: 65536)
      let read = read(answers, &piece, piece.count)
      if read > 0 { unread += piece[..<read] }
    }
  }
}
