// plainbridge - what a bridge's callbacks cost when they are written in C++, by hand and for one purpose: to publish
// Link's beat as JACK's timebase owner and to carry starts and stops across. The acceptance benchmark compares the time
// of the bridge's callbacks with the time of these.
//
// In a cycle they read, ask, compute and pass on what the bridge's do, by the same calls: cycle times, clocks paired
// every 50 ms, transport, latency, play state and owner from mailboxes, a captured session state with tempo and beat,
// peers, a command from a ring, the position of the next cycle as bar, beat and tick, and every 50 ms a status for
// another thread. They hold no start for its phase, follow no other owner, and know nothing of sound cards.
//
// Runs until TERM.
#include <ableton/Link.hpp>
#include <jack/jack.h>
#include <jack/transport.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>

namespace {

using Micros = std::chrono::microseconds;

constexpr double kQuantum = 4, kBeatsPerBar = 4, kTicksPerBeat = 1920000;
constexpr int64_t kPace = 50000;  // between two pairs of clock readings, and two reports, us

// The latest value, from one thread to another.
template <typename Value>
class Mailbox {
public:
  explicit Mailbox(const Value& initial) : mSlots{initial, initial, initial} {}
  void write(const Value& value) {
    mSlots[mWriter] = value;
    mWriter = mMiddle.exchange(mWriter | kNew, std::memory_order_acq_rel) & ~kNew;
  }
  const Value& read() {
    if (mMiddle.load(std::memory_order_relaxed) & kNew)
      mReader = mMiddle.exchange(mReader, std::memory_order_acq_rel) & ~kNew;
    return mSlots[mReader];
  }

private:
  static constexpr uint8_t kNew = 0x80;
  Value mSlots[3];
  std::atomic<uint8_t> mMiddle{2};
  uint8_t mWriter = 0, mReader = 1;
};

// Values in order, from one thread to another.
template <typename Value, std::size_t Size>
class Ring {
public:
  bool push(const Value& value) {
    const auto tail = mPushed.load(std::memory_order_relaxed);
    if (tail - mPopped.load(std::memory_order_acquire) >= Size) return false;
    mSlots[tail % Size] = value;
    mPushed.store(tail + 1, std::memory_order_release);
    return true;
  }
  bool pop(Value& value) {
    const auto head = mPopped.load(std::memory_order_relaxed);
    if (mPushed.load(std::memory_order_acquire) == head) return false;
    value = mSlots[head % Size];
    mPopped.store(head + 1, std::memory_order_release);
    return true;
  }

private:
  Value mSlots[Size];
  std::atomic<std::size_t> mPushed{0}, mPopped{0};
};

struct Play { bool isPlaying; int64_t time; };
enum class Owner { me, other, nobody };
enum class Command { start, stop };
enum class Notice { started, stopped };

struct Status {
  jack_transport_state_t state;
  jack_position_t position;
  Owner owner;
  double tempo, heard;
  bool isPlaying;
  std::size_t peers, commits;
};

class Bridge {
public:
  Bridge(ableton::Link& link, jack_client_t* client) : mLink(link), mClient(client) {
    mRate = jack_get_sample_rate(client);
  }

  Mailbox<double> latency{0};  // us
  Mailbox<Play> play{{false, 0}};
  Mailbox<Owner> owner{Owner::nobody};
  Mailbox<Status> status{Status{}};
  Ring<Command, 64> commands;
  Ring<Notice, 256> notices;

  int sync() {
    mIsDecided = true;
    decide();
    return 1;
  }

  int process() {
    if (!mIsDecided) decide();
    mIsDecided = false;
    return 0;
  }

  void timebase(jack_position_t* next) {
    if (!mKnows) { next->valid = jack_position_bits_t(0); return; }
    double position;
    if (mState == JackTransportStopped) {
      position = double(next->frame) * mTempo / (60.0 * mRate);
      mIsMoving = false;
    } else {
      const bool isExpected = next->frame == mExpectedFrame || next->frame == mFrame;
      if (!mIsMoving || !isExpected) {
        // The playhead's bar, with Link's phase.
        const double wanted = double(next->frame) * mTempo / (60.0 * mRate);
        mOffset = kQuantum * std::round((wanted - mBeat) / kQuantum);
        if (mBeat + mOffset < 0) mOffset += kQuantum;
        mIsMoving = true;
        mPublished = 0;
      }
      position = std::fmax(mBeat + mOffset, mPublished);
    }
    mPublished = position;
    const auto ticks = std::llround(position * kTicksPerBeat);
    const auto ticksPerBar = int64_t(kTicksPerBeat * kBeatsPerBar);
    const auto bar = ticks / ticksPerBar, inBar = ticks - bar * ticksPerBar;
    const auto beat = inBar / int64_t(kTicksPerBeat);
    next->bar = int32_t(bar + 1);
    next->beat = int32_t(beat + 1);
    next->tick = int32_t(inBar - beat * int64_t(kTicksPerBeat));
    next->bar_start_tick = double(bar * ticksPerBar);
    next->beats_per_bar = float(kBeatsPerBar);
    next->beat_type = 4;
    next->ticks_per_beat = kTicksPerBeat;
    next->beats_per_minute = mTempo;
    next->valid = JackPositionBBT;
  }

private:
  void decide() {
    jack_nframes_t clock;
    jack_time_t start, end;
    float period;
    if (jack_get_cycle_times(mClient, &clock, &start, &end, &period) != 0) return;
    const auto now = int64_t(start);
    if (!mKnows || std::llabs(now - mPaired) >= kPace) pair(now);
    const auto toLink = [&](jack_time_t time) {
      return double(time) + mClockOffset + double(int64_t(time) - mAnchor) * mSkew;
    };
    jack_position_t position;
    const auto state = jack_transport_query(mClient, &position);
    const double late = latency.read();
    auto session = mLink.captureAudioSessionState();
    const double tempo = session.tempo();
    const auto beatAt = [&](double time) {
      const double whole = std::floor(time);
      return session.beatAtTime(Micros(int64_t(whole)), kQuantum) + (time - whole) * tempo / 60e6;
    };
    const double next = toLink(end) + late;
    const Play press = play.read();
    const Owner who = this->owner.read();
    const auto peers = mLink.numPeers();
    const bool isEnabled = mLink.isEnabled();
    mBeat = beatAt(next);
    mTempo = tempo;
    mFrame = position.frame;
    mExpectedFrame = state == JackTransportRolling ? position.frame + jack_get_buffer_size(mClient) : position.frame;

    Command command;
    if (commands.pop(command)) {
      if (command == Command::start) jack_transport_start(mClient);
      else jack_transport_stop(mClient);
    }
    const bool plays = state != JackTransportStopped, played = mState != JackTransportStopped;
    if (mKnows && plays != played) {
      notices.push(plays ? Notice::started : Notice::stopped);
      if (plays != mLinkPlays && isEnabled) {
        session.setIsPlaying(plays, Micros(int64_t(next)));
        mLink.commitAudioSessionState(session);
        ++mCommits;
        mLinkPlays = plays;
      }
    } else if (press.isPlaying != mLinkPlays) {
      mLinkPlays = press.isPlaying;
      if (mLinkPlays) jack_transport_start(mClient);
      else jack_transport_stop(mClient);
    }
    mState = state;
    if (!mKnows || std::llabs(now - mReported) >= kPace) {
      mReported = now;
      status.write({state, position, who, tempo, beatAt(toLink(start) + late), mLinkPlays, peers, mCommits});
    }
    mKnows = true;
  }

  // The tightest of a second's pairs maps JACK's clock to Link's.
  void pair(int64_t now) {
    mPaired = now;
    const auto before = int64_t(jack_get_time());
    const auto link = mLink.clock().micros().count();
    const auto after = int64_t(jack_get_time());
    const double middle = double(before + after) / 2;
    if (mPairs == 0 || after - before <= mWidth) {
      if (mPairs > 0 && middle - double(mAnchor) > 1e6)
        mSkew = (double(link) - middle - mClockOffset) / (middle - double(mAnchor));
      mClockOffset = double(link) - middle;
      mAnchor = int64_t(middle);
      mWidth = after - before;
    }
    if (++mPairs == 20) mPairs = 0;
  }

  ableton::Link& mLink;
  jack_client_t* const mClient;
  double mRate;
  bool mIsDecided = false, mKnows = false, mIsMoving = false, mLinkPlays = false;
  int64_t mPaired = 0, mReported = 0, mAnchor = 0, mWidth = 0;
  int mPairs = 0;
  double mClockOffset = 0, mSkew = 0;
  double mBeat = 0, mTempo = 120, mOffset = 0, mPublished = 0;
  jack_nframes_t mFrame = 0, mExpectedFrame = 0;
  jack_transport_state_t mState = JackTransportStopped;
  std::size_t mCommits = 0;
};

}  // namespace

int main() {
  sigset_t end;
  sigemptyset(&end);
  sigaddset(&end, SIGTERM);
  // Before any thread starts, so that all of them leave the signal to the wait below.
  pthread_sigmask(SIG_BLOCK, &end, nullptr);

  ableton::Link link{120.};
  jack_client_t* client = jack_client_open("plainbridge", JackNoStartServer, nullptr);
  if (!client) {
    std::fprintf(stderr, "plainbridge: no JACK server; start one and name it in JACK_DEFAULT_SERVER\n");
    return 1;
  }
  Bridge bridge{link, client};
  link.setStartStopCallback([&](bool isPlaying) {
    bridge.play.write({isPlaying, link.clock().micros().count()});
  });
  link.enableStartStopSync(true);
  link.enable(true);

  jack_set_process_callback(
    client, [](jack_nframes_t, void* self) { return static_cast<Bridge*>(self)->process(); }, &bridge);
  jack_set_sync_callback(
    client, [](jack_transport_state_t, jack_position_t*, void* self) { return static_cast<Bridge*>(self)->sync(); },
    &bridge);
  if (jack_activate(client) != 0) {
    std::fprintf(stderr, "plainbridge: JACK does not activate the client; look at the server's messages\n");
    return 1;
  }
  const int taken = jack_set_timebase_callback(
    client, 0,
    [](jack_transport_state_t, jack_nframes_t, jack_position_t* next, int, void* self) {
      static_cast<Bridge*>(self)->timebase(next);
    },
    &bridge);
  if (taken != 0) {
    std::fprintf(stderr, "plainbridge: JACK refuses the timebase; let no other client own it\n");
    return 1;
  }
  bridge.owner.write(Owner::me);
  double latency = 0;  // us
  if (const char** ports =
        jack_get_ports(client, nullptr, JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput | JackPortIsPhysical)) {
    jack_latency_range_t range{};
    jack_port_get_latency_range(jack_port_by_name(client, ports[0]), JackPlaybackLatency, &range);
    latency = 1e6 * range.max / jack_get_sample_rate(client);
    jack_free(ports);
  }
  bridge.latency.write(latency);
  std::puts("ready");
  std::fflush(stdout);
  // Whoever shows the status does so some times in a second.
  timespec pause{0, 100000000};
  siginfo_t received;
  while (sigtimedwait(&end, &received, &pause) < 0) {
    bridge.status.read();
    for (Notice notice; bridge.notices.pop(notice);) {}
  }
  jack_client_close(client);
}
