import Foundation
import MusicalTime
import Testing

@testable import AbletonLink

extension AbletonLinkTests {
  @Suite("A link by itself", .serialized)
  struct LinkTests {
    @Test func `A new link is disabled, alone, stopped, at beat zero and at its own tempo`() throws {
      let link = try Link(tempo: tempo(97.5))
      let state = link.captureSessionState()
      #expect(!link.isEnabled)
      #expect(!link.isStartStopSyncEnabled)
      #expect(link.numberOfPeers == 0)
      #expect(!link.isConnected)
      #expect(!state.isPlaying)
      #expect(state.tempo == (try tempo(97.5)))
      let beat = try state.beat(at: link.now(), quantum: quantum(4))
      #expect(try beat >= .zero && beat < beatTime(8))
    }

    @Test func `The release of Link is that of the headers that it was built with`() throws {
      // A checkout's release cannot be compared; that of Debian's package can.
      guard getenv("ABLETON_LINK_SOURCE") == nil,
        let text = try? String(contentsOfFile: "/var/lib/dpkg/status", encoding: .utf8),
        let package = text.firstRange(of: "Package: ableton-link-dev\n"),
        let version = text[package.upperBound...].firstMatch(of: /\nVersion: (\d+\.\d+)/)
      else {
        #expect(["3.0", "3.1", "4.0"].contains(Link.release))
        return
      }
      #expect(Link.release == version.1)
    }

    @Test func `Link's clock is the raw monotonic clock of the system`() throws {
      let link = try Link(tempo: .standard)
      var reading = timespec()
      let before = link.now()
      clock_gettime(CLOCK_MONOTONIC_RAW, &reading)
      let after = link.now()
      let nanoseconds = Int64(reading.tv_sec) * 1_000_000_000 + Int64(reading.tv_nsec)
      let time = HostTime<LinkClock>(nanoseconds: nanoseconds)
      #expect(before <= time)
      #expect(time < after + HostInterval(microseconds: 1))
    }

    @Test func `Without file descriptors no link can be made, and the error has the reason`() async {
      // In a process of its own: the tests beside this one want to open files.
      await #expect(processExitsWith: .success) {
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        getrlimit(files, &limit)
        var none = rlimit(rlim_cur: 0, rlim_max: limit.rlim_max)
        let result = Result { () throws(LinkError) in
          setrlimit(files, &none)
          defer { setrlimit(files, &limit) }
          return try Link(tempo: .standard)
        }
        guard case .failure(.cannotStart(let reason)) = result else {
          Issue.record("a link was made")
          return
        }
        #expect(reason.contains("Too many open files"))
        #expect(LinkError.cannotStart(reason: reason).description.contains(reason))
      }
    }

    @Test func `Being enabled shows at once, and every listener gets each change once`() async throws {
      let link = try Link(tempo: .standard)
      let first = link.enabledChanges()
      let second = link.enabledChanges()
      link.setEnabled(true)
      #expect(link.isEnabled)
      link.setEnabled(true)
      link.setEnabled(false)
      #expect(!link.isEnabled)
      for stream in [first, second] {
        #expect(await next(of: stream) == true)
        #expect(await next(of: stream) == false)
      }
    }

    @Test func `Sharing starts and stops shows at once, and listeners get each change once`() async throws {
      let link = try Link(tempo: .standard)
      let changes = link.startStopSyncChanges()
      link.setStartStopSyncEnabled(true)
      #expect(link.isStartStopSyncEnabled)
      link.setStartStopSyncEnabled(true)
      link.setStartStopSyncEnabled(false)
      #expect(await next(of: changes) == true)
      #expect(await next(of: changes) == false)
    }

    @Test func `A listener gets its own link's changes, too`() async throws {
      let link = try Link(tempo: .standard)
      let tempos = link.tempoChanges()
      let starts = link.isPlayingChanges()
      let fast = try tempo(150)
      link.change { state in
        state.setTempo(fast, at: link.now())
        state.setIsPlaying(true, at: link.now())
      }
      #expect(await next(of: tempos) == fast)
      #expect(await next(of: starts) == true)
    }

    @Test func `Enabling without a session to join changes neither tempo nor beat`() async throws {
      let link = try Link(tempo: tempo(90))
      let four = try quantum(4)
      let time = link.now() + HostInterval(microseconds: 5_000_000)
      let beat = link.captureSessionState().beat(at: time, quantum: four)
      let changes = link.tempoChanges()
      // That a later peer finds the link, and joins it, shows that the link took part.
      link.setEnabled(true)
      try await eventually { !link.isSettling }
      let probe = try Link(tempo: tempo(100))
      probe.setEnabled(true)
      try await eventually { link.isConnected && probe.isConnected }
      let state = link.captureSessionState()
      #expect(state.tempo == (try tempo(90)))
      #expect(try (state.beat(at: time, quantum: four) - beat).magnitude < beats(0.001))
      link.change { [other = try tempo(91)] in $0.setTempo(other, at: link.now()) }
      #expect(await next(of: changes) == (try tempo(91)), "the first change is the link's own")
    }

    @Test("All streams end when the link goes, and a stream asked of no one's end at once")
    func ends() async throws {
      var link: Link? = try Link(tempo: .standard)
      let enabled = try #require(link?.enabledChanges())
      let sync = try #require(link?.startStopSyncChanges())
      let peers = try #require(link?.peerCountChanges())
      let tempos = try #require(link?.tempoChanges())
      let playing = try #require(link?.isPlayingChanges())
      link?.setEnabled(true)
      link = nil
      #expect(await enabled.reduce(into: []) { $0.append($1) } == [true])
      #expect(await sync.first { _ in true } == nil)
      #expect(await peers.first { _ in true } == nil)
      #expect(await tempos.first { _ in true } == nil)
      #expect(await playing.first { _ in true } == nil)
    }

    @Test func `A link that goes while it changes calls no listener afterwards`() async throws {
      for _ in 0..<20 {
        let link = try Link(tempo: .standard)
        let tempos = link.tempoChanges()
        for bpm in stride(from: 100.0, to: 110, by: 1) {
          let other = try tempo(bpm)
          link.change { $0.setTempo(other, at: link.now()) }
        }
        Task.detached { for await _ in tempos {} }
      }
    }

    @Test func `A second audio thread is a mistake that traps`() async {
      await #expect(processExitsWith: .failure) {
        let link = try Link(tempo: .standard)
        _ = link.makeAudioThreadAccess()
        _ = link.makeAudioThreadAccess()
      }
    }
  }
}
