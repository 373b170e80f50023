// plainbridge - the bridge's callbacks once more, written in C++ by hand. The acceptance benchmark compares the time of
// the bridge's callbacks with the time of these.
//
// It is the bridge as long as JACK rolls and Link leads, the state that a session is in for hours. In such a cycle it
// reads the same values by the same calls of JACK's and Link's, keeps the same state in the same units, makes the same
// checks with the same arithmetic, decides the same and publishes the same bar, beat, tick and tempo: the benchmark
// has both run on one server, and compares what they say of each frame. The choices of a user are read at run time, as
// the bridge's are. What lies behind a check that never leads there while JACK rolls is missing: starts that are held,
// other owners of the timebase, a clock that goes back. Where the bridge would go there, `leave` says so and ends the
// program, so that it never measures anything else.
//
// To be started while JACK's transport rolls; says "ready" when it owns the timebase, and runs until TERM.
//
// usage: plainbridge [QUANTUM [BEATS_PER_BAR [BEAT_TYPE [TICKS_PER_BEAT]]]]
#include <ableton/Link.hpp>
#include <jack/jack.h>
#include <jack/transport.h>

#include <semaphore.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace {

[[noreturn]] void leave(const char* what) {
  (void)!write(STDERR_FILENO, what, std::strlen(what));
  (void)!write(STDERR_FILENO, "; plainbridge only knows JACK rolling and Link leading\n", 55);
  _exit(3);
}

// MARK: Time and beats, in whole nanoseconds and whole billionths of a beat

using Nanos = std::int64_t;
using Nanobeats = std::int64_t;

constexpr Nanos kMillisecond = 1'000'000;
constexpr Nanobeats kMostBeats = 1'000'000'000'000'000'000;
constexpr Nanos kPace = 50 * kMillisecond;  // between two pairs of clock readings, and two reports

Nanos fromMicros(std::int64_t micros) {
  constexpr std::int64_t bound = 4'611'686'018'427'387;
  return std::clamp(micros, -bound, bound) * 1000;
}

std::int64_t wholeMicros(Nanos time) {
  const auto quotient = time / 1000;
  return time % 1000 < 0 ? quotient - 1 : quotient;
}

// The argument is within the range of the result.
std::int64_t nearest(double value) { return std::int64_t(value + (value < 0 ? -0.5 : 0.5)); }

Nanobeats saturate(Nanobeats beats) { return std::clamp(beats, -kMostBeats, kMostBeats); }
Nanobeats plus(Nanobeats a, Nanobeats b) { return saturate(a + b); }
Nanobeats minus(Nanobeats a, Nanobeats b) { return saturate(a - b); }

// What is not a number is zero.
Nanobeats beatsOf(double beats) {
  if (std::fabs(beats) <= 1e9) return nearest(beats * 1e9);
  return beats > 0 ? kMostBeats : beats < 0 ? -kMostBeats : 0;
}

Nanobeats beatsIn(Nanos interval, double tempo) {
  return nearest(std::clamp(double(interval) * tempo / 60, -1e18, 1e18));
}

Nanos timeOfFrames(std::int64_t frames, double rate) {
  return nearest(std::clamp(double(frames) * 1e9 / rate, -4e18, 4e18));
}

Nanobeats beatsInFrames(std::int64_t frames, double tempo, double rate) {
  return nearest(std::clamp(double(frames) * 1e9 * tempo / (60 * rate), -1e18, 1e18));
}

// The first position at or after `target` that differs from `position` by whole quanta.
Nanobeats shiftedAfter(Nanobeats position, Nanobeats target, Nanobeats quantum) {
  const auto remainder = minus(position, target) % quantum;
  return plus(target, remainder < 0 ? remainder + quantum : remainder);
}

Nanobeats shiftedNear(Nanobeats position, Nanobeats target, Nanobeats quantum) {
  return shiftedAfter(position, minus(target, quantum / 2), quantum);
}

// MARK: Between threads

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
  static constexpr std::uint8_t kNew = 0x80;
  Value mSlots[3];
  std::atomic<std::uint8_t> mMiddle{2};
  std::uint8_t mWriter = 0, mReader = 1;
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
  std::optional<Value> pop() {
    const auto head = mPopped.load(std::memory_order_relaxed);
    if (mPushed.load(std::memory_order_acquire) == head) return std::nullopt;
    const auto value = mSlots[head % Size];
    mPopped.store(head + 1, std::memory_order_release);
    return value;
  }

private:
  Value mSlots[Size];
  std::atomic<std::size_t> mPushed{0}, mPopped{0};
};

// Keeps callbacks out of a client that is about to be closed: jackd2 cancels its threads wherever they are.
class Gate {
public:
  bool enter() {
    mIsInside.store(true);
    if (!mIsShut.load()) return true;
    exit();
    return false;
  }
  void exit() { mIsInside.store(false, std::memory_order_release); }
  void shut() {
    mIsShut.store(true);
    for (int patience = 10000; mIsInside.load() && patience > 0; --patience) usleep(100);
  }

private:
  std::atomic<bool> mIsInside{false}, mIsShut{false};
};

// MARK: What a user chooses, asks and sees

enum class Owner { me, other, nobody };
enum class Leader { link, jack, neither };
enum class Selection { automatic, link, jack };
enum class Motion { stopped, starting, rolling };

struct Configuration {
  Nanobeats quantum;
  std::int32_t beatsPerBar, beatType, ticksPerBeat;
  bool startStopSync = true, alignsFrames = true;
  Selection selection = Selection::automatic;
};

struct Play {
  bool isPlaying;
  Nanos time;
};

struct Command {
  enum class Kind { proposeTempo, start, stop } kind;
  double tempo;
};

enum class Notice { peerPressedPlay, peerPressedStop };

struct Launch {
  Nanos time;
  Nanobeats countIn;
};

struct Status {
  Motion motion = Motion::stopped;
  Owner owner = Owner::nobody;
  Leader leader = Leader::link;
  double tempo = 120;
  bool linkPlays = false;
  std::size_t peers = 0;
  Nanobeats heard = 0;
  jack_position_t reading{};
  std::optional<Launch> launch;
  int silentCycles = 0, commits = 0, commandsDone = 0, lostNotices = 0;
};

// What a cycle sees, but for what is read only where it is needed.
struct Observation {
  Motion motion;
  jack_nframes_t frame, period, serverFrame;
  Nanos start, nextOutput, latency;
  Owner owner;
  double tempo;
  Nanobeats beat;
  Play play;
  bool isEnabled;
  std::size_t peers;
  std::optional<Command> command;
};

// MARK: Clocks

// Maps JACK's clock to Link's, by pairs of readings of which the tightest of each half second counts.
class ClockMap {
public:
  void observe(Nanos before, Nanos link, Nanos after) {
    const auto width = after - before;
    if (width < 0) return;
    const auto middle = before + width / 2;
    const Point point{middle, link - middle, width};
    if (!mBest) {
      mBest = point;
      mWindowStart = middle;
    } else if (width <= mBest->width) {
      mBest = point;
    }
    if (!mOrigin) mAnchor = mBest;
    if (std::llabs(middle - mWindowStart) >= 500 * kMillisecond) closeWindow();
  }

  std::optional<Nanos> link(Nanos jack) const {
    if (!mAnchor) return std::nullopt;
    return jack + mAnchor->offset + Nanos(double(jack - mAnchor->time) * mSkew);
  }

private:
  struct Point {
    Nanos time, offset, width;
  };

  void closeWindow() {
    const auto point = *mBest;
    mBest.reset();
    mAnchor = point;
    if (!mOrigin || point.time <= mOrigin->time) return restart(point);
    const auto change = point.offset - mOrigin->offset;
    const auto measured = double(change) / double(point.time - mOrigin->time);
    if (std::fabs(measured) > 1e-3) return restart(point);
    ++mWindowsSinceOrigin;
    if (mWindowsSinceOrigin >= 6 || !mKnowsSkew) mSkew = std::llabs(change) <= 1500 ? 0 : measured;
    if (mWindowsSinceOrigin >= 16) {
      mOrigin = point;
      mWindowsSinceOrigin = 0;
      mKnowsSkew = true;
    }
  }

  void restart(const Point& point) {
    mOrigin = point;
    mWindowsSinceOrigin = 0;
    mSkew = 0;
    mKnowsSkew = false;
  }

  std::optional<Point> mBest, mAnchor, mOrigin;
  Nanos mWindowStart = 0;
  int mWindowsSinceOrigin = 0;
  double mSkew = 0;
  bool mKnowsSkew = false;
};

// How fast the sound card runs, and whether JACK's times go as a sound card goes.
class SampleClock {
public:
  void observe(jack_nframes_t count, Nanos time, double rate) {
    mFrame = mFrame ? *mFrame + std::int32_t(std::uint32_t(count) - std::uint32_t(*mFrame)) : count;
    if (!mOrigin) return restart(time);
    const auto nominal = timeOfFrames(*mFrame - mOrigin->frame, rate);
    const auto offset = double(time - mOrigin->time - nominal);
    const auto expected = mPrevious.offset + double(time - mPrevious.time) * mSkew;
    if (!(std::fabs(offset - expected) < double(kMillisecond))) return restart(time);
    mPrevious = {time, offset};
    judge();
    mSum += offset;
    ++mCount;
    if (time - mWindowStart >= 500 * kMillisecond) closeWindow(time);
  }

private:
  struct Mean {
    Nanos time;
    double offset;
  };
  struct Origin {
    std::int64_t frame;
    Nanos time;
  };

  void restart(Nanos time) {
    mOrigin = {*mFrame, time};
    mPrevious = mJudged = {time, 0};
    mWindowStart = time;
    mSum = 0;
    mCount = 0;
    mOldest.reset();
    mMiddle.reset();
    mWindowsSinceOldest = 0;
    mIsSteady = false;
  }

  void judge() {
    const auto span = mPrevious.time - mJudged.time;
    if (span < 100 * kMillisecond) return;
    const auto way = mPrevious.offset - mJudged.offset - double(span) * mSkew;
    const bool wasSteady = mIsSteady;
    mIsSteady = std::fabs(way) <= 100000;
    if (mIsSteady && !wasSteady) mSteadySince = mPrevious.time;
    mJudged = mPrevious;
    if (mIsSteady) {
      mRestlessSince.reset();
    } else if (!mRestlessSince) {
      mRestlessSince = mPrevious.time;
    } else if (mPrevious.time - *mRestlessSince > 4000 * kMillisecond) {
      mSkew = 0;
      mRestlessSince.reset();
    }
  }

  void closeWindow(Nanos time) {
    const Mean mean{mWindowStart + (time - mWindowStart) / 2, mSum / double(mCount)};
    mWindowStart = time;
    mSum = 0;
    mCount = 0;
    if (!mIsSteady) return mOldest.reset();
    if (!mOldest) {
      mOldest = mean;
      mMiddle.reset();
      mWindowsSinceOldest = 0;
      return;
    }
    if (++mWindowsSinceOldest >= 4) {
      const auto measured = (mean.offset - mOldest->offset) / double(mean.time - mOldest->time);
      if (std::fabs(measured) <= 1e-3) mSkew = measured;
    }
    if (mWindowsSinceOldest == 8) mMiddle = mean;
    if (mWindowsSinceOldest >= 16 && mMiddle) {
      mOldest = mMiddle;
      mMiddle = mean;
      mWindowsSinceOldest = 8;
    }
  }

  std::optional<std::int64_t> mFrame;
  std::optional<Origin> mOrigin;
  Mean mPrevious{}, mJudged{};
  Nanos mWindowStart = 0, mSteadySince = 0;
  double mSum = 0, mSkew = 0;
  std::int64_t mCount = 0;
  std::optional<Mean> mOldest, mMiddle;
  int mWindowsSinceOldest = 0;
  bool mIsSteady = false;
  std::optional<Nanos> mRestlessSince;
};

// MARK: Who has pressed, and who is there

// Finds in Link's start/stop state what others have pressed: what we tell Link comes back.
class LinkPresses {
public:
  enum class Press { none, play, stop };

  bool isPlaying() const { return mEchoes > 0 ? mTold : mSeen.value_or(false); }

  Press update(const Observation& now) {
    const bool hasPeers = now.peers > 0;
    if (hasPeers && !mHadPeers && mSeen) mJoined = now.start;
    mHadPeers = hasPeers;
    const auto before = mSeen;
    mSeen = now.play.isPlaying;
    if (!before) return Press::none;
    const auto press = now.play.isPlaying ? Press::play : Press::stop;
    if (now.play.isPlaying != *before) {
      if (mEchoes > 0) {
        --mEchoes;
        return Press::none;
      }
      if (mJoined && now.nextOutput - *mJoined < 1000 * kMillisecond && now.play.time < *mJoined)
        return Press::none;
      return press;
    }
    if (mEchoes == 0 || mPatienceEnds >= now.nextOutput) return Press::none;
    mEchoes = 0;
    return now.play.isPlaying == mTold ? Press::none : press;
  }

  bool tell(bool isPlaying, Nanos now) {
    if (isPlaying == this->isPlaying()) return false;
    mTold = isPlaying;
    ++mEchoes;
    mPatienceEnds = now + 1500 * kMillisecond;
    return true;
  }

private:
  std::optional<bool> mSeen;
  bool mTold = false, mHadPeers = false;
  int mEchoes = 0;
  Nanos mPatienceEnds = 0;
  std::optional<Nanos> mJoined;
};

// Who is there to hear what JACK does.
class Company {
public:
  enum class Occasion { none, alone, forgotten };

  Occasion update(const Observation& now, double tempo) {
    const auto next = now.nextOutput;
    if (!mLast) {
      mPeers = now.peers;
      mWasEnabled = now.isEnabled;
    }
    noteGrid(now, tempo);
    if (now.peers > mPeers) mTellAt = next + 500 * kMillisecond;
    if (now.isEnabled && !mWasEnabled) {
      mTellAt = next + kSolitude;
      mAloneSince = next;
    }
    mPeers = now.peers;
    mWasEnabled = now.isEnabled;
    if (mTellAt && *mTellAt <= next) {
      mTellAt.reset();
      return mJoined && next - *mJoined < kSolitude ? Occasion::none : Occasion::forgotten;
    }
    if (now.peers > 0) {
      mAloneSince.reset();
      return Occasion::none;
    }
    if (!mAloneSince) {
      mAloneSince = next;
      return Occasion::none;
    }
    return next - *mAloneSince > kSolitude ? Occasion::alone : Occasion::none;
  }

private:
  static constexpr Nanos kSolitude = 1000 * kMillisecond;

  struct Last {
    Nanos time;
    Nanobeats beat;
    double tempo;
  };

  // Joining a session shows in Link's beat and tempo, and in nothing else.
  void noteGrid(const Observation& now, double tempo) {
    if (mLast) {
      const auto expected = plus(mLast->beat, beatsIn(now.nextOutput - mLast->time, mLast->tempo));
      const auto way = std::llabs(minus(now.beat, expected));
      if (way > beatsIn(3 * kMillisecond, tempo) || mLast->tempo != now.tempo) mJoined = now.nextOutput;
    }
    mLast = {now.nextOutput, now.beat, now.tempo};
  }

  std::size_t mPeers = 0;
  bool mWasEnabled = false;
  std::optional<Nanos> mAloneSince, mTellAt, mJoined;
  std::optional<Last> mLast;
};

// MARK: Where the music is

// The position: Link's beat and whole quanta, which never goes back.
class Playhead {
public:
  explicit Playhead(Nanobeats quantum) : mQuantum(quantum) {}

  void observe(const Observation& now, double tempo) {
    const bool isRolling = now.motion == Motion::rolling, begins = isRolling && !mWasRolling;
    const bool isExpected =
      now.frame == mExpectedFrame || (begins && now.frame == mExpectedFrame + now.period);
    if (!isExpected && now.frame != mPublishedFrame) mIsRelocated = true;
    mWasRolling = isRolling;
    mCurrentFrame = now.frame;
    mExpectedFrame = isRolling ? now.frame + now.period : now.frame;
    if (mPreviousTempo && *mPreviousTempo != tempo) {
      const auto span = 250 * kMillisecond + std::llabs(now.latency);
      mExplainedStep =
        plus(mExplainedStep, std::llabs(minus(beatsIn(span, tempo), beatsIn(span, *mPreviousTempo))));
    }
    mPreviousTempo = tempo;
    if (now.latency != mPreviousLatency) {
      mExplainedStep = plus(mExplainedStep, beatsIn(std::llabs(now.latency - mPreviousLatency), tempo));
      mPreviousLatency = now.latency;
    }
    if (now.motion == Motion::stopped) leave("JACK rests");
  }

  Nanobeats advance(jack_nframes_t frame, Nanos next, Nanobeats link, double tempo, double rate) {
    const bool isRelocated = mIsRelocated || (frame != mExpectedFrame && frame != mCurrentFrame);
    mIsRelocated = false;
    mPosition = isRelocated || !mIsMoving ? start(beatsInFrames(frame, tempo, rate), link)
                                          : follow(link, next, tempo);
    mTime = next;
    mExplainedStep = kRemeasurement;
    mPublishedFrame = frame;
    return mPosition;
  }

private:
  static constexpr Nanobeats kRemeasurement = 62'500'000;  // Link's own, of the network
  static constexpr Nanobeats kRounding = 1'000'000;        // of a start at bar 1

  Nanobeats start(Nanobeats wanted, Nanobeats link) {
    mWaitsFor = 0;
    mIsMoving = true;
    mTarget = shiftedNear(link, wanted, mQuantum);
    if (mTarget < -kRounding) mTarget = shiftedAfter(link, 0, mQuantum);
    mOffset = minus(mTarget, link);
    return mTarget;
  }

  Nanobeats follow(Nanobeats link, Nanos time, double tempo) {
    const auto next = plus(link, mOffset);
    const auto step = minus(minus(next, mTarget), beatsIn(time - mTime, tempo));
    const auto wait = minus(mPosition, next);
    if (std::llabs(step) > mExplainedStep || wait > plus(mExplainedStep, mWaitsFor)) return join(link);
    mWaitsFor = std::max<Nanobeats>(wait, 0);
    mTarget = next;
    return wait > 0 ? mPosition : next;
  }

  Nanobeats join(Nanobeats link) {
    mWaitsFor = 0;
    mTarget = shiftedAfter(link, mPosition, mQuantum);
    mOffset = minus(mTarget, link);
    return mTarget;
  }

  const Nanobeats mQuantum;
  jack_nframes_t mExpectedFrame = 0, mCurrentFrame = 0;
  std::optional<jack_nframes_t> mPublishedFrame;
  bool mWasRolling = false, mIsRelocated = false, mIsMoving = false;
  std::optional<double> mPreviousTempo;
  Nanos mPreviousLatency = 0, mTime = 0;
  Nanobeats mOffset = 0, mTarget = 0, mPosition = 0, mExplainedStep = kRemeasurement, mWaitsFor = 0;
};

struct BarBeatTick {
  std::int32_t bar, beat, tick;
  bool operator==(const BarBeatTick& other) const {
    return bar == other.bar && beat == other.beat && tick == other.tick;
  }
};

// Bars are counted as the user chose.
class Counting {
public:
  explicit Counting(const Configuration& chosen)
      : mBeatLength(4'000'000'000 / chosen.beatType), mBeatsPerBar(chosen.beatsPerBar),
        mTicksPerBeat(chosen.ticksPerBeat) {}

  BarBeatTick nearest(Nanobeats position) const {
    position = std::max<Nanobeats>(position, 0);
    auto beats = position / mBeatLength;
    auto tick = (position % mBeatLength * mTicksPerBeat + mBeatLength / 2) / mBeatLength;
    if (tick == mTicksPerBeat) {
      tick = 0;
      ++beats;
    }
    const auto bar = std::min<std::int64_t>(beats / mBeatsPerBar + 1, INT32_MAX);
    return {std::int32_t(bar), std::int32_t(beats % mBeatsPerBar + 1), std::int32_t(tick)};
  }

  void publish(const BarBeatTick& position, double beatsPerMinute, jack_position_t& next) const {
    if (!(beatsPerMinute > 0 && std::isfinite(beatsPerMinute))) {
      next.valid = jack_position_bits_t(0);
      return;
    }
    next.bar = position.bar;
    next.beat = position.beat;
    next.tick = position.tick;
    next.bar_start_tick = (double(position.bar) - 1) * double(mBeatsPerBar) * double(mTicksPerBeat);
    next.beats_per_bar = float(mBeatsPerBar);
    next.beat_type = float(4'000'000'000 / mBeatLength);
    next.ticks_per_beat = double(mTicksPerBeat);
    next.beats_per_minute = beatsPerMinute;
    next.valid = JackPositionBBT;
  }

private:
  const Nanobeats mBeatLength;
  const std::int64_t mBeatsPerBar, mTicksPerBeat;
};

// MARK: The bridge

class Bridge {
public:
  Bridge(ableton::Link& link, jack_client_t* client, const Configuration& chosen)
      : mLink(link), mClient(client), mChosen(chosen), mRate(jack_get_sample_rate(client)),
        mQuantum(double(chosen.quantum) / 1e9), mPlayhead(chosen.quantum), mCounting(chosen) {
    sem_init(&bell, 0, 0);
  }

  Mailbox<Nanos> latency{0};
  Mailbox<Play> play{{false, 0}};
  Mailbox<Owner> owner{Owner::nobody};
  Mailbox<Status> status{Status{}};
  Ring<Command, 64> commands;
  Ring<Notice, 256> notices;
  sem_t bell;
  Gate gate;

  int sync(jack_transport_state_t state) {
    if (!gate.enter()) return 1;
    if (state != JackTransportRolling) leave("JACK asks whether it may roll");
    mIsDecided = true;
    decide(jack_get_buffer_size(mClient));
    gate.exit();
    return 1;
  }

  void process(jack_nframes_t period) {
    if (!gate.enter()) return;
    if (!mIsDecided) decide(period);
    mIsDecided = false;
    gate.exit();
  }

  void timebase(jack_position_t& next) {
    if (!gate.enter()) {
      next.valid = jack_position_bits_t(0);
      return;
    }
    if (mLatest) {
      if (mLeader != Leader::link) leave("Link does not lead");
      if (!mIsAgreed) leave("a start is under way");
      const auto position =
        mPlayhead.advance(next.frame, mLatest->nextOutput, mLatest->beat, mTempo, mRate);
      mPublished = mCounting.nearest(position);
      mCounting.publish(*mPublished, mTempo * mChosen.beatType / 4, next);
      mSilentCycles = 0;
    } else {
      next.valid = jack_position_bits_t(0);
    }
    gate.exit();
  }

private:
  using Session = ableton::Link::SessionState;

  struct Latest {
    Nanos nextOutput;
    Nanobeats beat;
  };

  struct PlayEdit {
    bool isPlaying;
    Nanos time;
  };

  // All that a cycle does to the world.
  struct Decision {
    enum class Request { none, start, stop } request = Request::none;
    std::optional<double> tempo;
    std::optional<PlayEdit> isPlaying;
    std::optional<Notice> notice;
  };

  void decide(jack_nframes_t period) {
    jack_nframes_t serverFrame;
    jack_time_t startMicros, nextMicros;
    float periodMicros;
    if (jack_get_cycle_times(mClient, &serverFrame, &startMicros, &nextMicros, &periodMicros) != 0) return;
    const auto cycleStart = fromMicros(std::int64_t(startMicros));
    if (isDue(mLastPairing, cycleStart)) pairClocks(cycleStart);
    const auto start = mClock.link(cycleStart), next = mClock.link(fromMicros(std::int64_t(nextMicros)));
    if (!start || !next) return;

    jack_position_t shown;
    const auto motion = motionOf(jack_transport_query(mClient, &shown));
    const auto latency = this->latency.read();
    auto session = mLink.captureAudioSessionState();
    const auto tempo = tempoOf(session);
    Observation now;
    now.motion = motion;
    now.frame = shown.frame;
    now.period = period;
    now.serverFrame = serverFrame;
    now.start = *start;
    now.nextOutput = *next + latency;
    now.latency = latency;
    now.owner = ownerOf(shown, motion);
    now.tempo = tempo;
    now.beat = beatAt(session, now.nextOutput, tempo);
    now.play = play.read();
    now.isEnabled = mLink.isEnabled();
    now.peers = mLink.numPeers();
    now.command = commands.pop();

    const auto decision = reconcile(now);
    carryOut(decision, session, now.nextOutput);
    note(now, decision);
    if (isDue(mLastReport, cycleStart)) {
      mLastReport = cycleStart;
      report(now, beatAt(session, *start + latency, tempo), shown);
    }
    if (mRings) {
      mRings = false;
      sem_post(&bell);
    }
  }

  static bool isDue(const std::optional<Nanos>& last, Nanos time) {
    return !last || std::llabs(time - *last) >= kPace;
  }

  void pairClocks(Nanos time) {
    mLastPairing = time;
    const auto before = fromMicros(std::int64_t(jack_get_time()));
    const auto link = fromMicros(mLink.clock().micros().count());
    mClock.observe(before, link, fromMicros(std::int64_t(jack_get_time())));
  }

  static Motion motionOf(jack_transport_state_t state) {
    switch (state) {
      case JackTransportRolling:
      case JackTransportLooping: return Motion::rolling;
      case JackTransportStarting:
      case JackTransportNetStarting: return Motion::starting;
      default: return Motion::stopped;
    }
  }

  static double tempoOf(const Session& session) {
    const auto tempo = session.tempo();
    return std::isnan(tempo) ? 120 : std::clamp(tempo, 20., 999.);
  }

  // Link answers in whole microbeats for whole microseconds.
  Nanobeats beatAt(const Session& session, Nanos time, double tempo) const {
    const auto micros = wholeMicros(time);
    const auto beat = session.beatAtTime(std::chrono::microseconds(micros), mQuantum);
    return plus(beatsOf(beat), beatsIn(time - micros * 1000, tempo));
  }

  // JACK does not tell who loses the timebase: it is asked nothing any more, and reads what it has not written.
  Owner ownerOf(const jack_position_t& shown, Motion motion) {
    const bool isShown = shown.valid & JackPositionBBT;
    switch (owner.read()) {
      case Owner::other: return Owner::other;
      case Owner::nobody: return isShown ? Owner::other : Owner::nobody;
      case Owner::me: break;
    }
    if (!isShown || mSilentCycles < 3 || motion != Motion::rolling) return Owner::me;
    const BarBeatTick other{shown.bar, shown.beat, shown.tick};
    return mPublished && other == *mPublished ? Owner::me : Owner::other;
  }

  Decision reconcile(const Observation& now) {
    Decision decision;
    if (mLatest && mLatest->nextOutput - now.nextOutput > 1000 * kMillisecond) leave("JACK's time goes back");
    mSampleClock.observe(now.serverFrame, now.start, mRate);
    mTempo = now.tempo;
    if (leaderOf(now.owner) != mLeader) leave("Link does not lead");
    setUsersTempo(now, decision);
    mPlayhead.observe(now, mTempo);
    keepInAgreement(now, decision);
    mLatest = {now.nextOutput, now.beat};
    if (decision.tempo) mMoved = now.nextOutput;
    return decision;
  }

  Leader leaderOf(Owner owner) const {
    switch (owner) {
      case Owner::me: return Leader::link;
      case Owner::nobody: return mChosen.selection == Selection::jack ? Leader::jack : Leader::link;
      case Owner::other: break;
    }
    return mChosen.selection == Selection::link ? Leader::neither : Leader::jack;
  }

  void setUsersTempo(const Observation& now, Decision& decision) {
    if (now.command && now.command->kind == Command::Kind::proposeTempo) mWantedTempo = now.command->tempo;
    // For a second after we have moved Link we do not see what others do to it.
    if (mMoved && now.nextOutput - *mMoved < 1100 * kMillisecond && now.peers > 0) return;
    if (!mWantedTempo) return;
    const auto wanted = *mWantedTempo;
    mWantedTempo.reset();
    if (nearest(60e6 / wanted) == nearest(60e6 / now.tempo)) return;
    mTempo = wanted;
    decision.tempo = wanted;
  }

  // Keeps JACK's transport and Link's start/stop state in agreement.
  void keepInAgreement(const Observation& now, Decision& decision) {
    const auto press = mChosen.startStopSync ? mPresses.update(now) : LinkPresses::Press::none;
    if (!mIsAgreed) {
      if (now.motion != Motion::rolling) leave("JACK does not roll yet");
      mIsAgreed = true;
      return;
    }
    switch (press) {
      case LinkPresses::Press::none: break;
      case LinkPresses::Press::play: decision.notice = Notice::peerPressedPlay; break;
      case LinkPresses::Press::stop:
        decision.notice = Notice::peerPressedStop;
        decision.request = Decision::Request::stop;
    }
    if (now.motion != Motion::rolling) leave("JACK does not roll any more");
    if (now.command && now.command->kind == Command::Kind::stop) decision.request = Decision::Request::stop;
    if (decision.request == Decision::Request::none && mSecondLook > 0) leave("an owner is looked at once more");
    switch (mCompany.update(now, mTempo)) {
      case Company::Occasion::none: break;
      case Company::Occasion::alone:
        if (mChosen.startStopSync && mPresses.tell(true, now.nextOutput))
          decision.isPlaying = {true, now.nextOutput};
        break;
      case Company::Occasion::forgotten:
        if (mChosen.startStopSync && mPresses.isPlaying()) decision.isPlaying = {true, now.nextOutput};
    }
  }

  void carryOut(const Decision& decision, Session& session, Nanos time) {
    switch (decision.request) {
      case Decision::Request::none: break;
      case Decision::Request::start: jack_transport_start(mClient); break;
      case Decision::Request::stop: jack_transport_stop(mClient);
    }
    if (!decision.tempo && !decision.isPlaying) return;
    if (decision.tempo) session.setTempo(*decision.tempo, std::chrono::microseconds(wholeMicros(time)));
    if (decision.isPlaying)
      session.setIsPlaying(
        decision.isPlaying->isPlaying, std::chrono::microseconds(wholeMicros(decision.isPlaying->time)));
    mLink.commitAudioSessionState(session);
    ++mStatus.commits;
  }

  // Keeps the books that must not miss a cycle.
  void note(const Observation& now, const Decision& decision) {
    if (decision.notice) notify(*decision.notice);
    if (mMotion && *mMotion != now.motion) leave("JACK does something else");
    mMotion = now.motion;
    mStatus.tempo = decision.tempo.value_or(now.tempo);
    if (now.command) {
      ++mStatus.commandsDone;
      mLastReport.reset();
    }
    if (now.motion == Motion::rolling) ++mSilentCycles;
  }

  void notify(Notice notice) {
    if (!notices.push(notice)) ++mStatus.lostNotices;
    mLastReport.reset();
    mRings = true;
  }

  void report(const Observation& now, Nanobeats heard, const jack_position_t& shown) {
    mStatus.motion = now.motion;
    mStatus.owner = now.owner;
    mStatus.leader = mLeader;
    mStatus.linkPlays = now.play.isPlaying;
    mStatus.peers = now.peers;
    mStatus.heard = heard;
    mStatus.reading = shown;
    mStatus.silentCycles = mSilentCycles;
    status.write(mStatus);
  }

  ableton::Link& mLink;
  jack_client_t* const mClient;
  const Configuration mChosen;
  const double mRate, mQuantum;
  bool mIsDecided = false, mRings = false, mIsAgreed = false;
  int mSilentCycles = 0, mSecondLook = 0;
  Leader mLeader = Leader::link;
  std::optional<Nanos> mLastPairing, mLastReport, mMoved;
  std::optional<double> mWantedTempo;
  std::optional<Motion> mMotion;
  std::optional<BarBeatTick> mPublished;
  std::optional<Latest> mLatest;
  double mTempo = 120;
  ClockMap mClock;
  SampleClock mSampleClock;
  LinkPresses mPresses;
  Company mCompany;
  Playhead mPlayhead;
  const Counting mCounting;
  Status mStatus;
};

// The largest playback latency of the server's outputs.
Nanos outputLatency(jack_client_t* client) {
  const char** ports =
    jack_get_ports(client, nullptr, JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput | JackPortIsPhysical);
  if (!ports) return 0;
  jack_nframes_t largest = 0;
  for (const char** port = ports; *port; ++port) {
    jack_latency_range_t range{};
    jack_port_get_latency_range(jack_port_by_name(client, *port), JackPlaybackLatency, &range);
    largest = std::max(largest, range.max);
  }
  jack_free(ports);
  return timeOfFrames(largest, jack_get_sample_rate(client));
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int place, double otherwise) {
    return argc > place ? std::atof(argv[place]) : otherwise;
  };
  Configuration chosen{};
  chosen.quantum = beatsOf(argument(1, 4));
  chosen.beatsPerBar = std::int32_t(argument(2, 4));
  chosen.beatType = std::int32_t(argument(3, 4));
  chosen.ticksPerBeat = std::int32_t(argument(4, 1920000));

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
  Bridge bridge{link, client, chosen};
  link.setStartStopCallback([&](bool isPlaying) {
    bridge.play.write({isPlaying, fromMicros(link.clock().micros().count())});
  });
  link.enableStartStopSync(true);
  link.enable(true);
  // Whoever is there to be met is met within two seconds; what the bridge does meanwhile is not ours.
  for (int i = 0; i < 200 && link.numPeers() == 0; ++i) usleep(10000);

  jack_set_process_callback(
    client,
    [](jack_nframes_t period, void* self) {
      static_cast<Bridge*>(self)->process(period);
      return 0;
    },
    &bridge);
  jack_set_sync_callback(
    client,
    [](jack_transport_state_t state, jack_position_t*, void* self) {
      return static_cast<Bridge*>(self)->sync(state);
    },
    &bridge);
  bridge.latency.write(outputLatency(client));
  const int taken = jack_set_timebase_callback(
    client, 0,
    [](jack_transport_state_t, jack_nframes_t, jack_position_t* next, int, void* self) {
      static_cast<Bridge*>(self)->timebase(*next);
    },
    &bridge);
  if (taken != 0) {
    std::fprintf(stderr, "plainbridge: JACK refuses the timebase; let no other client own it\n");
    return 1;
  }
  bridge.owner.write(Owner::me);
  if (jack_activate(client) != 0) {
    std::fprintf(stderr, "plainbridge: JACK does not activate the client; look at the server's messages\n");
    return 1;
  }
  std::puts("ready");
  std::fflush(stdout);
  // Whoever shows the status does so some times in a second.
  timespec pause{0, 100000000};
  while (sigtimedwait(&end, nullptr, &pause) < 0) {
    bridge.status.read();
    while (bridge.notices.pop()) {}
  }
  bridge.gate.shut();
  jack_client_close(client);
}
