// plainbridge - the floor under the bridge: in each cycle the calls into JACK and Link that the bridge makes
// in one, and one position made of their results, by hand in C++. The acceptance benchmark compares the two.
//
// It stands for the bridge while JACK rolls and Link leads, the state that a session is in for hours. It
// makes as many calls of each kind then, at the same pace, and its position is right: Link's beat as it is
// heard. The benchmark counts the calls of both into libjack and the clocks, and measures how far this
// position is from Link.
//
// It can do nothing else, so no bridge can be as quick. These parts are left out:
// - all decisions: starts, stops, locates, waits for a phase, other owners of the timebase, commands, all
//   requests to JACK and commits to Link; and the sync callback, which JACK does not call while it rolls;
// - what makes the position steady: here it jumps, and goes back, when Link's beat does, and frame 0 is not bar 1;
// - what makes it right on a machine that is late: JACK's times are believed as they are;
// - messages between threads, and reports for people: a cycle's observation is only written down;
// - a latency, a meter or a quantum that changes, and servers that go and come.
//
// Prints "ready" when it owns the timebase, and runs until TERM.
#include <ableton/Link.hpp>
#include <jack/jack.h>
#include <jack/transport.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>

namespace {

using std::chrono::microseconds;

constexpr jack_time_t kPace = 50'000;  // between two comparisons of the clocks, and two reports, in microseconds
constexpr double kQuantum = 4, kLongestQuantum = 1 << 20;
constexpr std::int64_t kBeatsPerBar = 4, kTicksPerBeat = 1'920'000;

// A cycle's observation. It is kept, so that the compiler cannot leave out a call whose answer is not used.
struct Seen {
  jack_nframes_t frame = 0;
  jack_transport_state_t state = JackTransportStopped;
  double tempo = 120, beat = -1, playBeat = 0;
  bool isPlaying = false, isEnabled = false;
  microseconds playTime{0};
  std::size_t peers = 0;
  double heard = 0;
  jack_position_t shown{};
};

class PlainBridge {
public:
  PlainBridge(ableton::Link& link, jack_client_t* client)
    : mLink(link), mClient(client), mLatency(outputLatency(client)) {}

  void process() {
    const auto wakeUp = jack_get_time();
    jack_nframes_t serverFrame;
    jack_time_t start, next;
    float period;
    if (jack_get_cycle_times(mClient, &serverFrame, &start, &next, &period) != 0) return;
    if (wakeUp - mPaired >= kPace) pairClocks(wakeUp);
    jack_position_t position;
    mSeen.state = jack_transport_query(mClient, &position);
    mSeen.frame = position.frame;
    const auto session = mLink.captureAudioSessionState();
    mSeen.tempo = session.tempo();
    mSeen.beat = session.beatAtTime(output(next), kQuantum);
    mSeen.isPlaying = session.isPlaying();
    mSeen.playTime = session.timeForIsPlaying();
    mSeen.playBeat = session.phaseAtTime(session.timeForIsPlaying(), kLongestQuantum);
    mSeen.isEnabled = mLink.isEnabled();
    mSeen.peers = mLink.numPeers();
    // The bridge, too, seldom does both in one cycle.
    if (mHasReported || wakeUp - mPaired < kPace / 2) return;
    mHasReported = true;
    mSeen.heard = session.beatAtTime(output(start), kQuantum);
    jack_transport_query(mClient, &mSeen.shown);
  }

  void timebase(jack_position_t& next) const {
    const auto ticks = std::llround(mSeen.beat * kTicksPerBeat);
    // There are no bars before the first.
    next.valid = ticks < 0 ? jack_position_bits_t(0) : JackPositionBBT;
    if (ticks < 0) return;
    next.bar = std::int32_t(ticks / kTicksPerBeat / kBeatsPerBar + 1);
    next.beat = std::int32_t(ticks / kTicksPerBeat % kBeatsPerBar + 1);
    next.tick = std::int32_t(ticks % kTicksPerBeat);
    next.bar_start_tick = double(next.bar - 1) * kBeatsPerBar * kTicksPerBeat;
    next.beats_per_bar = kBeatsPerBar;
    next.beat_type = 4;
    next.ticks_per_beat = kTicksPerBeat;
    next.beats_per_minute = mSeen.tempo;
  }

private:
  // The largest playback latency of the server's outputs.
  static microseconds outputLatency(jack_client_t* client) {
    jack_nframes_t largest = 0;
    const auto flags = JackPortIsInput | JackPortIsPhysical;
    const char** names = jack_get_ports(client, nullptr, JACK_DEFAULT_AUDIO_TYPE, flags);
    for (const char** name = names; name && *name; ++name) {
      jack_latency_range_t range{};
      jack_port_get_latency_range(jack_port_by_name(client, *name), JackPlaybackLatency, &range);
      largest = std::max(largest, range.max);
    }
    jack_free(names);
    return microseconds(std::llround(largest * 1e6 / jack_get_sample_rate(client)));
  }

  void pairClocks(jack_time_t time) {
    mPaired = time;
    mHasReported = false;
    const auto before = jack_get_time();
    const auto link = mLink.clock().micros();
    const auto after = jack_get_time();
    mOffset = link - microseconds(before + (after - before) / 2);
  }

  // The time on Link's clock at which a frame of a JACK time is heard.
  microseconds output(jack_time_t time) const { return microseconds(time) + mOffset + mLatency; }

  ableton::Link& mLink;
  jack_client_t* const mClient;
  const microseconds mLatency;
  // From here on the real-time thread's alone.
  microseconds mOffset{0};
  jack_time_t mPaired = 0;
  bool mHasReported = false;
  Seen mSeen;
};

int fail(const char* what) {
  std::fprintf(stderr, "plainbridge: %s\n", what);
  return 1;
}

}  // namespace

int main() {
  sigset_t end;
  sigemptyset(&end);
  sigaddset(&end, SIGTERM);
  // Before any thread starts, so that all of them leave the signal to the wait below.
  pthread_sigmask(SIG_BLOCK, &end, nullptr);

  ableton::Link link{120.};
  link.enableStartStopSync(true);
  link.enable(true);
  jack_client_t* client = jack_client_open("plainbridge", JackNoStartServer, nullptr);
  if (!client) return fail("no JACK server; start one and name it in JACK_DEFAULT_SERVER");
  PlainBridge bridge{link, client};
  const auto onProcess = [](jack_nframes_t, void* self) {
    static_cast<PlainBridge*>(self)->process();
    return 0;
  };
  const auto onTimebase = [](jack_transport_state_t, jack_nframes_t, jack_position_t* next, int, void* self) {
    static_cast<PlainBridge*>(self)->timebase(*next);
  };
  jack_set_process_callback(client, onProcess, &bridge);
  if (jack_set_timebase_callback(client, 0, onTimebase, &bridge) != 0)
    return fail("JACK refuses the timebase; let no other client own it");
  if (jack_activate(client) != 0) return fail("JACK does not activate the client; look at the server's messages");
  std::puts("ready");
  std::fflush(stdout);
  int received;
  sigwait(&end, &received);
  jack_client_close(client);
}
