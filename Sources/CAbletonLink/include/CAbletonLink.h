#ifndef CABLETONLINK_H
#define CABLETONLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
#define LINK_NOEXCEPT noexcept
#else
#define LINK_NOEXCEPT
#endif

// Marks functions that the audio thread may call: Swift checks that functions marked @_noLocks call nothing
// else.
#if defined(__has_attribute)
#if __has_attribute(swift_attr)
#define LINK_REALTIME LINK_NOEXCEPT __attribute__((swift_attr("@_noLocks")))
#endif
#endif
#ifndef LINK_REALTIME
#define LINK_REALTIME LINK_NOEXCEPT
#endif

// Times are whole microseconds of Link's clock, tempos are in beats per minute, beats and quanta in beats.
// The caller passes finite numbers only: Link spreads other numbers to every peer. No function throws.

typedef struct link_instance link_instance;

// A copy of ableton::Link::SessionState, with room for versions of Link that keep more in it.
typedef struct link_session_state {
  uint64_t words[16];
} link_session_state;

// The values that an audio thread needs of every state that it captures.
typedef struct link_reading {
  double tempo;
  double beat;
  bool is_playing;
  int64_t time_for_is_playing;
  double beat_for_is_playing;
} link_reading;

// Called on a thread of Link's, one at a time.
typedef struct link_callbacks {
  void *context;
  void (*peer_count_changed)(void *context, size_t count);
  void (*tempo_changed)(void *context, double tempo);
  void (*is_playing_changed)(void *context, bool is_playing);
} link_callbacks;

// The release of the headers that this was compiled with: "3.0", "3.1", or "4.0" for that and newer ones.
const char *link_release(void) LINK_NOEXCEPT;

// Returns NULL when Link cannot start, for example without file descriptors for its event loop, and writes
// the reason into `message`, cut to `size` bytes.
link_instance *link_create(double tempo, link_callbacks callbacks, char *message, size_t size) LINK_NOEXCEPT;

// Leaves the session and waits for Link's threads. No callback runs after it has returned.
void link_destroy(link_instance *link) LINK_NOEXCEPT;

void link_enable(link_instance *link, bool enable) LINK_NOEXCEPT;
bool link_is_start_stop_sync_enabled(const link_instance *link) LINK_NOEXCEPT;
void link_enable_start_stop_sync(link_instance *link, bool enable) LINK_NOEXCEPT;
bool link_is_enabled(const link_instance *link) LINK_REALTIME;
size_t link_num_peers(const link_instance *link) LINK_REALTIME;
int64_t link_now(const link_instance *link) LINK_REALTIME;

void link_capture_app_session_state(const link_instance *link, link_session_state *state) LINK_NOEXCEPT;
void link_commit_app_session_state(link_instance *link, const link_session_state *state) LINK_NOEXCEPT;
void link_capture_audio_session_state(const link_instance *link, link_session_state *state) LINK_REALTIME;
void link_commit_audio_session_state(link_instance *link, const link_session_state *state) LINK_REALTIME;
// The same, and the state's tempo, its beat at `time`, and its starts and stops: one call, and nothing is copied on the
// way.
link_reading link_capture_audio_session_state_and_read(
  const link_instance *link, link_session_state *state, int64_t time, double quantum) LINK_REALTIME;

double link_tempo(const link_session_state *state) LINK_REALTIME;
void link_set_tempo(link_session_state *state, double tempo, int64_t time) LINK_REALTIME;
double link_beat_at_time(const link_session_state *state, int64_t time, double quantum) LINK_REALTIME;
double link_phase_at_time(const link_session_state *state, int64_t time, double quantum) LINK_REALTIME;
int64_t link_time_at_beat(const link_session_state *state, double beat, double quantum) LINK_REALTIME;
void link_request_beat_at_time(link_session_state *state, double beat, int64_t time, double quantum)
  LINK_REALTIME;
void link_force_beat_at_time(link_session_state *state, double beat, int64_t time, double quantum)
  LINK_REALTIME;
bool link_is_playing(const link_session_state *state) LINK_REALTIME;
int64_t link_time_for_is_playing(const link_session_state *state) LINK_REALTIME;
// The session's own beat at that time, but for multiples of 2^20: Link keeps it, and not the time, when the tempo
// changes or the peers' clocks are measured anew.
double link_beat_for_is_playing(const link_session_state *state) LINK_REALTIME;
void link_set_is_playing(link_session_state *state, bool is_playing, int64_t time) LINK_REALTIME;
void link_request_beat_at_start_playing_time(link_session_state *state, double beat, double quantum)
  LINK_REALTIME;
void link_set_is_playing_and_request_beat_at_time(
  link_session_state *state, bool is_playing, int64_t time, double beat, double quantum) LINK_REALTIME;

#ifdef __cplusplus
}
#endif

#endif
