// A C face for ableton::Link, of which only the public class is used: it is the same from 3.0 to 4.0.
//
// Every function is noexcept. An exception that nothing catches ends the process; it never unwinds into
// Swift.

#include "CAbletonLink.h"

#include <ableton/Link.hpp>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <type_traits>

// Link's headers have no number of their version. They define a macro more from release to release.
#if defined(LINK_API_CONTROLLER)
  #define LINK_RELEASE "4.0"
#elif defined(LINK_ASIO_NAMESPACE)
  #define LINK_RELEASE "3.1"
#else
  #define LINK_RELEASE "3.0"
#endif

struct link_instance
{
  explicit link_instance(double tempo)
    : link(tempo)
  {
  }

  ableton::Link link;
};

namespace
{

using SessionState = ableton::Link::SessionState;
using std::chrono::microseconds;

// Swift copies a session state byte by byte, whenever it likes.
static_assert(std::is_trivially_copyable<SessionState>::value, "a session state is more than its bytes");
static_assert(sizeof(SessionState) <= sizeof(link_session_state), "link_session_state is too small");
static_assert(alignof(SessionState) <= alignof(link_session_state), "link_session_state is misaligned");

// Link's session state for the time of one call; it has no constructor that could begin with nothing.
union Borrowed
{
  explicit Borrowed(const link_session_state *bytes)
    : none()
  {
    std::memcpy(static_cast<void *>(&state), bytes, sizeof(state));
  }

  char none;
  SessionState state;
};

SessionState read(const link_session_state *bytes)
{
  return Borrowed(bytes).state;
}

void write(const SessionState &state, link_session_state *bytes)
{
  std::memcpy(bytes, &state, sizeof(state));
}

// A quantum that is longer than any session: the phase in it is the session's own beat, wherever this peer
// counts from.
constexpr double longestQuantum = 1 << 20;

double beatForIsPlaying(const SessionState &state)
{
  return state.phaseAtTime(state.timeForIsPlaying(), longestQuantum);
}

template <typename Change>
void modify(link_session_state *bytes, Change change)
{
  Borrowed borrowed(bytes);
  change(borrowed.state);
  write(borrowed.state, bytes);
}

} // namespace

const char *link_release(void) noexcept
{
  return LINK_RELEASE;
}

link_instance *link_create(
  double tempo, link_callbacks callbacks, char *message, size_t size) noexcept
{
  try
  {
    auto instance = std::make_unique<link_instance>(tempo);
    instance->link.setNumPeersCallback(
      [callbacks](std::size_t count) { callbacks.peer_count_changed(callbacks.context, count); });
    instance->link.setTempoCallback(
      [callbacks](double bpm) { callbacks.tempo_changed(callbacks.context, bpm); });
    instance->link.setStartStopCallback(
      [callbacks](bool isPlaying) { callbacks.is_playing_changed(callbacks.context, isPlaying); });
    return instance.release();
  }
  catch (const std::exception &error)
  {
    std::snprintf(message, size, "%s", error.what());
  }
  catch (...)
  {
    std::snprintf(message, size, "unknown error");
  }
  return nullptr;
}

void link_destroy(link_instance *link) noexcept
{
  // Setting a callback waits for one that is running: from here on no thread uses the context.
  link->link.setNumPeersCallback([](std::size_t) {});
  link->link.setTempoCallback([](double) {});
  link->link.setStartStopCallback([](bool) {});
  link->link.enable(false);
  delete link;
}

void link_enable(link_instance *link, bool enable) noexcept
{
  link->link.enable(enable);
}

bool link_is_start_stop_sync_enabled(const link_instance *link) noexcept
{
  return link->link.isStartStopSyncEnabled();
}

void link_enable_start_stop_sync(link_instance *link, bool enable) noexcept
{
  link->link.enableStartStopSync(enable);
}

bool link_is_enabled(const link_instance *link) noexcept
{
  return link->link.isEnabled();
}

size_t link_num_peers(const link_instance *link) noexcept
{
  return link->link.numPeers();
}

int64_t link_now(const link_instance *link) noexcept
{
  return link->link.clock().micros().count();
}

void link_capture_app_session_state(const link_instance *link, link_session_state *state) noexcept
{
  write(link->link.captureAppSessionState(), state);
}

void link_commit_app_session_state(link_instance *link, const link_session_state *state) noexcept
{
  link->link.commitAppSessionState(read(state));
}

void link_capture_audio_session_state(const link_instance *link, link_session_state *state) noexcept
{
  write(link->link.captureAudioSessionState(), state);
}

void link_commit_audio_session_state(link_instance *link, const link_session_state *state) noexcept
{
  link->link.commitAudioSessionState(read(state));
}

link_reading link_capture_audio_session_state_and_read(
  const link_instance *link, link_session_state *state, int64_t time, double quantum) noexcept
{
  const auto captured = link->link.captureAudioSessionState();
  write(captured, state);
  return {captured.tempo(), captured.beatAtTime(microseconds(time), quantum), captured.isPlaying(),
    captured.timeForIsPlaying().count(), beatForIsPlaying(captured)};
}

double link_tempo(const link_session_state *state) noexcept
{
  return read(state).tempo();
}

void link_set_tempo(link_session_state *state, double tempo, int64_t time) noexcept
{
  modify(state, [=](SessionState &s) { s.setTempo(tempo, microseconds(time)); });
}

double link_beat_at_time(const link_session_state *state, int64_t time, double quantum) noexcept
{
  return read(state).beatAtTime(microseconds(time), quantum);
}

double link_phase_at_time(const link_session_state *state, int64_t time, double quantum) noexcept
{
  return read(state).phaseAtTime(microseconds(time), quantum);
}

int64_t link_time_at_beat(const link_session_state *state, double beat, double quantum) noexcept
{
  return read(state).timeAtBeat(beat, quantum).count();
}

void link_request_beat_at_time(link_session_state *state, double beat, int64_t time, double quantum) noexcept
{
  modify(state, [=](SessionState &s) { s.requestBeatAtTime(beat, microseconds(time), quantum); });
}

void link_force_beat_at_time(link_session_state *state, double beat, int64_t time, double quantum) noexcept
{
  modify(state, [=](SessionState &s) { s.forceBeatAtTime(beat, microseconds(time), quantum); });
}

bool link_is_playing(const link_session_state *state) noexcept
{
  return read(state).isPlaying();
}

int64_t link_time_for_is_playing(const link_session_state *state) noexcept
{
  return read(state).timeForIsPlaying().count();
}

double link_beat_for_is_playing(const link_session_state *state) noexcept
{
  return beatForIsPlaying(read(state));
}

void link_set_is_playing(link_session_state *state, bool is_playing, int64_t time) noexcept
{
  modify(state, [=](SessionState &s) { s.setIsPlaying(is_playing, microseconds(time)); });
}

void link_request_beat_at_start_playing_time(link_session_state *state, double beat, double quantum) noexcept
{
  modify(state, [=](SessionState &s) { s.requestBeatAtStartPlayingTime(beat, quantum); });
}

void link_set_is_playing_and_request_beat_at_time(
  link_session_state *state, bool is_playing, int64_t time, double beat, double quantum) noexcept
{
  modify(state, [=](SessionState &s) {
    s.setIsPlayingAndRequestBeatAtTime(is_playing, microseconds(time), beat, quantum);
  });
}
