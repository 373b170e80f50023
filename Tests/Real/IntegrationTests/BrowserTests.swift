import Foundation
import Glibc
import Stage
import Testing

/// The panel in a real browser: `make test-panel` installs one; without, these are left out.
@Suite(.serialized, .alone, .enabled(if: Browser.isInstalled, "make test-panel installs Chromium"))
struct BrowserTests {
  private let folder: RuntimeFolder

  init() throws { folder = try RuntimeFolder() }

  /// Keeps pictures of the page, for people, in the folder `JACKSTAY_PICTURES`.
  private func keepPicture(_ browser: Browser, _ name: String) throws {
    guard let folder = ProcessInfo.processInfo.environment["JACKSTAY_PICTURES"] else { return }
    try browser.picture().write(to: URL(filePath: "\(folder)/\(name).png"))
  }

  /// Whether nothing of the page is beside the window, or hidden behind something else.
  private func expectFits(_ browser: Browser, _ comment: String) throws {
    #expect(
      try browser.evaluate("document.documentElement.scrollWidth <= innerWidth") == "true", "\(comment)")
    let outside = try browser.evaluate(
      """
      [...document.querySelectorAll("button, input, p, output")].filter((e) => !e.closest("dialog")).filter((e) => {
        const b = e.getBoundingClientRect();
        const isCut = e.scrollWidth > e.clientWidth + 1;
        return b.width > 0 && (b.left < 0 || b.right > innerWidth || isCut);
      }).map((e) => e.id || e.textContent).join()
      """)
    #expect(outside.isEmpty, "\(comment): \(outside)")
    let small = try browser.evaluate(
      """
      [...document.querySelectorAll("button")].filter((e) => !e.closest("dialog")).filter((e) => {
        const b = e.getBoundingClientRect();
        return b.width < 44 || b.height < 44;
      }).map((e) => e.id).join()
      """)
    #expect(small.isEmpty, "\(comment): too small for a thumb: \(small)")
  }

  @Test func `A thumb and a keyboard there move JACK and Link, and the page shows it`() throws {
    let scene = try Scene(flags: ["--panel", "8090"], environment: folder.environment)
    let browser = try Browser()
    try browser.resize(width: 360, height: 740, isTelephone: true)
    try browser.open("http://127.0.0.1:8090/")
    try browser.wait(until: "document.getElementById('tempo').value === '120.00'", "the tempo")
    try scene.join()
    try browser.wait(until: "document.getElementById('peers').textContent === '1 peer'", "the peer")
    try browser.wait(
      until: "document.getElementById('addresses').innerText === 'Peers: 127.0.0.1'", "the peer's address")
    try expectFits(browser, "a telephone")
    try keepPicture(browser, "telephone-stopped")

    try browser.press(at: "#start", byFinger: true)
    #expect(try scene.probe.awaitState("rolling"))
    try browser.wait(until: "document.body.className === 'rolling'", "the roll")
    #expect(try browser.evaluate("document.getElementById('start').getAttribute('aria-pressed')") == "true")
    // Between two updates the page counts on by itself.
    let cells = "[...document.querySelectorAll('.cell i')].map((e) => e.style.transform).join()"
    let first = try browser.evaluate(cells)
    try browser.wait(until: "(\(cells)) !== \(first.debugDescription)", "movement")
    #expect(try browser.evaluate("document.querySelectorAll('.cell').length") == "4")
    let place = try browser.evaluate("document.getElementById('position').textContent")
    #expect(place.contains(/^[0-9]+\.[1-4]$/), "\(place)")
    try keepPicture(browser, "telephone-rolling")

    for _ in 0..<3 { try browser.press("+") }
    try browser.press("-")
    #expect(
      try scene.probe.awaitPeers { $0["link_bpm"].map { abs($0 - 122) < 0.01 } == true }["link_bpm"] != nil)
    try browser.press(at: "#tempo", byFinger: true)
    try browser.wait(until: "document.activeElement.id === 'tempo'", "the field")
    try browser.type("97.5")
    try browser.press("Enter")
    #expect(
      try scene.probe.awaitPeers { $0["link_bpm"].map { abs($0 - 97.5) < 0.01 } == true }["link_bpm"] != nil)
    try browser.wait(until: "document.getElementById('tempo').value === '97.50'", "the new tempo")
    try browser.press("m")
    try browser.wait(
      until: "document.querySelector('#mode [aria-pressed=true]').textContent === 'link'", "the mode")
    try browser.press(">")
    try browser.wait(until: "document.getElementById('offset').textContent === '+1 ms'", "the offset")
    try browser.press("Q")
    try browser.wait(
      until: "document.querySelectorAll('#cells > *').length === 5", "the cells of the longer quantum")
    try browser.press("q")
    try browser.wait(
      until: "document.querySelectorAll('#cells > *').length === 4", "the cells of the quantum")
    // A button that was clicked keeps the focus, and space is not for that.
    try browser.press(at: "#start")
    #expect(try browser.evaluate("document.activeElement.id") == "start")
    try browser.press(" ")
    #expect(try scene.probe.awaitState("stopped"))
    try browser.wait(until: "document.body.className === ''", "the stop")
    try browser.wait(
      until: "(\(cells)).split(',').every((cell) => cell === 'scaleX(0)')", "cells that are empty")
    try browser.press(at: "#faster")
    try browser.wait(until: "document.getElementById('tempo').value === '98.50'", "the step")
    try browser.press(" ")
    #expect(try scene.probe.awaitState("rolling"))
    try browser.wait(until: "document.body.className === 'rolling'", "the roll")
    try browser.press("Tab")
    try browser.press(" ")
    #expect(try scene.probe.awaitState("stopped"))
    #expect(try browser.evaluate("document.getElementById('tempo').value") == "98.50")
    try browser.press(at: "#slower")
    try browser.press("?")
    try browser.wait(until: "document.getElementById('help').open", "the keys")
    try keepPicture(browser, "telephone-keys")
    try browser.press("Escape")
    try browser.wait(until: "!document.getElementById('help').open", "the page")

    // By keys alone: one after the other they can be come to, are seen to be, and are pressed by Enter.
    var names: [String] = []
    for _ in 0..<16 {
      try browser.press("Tab")
      names.append(try browser.evaluate("document.activeElement.id || document.activeElement.textContent"))
      let outline = try browser.evaluate("getComputedStyle(document.activeElement).outlineStyle")
      #expect(outline == "solid" || names.last == "" || names.last?.contains("\n") == true, "\(names)")
      if names.last == "start" { break }
    }
    #expect(names.contains("tap") && names.last == "start", "\(names)")
    try browser.press("Enter")
    #expect(try scene.probe.awaitState("rolling"))

    for (width, height) in [(360, 740), (320, 568), (740, 360), (768, 1024), (1280, 800)] {
      try browser.resize(width: width, height: height)
      try expectFits(browser, "\(width) by \(height)")
    }
    try keepPicture(browser, "desktop-rolling")
    let faults = try browser.evaluate(
      "performance.getEntriesByType('resource').filter((e) => !e.name.startsWith(location.origin)).length")
    #expect(faults == "0")
  }

  @Test func `It fits at every width, with a long tempo and sixteen beats`() throws {
    let scene = try Scene(
      flags: ["--panel", "8090", "--quantum", "16"], environment: folder.environment)
    let browser = try Browser()
    try browser.resize(width: 320, height: 568, isTelephone: true)
    try browser.open("http://127.0.0.1:8090/")
    try browser.wait(until: "document.getElementById('tempo').value === '120.00'", "the page")
    try scene.join()
    try browser.press(at: "#tempo")
    try browser.type("199.99")
    try browser.press("Enter")
    try browser.wait(until: "document.getElementById('tempo').value === '199.99'", "the tempo")
    try browser.press(" ")
    #expect(try scene.probe.awaitState("rolling"))
    for width in Array(stride(from: 320, through: 1920, by: 40)) + [719, 850] {
      for height in [width < 720 ? 740 : 1024, 500] {
        try browser.resize(width: width, height: height)
        try expectFits(browser, "\(width) by \(height)")
        let broken = try browser.evaluate(
          """
          [...document.querySelectorAll(".cell")].filter((e) => {
            const [cell, number] = [e.getBoundingClientRect(), e.querySelector("b").getBoundingClientRect()];
            return number.right > cell.right || number.bottom > cell.bottom || number.height > 24;
          }).map((e) => e.textContent).join()
          """)
        #expect(broken.isEmpty, "\(width) by \(height): \(broken)")
        let high = try browser.evaluate(
          "Math.max(...[...document.querySelectorAll('button')].map((e) => e.getBoundingClientRect().height))"
        )
        #expect(Double(high).map { $0 <= 161 } == true, "\(width) by \(height): \(high)")
      }
      if [320, 720, 850, 1920].contains(width) { try keepPicture(browser, "quantum-16-at-\(width)") }
    }
  }

  @Test func `A press that a hung bridge does not answer is reported, and not carried out later`() throws {
    let scene = try Scene(flags: ["--panel", "8090"], environment: folder.environment)
    let browser = try Browser()
    try browser.open("http://127.0.0.1:8090/")
    try browser.wait(until: "document.getElementById('state').textContent.startsWith('JACK')", "the status")
    scene.bridge.signal(SIGSTOP)
    try browser.press(at: "#start")
    try browser.wait(
      until: "document.getElementById('message').textContent.startsWith('The bridge does not answer')",
      "the reason")
    scene.bridge.signal(SIGCONT)
    try browser.wait(until: "document.getElementById('lost').hidden", "an answer")
    // A later press comes after the earlier one.
    try browser.press("m")
    try browser.wait(
      until: "document.querySelector('#mode [aria-pressed=true]').textContent === 'link'", "the mode")
    #expect(try scene.probe.awaitState("stopped"))
  }

  @Test func `The page reports when the bridge has gone, and comes back with it`() throws {
    let bridge = { [folder] (port: String) in
      let bridge = try Child(
        Products.path("jackstay"), ["--panel", port],
        environment: [
          "HOME": "/nowhere", "XDG_CONFIG_HOME": nil, "XDG_RUNTIME_DIR": folder.path,
          "JACK_DEFAULT_SERVER": "jackstay-nobody", "JACK_NO_START_SERVER": "1",
        ], streams: .pipes)
      let line = try bridge.awaitLine(in: .errors, "the link") { $0.contains("web panel: http") }
      return (bridge, String(line.text.split(separator: " ").last ?? ""))
    }
    let (first, link) = try bridge("8091")
    let browser = try Browser()
    try browser.resize(width: 360, height: 740, isTelephone: true)
    try browser.open(link)
    try browser.wait(until: "document.getElementById('state').textContent === 'waits for JACK'", "the state")
    first.kill()
    try browser.wait(until: "!document.getElementById('lost').hidden", "the loss")
    try keepPicture(browser, "telephone-lost")
    try browser.press("m")
    try browser.wait(
      until: "document.getElementById('message').textContent.startsWith('Not sent')", "the answer")
    let (second, _) = try bridge("8091")
    try browser.wait(until: "document.getElementById('lost').hidden", "the bridge")
    try browser.press("m")
    try browser.wait(
      until: "document.querySelector('#mode [aria-pressed=true]').textContent === 'link'", "the mode")

    // A bridge that hangs does not answer; and then goes on.
    second.signal(SIGSTOP)
    try browser.wait(until: "!document.getElementById('lost').hidden", "silence")
    second.signal(SIGCONT)
    try browser.wait(until: "document.getElementById('lost').hidden", "an answer")
    #expect(second.terminate().isSuccess)

    // A new run has a new token: a browser with the old link gets an error.
    let (third, old) = try bridge("0.0.0.0:8092")
    try browser.open(old)
    try browser.wait(until: "document.getElementById('state').textContent === 'waits for JACK'", "the state")
    third.kill()
    let (fourth, new) = try bridge("0.0.0.0:8092")
    #expect(old != new)
    try browser.wait(
      until: "document.getElementById('lost').textContent.startsWith('This link is not right')", "the reason")
    #expect(fourth.terminate().isSuccess)
  }
}
