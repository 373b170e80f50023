// recorder - when programs sound: a JACK client that listens to other clients' ports and says, in microseconds of the
// monotonic clock, when each of their clicks is heard.
//
// It knows nothing of the bridge, of Link, or of JACK's times, which are wrong for seconds after a missed
// deadline: the time of a cycle follows from when its clients woke up. None wakes up early, and the frames
// between two cycles are counted, so the earliest of some hundred milliseconds tells when each of them was
// due. Sound that leaves a port is heard a playback latency later, as the ports of the sound card have it.
//
// usage: recorder PORT...      ports of audio or MIDI; those that are not there yet, or not any more, are connected when
//                              they appear
//
// A line for each of these, until TERM:
//   connected PORT
//   click PORT MICROSECONDS PEAK    audio that was silent for 30 ms is not any more; the largest sample of the next 10 ms
//   midi PORT MICROSECONDS STATUS   a MIDI message, by its first byte, for example 248 for a clock and 250 for a start
//   gap MICROSECONDS                a cycle came a whole period late, or more: JACK missed a deadline
//   restless MICROSECONDS MEAN      in the last half second wake-ups were late by so much on average, in microseconds, which
//                                   is much: programs that go by theirs are not where they think
//   lost NUMBER                     so many were not written because there was no room
#include <jack/jack.h>
#include <jack/midiport.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <string>
#include <thread>
#include <vector>

namespace {

// Sound that is louder than this is a click: little, as there are some that begin softly.
constexpr float kLoud = 0.002f;
constexpr double kSilence = 0.030, kAttack = 0.010;  // s
// For how long wake-ups tell when a cycle was due, us.
constexpr double kTold = 250'000;
// The mean lateness from which wake-ups are reported, us.
constexpr double kRestless = 300;

double monotonic() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return double(now.tv_sec) * 1e6 + double(now.tv_nsec) / 1e3;
}

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
  std::vector<Value> mSlots = std::vector<Value>(Size);
  std::atomic<std::size_t> mPushed{0}, mPopped{0};
};

struct Cycle {
  double woken;         // us
  std::uint32_t frame;  // by the server's count
};

struct Sound {
  int source;
  std::uint32_t frame;
  float peak;           // of a click
  int status;           // of a MIDI message, or -1
};

struct Source {
  int index = 0;
  std::string name;
  jack_port_t* input = nullptr;  // set before `isOpen`
  std::atomic<bool> isOpen{false};
  bool isMidi = false;
  // The rest is the real-time thread's.
  double quietFor = kSilence;
  Sound click{};
  double attackLeft = 0;
};

class Recorder {
public:
  Recorder(jack_client_t* client, const std::vector<std::string>& names)
    : mClient(client), mRate(jack_get_sample_rate(client)), mSources(names.size()) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      mSources[i].name = names[i];
      mSources[i].index = int(i);
    }
  }

  int process(jack_nframes_t frames) {
    const Cycle cycle{monotonic(), jack_last_frame_time(mClient)};
    if (!mCycles.push(cycle)) ++mLost;
    for (auto& source : mSources)
      if (source.isOpen.load(std::memory_order_acquire)) listen(source, cycle.frame, frames);
    return 0;
  }

  // Connects what has appeared, and writes what is known by now.
  void look() {
    for (auto& source : mSources) {
      // Its program may have ended, and be started again.
      if (source.isOpen && !jack_port_connected(source.input)) source.isOpen.store(false, std::memory_order_release);
      if (!source.isOpen) open(source);
    }
    Cycle cycle;
    while (mCycles.pop(cycle)) {
      if (!mKnown.empty()) {
        const auto& last = mKnown.back();
        const double period = jack_get_buffer_size(mClient) * 1e6 / mRate;
        if (cycle.woken - last.woken > 2 * period) std::printf("gap %.1f\n", cycle.woken);
      }
      mKnown.push_back(cycle);
    }
    tellRestlessness();
    Sound sound;
    while (mSounds.pop(sound)) mWaiting.push_back(sound);
    while (!mWaiting.empty() && write(mWaiting.front())) mWaiting.pop_front();
    while (mKnown.size() > 1 && mWaiting.empty() && mKnown.back().woken - mKnown.front().woken > 2 * kTold)
      mKnown.pop_front();
    if (const auto lost = mLost.exchange(0)) std::printf("lost %u\n", lost);
    std::fflush(stdout);
  }

private:
  // Once in half a second: how late wake-ups are against the earliest of them.
  void tellRestlessness() {
    if (mKnown.size() < 8 || mKnown.back().woken - mJudged < 2 * kTold) return;
    double sum = 0, least = 0;
    int count = 0;
    for (const auto& cycle : mKnown) {
      if (cycle.woken < mJudged) continue;
      const double told = cycle.woken + std::int32_t(mKnown.back().frame - cycle.frame) * 1e6 / mRate;
      if (count == 0 || told < least) least = told;
      sum += told;
      ++count;
    }
    mJudged = mKnown.back().woken;
    if (count == 0) return;
    const double late = sum / count - least;
    if (late > kRestless) std::printf("restless %.1f %.1f\n", mJudged, late);
  }

  void listen(Source& source, std::uint32_t first, jack_nframes_t frames) {
    const int index = source.index;
    void* buffer = jack_port_get_buffer(source.input, frames);
    if (source.isMidi) {
      const auto count = jack_midi_get_event_count(buffer);
      for (std::uint32_t i = 0; i < count; ++i) {
        jack_midi_event_t event;
        if (jack_midi_event_get(&event, buffer, i) == 0 && event.size > 0)
          say({index, first + event.time, 0, event.buffer[0]});
      }
      return;
    }
    const auto* samples = static_cast<const float*>(buffer);
    for (jack_nframes_t i = 0; i < frames; ++i) {
      const float size = std::fabs(samples[i]);
      if (source.attackLeft > 0) {
        if (size > source.click.peak) source.click.peak = size;
        source.attackLeft -= 1 / mRate;
        if (source.attackLeft <= 0) say(source.click);
      } else if (size > kLoud && source.quietFor >= kSilence) {
        source.click = {index, first + i, size, -1};
        source.attackLeft = kAttack;
      }
      source.quietFor = size > kLoud ? 0 : source.quietFor + 1 / mRate;
    }
  }

  void say(const Sound& sound) {
    if (!mSounds.push(sound)) ++mLost;
  }

  void open(Source& source) {
    const auto* port = jack_port_by_name(mClient, source.name.c_str());
    if (!port) return;
    const char* type = jack_port_type(port);
    if (!source.input) {
      source.isMidi = std::strcmp(type, JACK_DEFAULT_MIDI_TYPE) == 0;
      const auto name = "in_" + std::to_string(source.index + 1);
      source.input = jack_port_register(mClient, name.c_str(), type, JackPortIsInput, 0);
    }
    if (!source.input || jack_connect(mClient, source.name.c_str(), jack_port_name(source.input)) != 0) return;
    source.isOpen.store(true, std::memory_order_release);
    std::printf("connected %s\n", source.name.c_str());
  }

  // Writes a sound, as soon as enough wake-ups have been seen to know when it was heard; returns whether it
  // did.
  bool write(const Sound& sound) {
    double due = 0;
    bool isFound = false;
    for (const auto& cycle : mKnown) {
      const auto way = std::int32_t(cycle.frame - sound.frame);
      // From the cycle that it was in on: wake-ups of before say nothing of it where a deadline was missed.
      if (way <= -std::int32_t(jack_get_buffer_size(mClient))) continue;
      const double told = cycle.woken - way * 1e6 / mRate;
      if (!isFound || told < due) due = told;
      isFound = true;
      if (way > kTold / 1e6 * mRate) break;
    }
    if (!isFound || mKnown.back().woken - due < kTold) return false;
    const double heard = due + latency() * 1e6 / mRate;
    const char* name = mSources[std::size_t(sound.source)].name.c_str();
    if (sound.status < 0)
      std::printf("click %s %.1f %.3f\n", name, heard, double(sound.peak));
    else
      std::printf("midi %s %.1f %d\n", name, heard, sound.status);
    return true;
  }

  // From a port of the sound card's to the ear, in frames.
  double latency() const {
    jack_latency_range_t range{0, 0};
    const char** ports = jack_get_ports(mClient, nullptr, JACK_DEFAULT_AUDIO_TYPE, JackPortIsPhysical | JackPortIsInput);
    if (!ports) return 0;
    if (auto* port = ports[0] ? jack_port_by_name(mClient, ports[0]) : nullptr)
      jack_port_get_latency_range(port, JackPlaybackLatency, &range);
    jack_free(ports);
    return range.max;
  }

  jack_client_t* mClient;
  double mRate;
  std::deque<Source> mSources;
  Ring<Cycle, 1 << 14> mCycles;
  Ring<Sound, 1 << 12> mSounds;
  std::deque<Cycle> mKnown;
  double mJudged = 0;
  std::deque<Sound> mWaiting;
  std::atomic<unsigned> mLost{0};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: recorder PORT..., for example recorder klick:out\n", stderr);
    return 2;
  }
  sigset_t end;
  sigemptyset(&end);
  sigaddset(&end, SIGTERM);
  sigaddset(&end, SIGINT);
  // Before any thread starts, so that all of them leave the signal to the wait below.
  pthread_sigmask(SIG_BLOCK, &end, nullptr);
  jack_client_t* client = jack_client_open("recorder", JackNoStartServer, nullptr);
  if (!client) {
    std::fputs("recorder: no JACK server; start one and name it in JACK_DEFAULT_SERVER\n", stderr);
    return 1;
  }
  Recorder recorder(client, std::vector<std::string>(argv + 1, argv + argc));
  jack_set_process_callback(
    client, [](jack_nframes_t frames, void* self) { return static_cast<Recorder*>(self)->process(frames); }, &recorder);
  if (jack_activate(client) != 0) {
    std::fputs("recorder: JACK does not activate the client; look at the server's messages\n", stderr);
    return 1;
  }
  const timespec pause{0, 20'000'000};
  do recorder.look();
  while (sigtimedwait(&end, nullptr, &pause) < 0);
  jack_client_close(client);
}
