#pragma once

#include <jack/jack.h>
#include <jack/metadata.h>
#include <jack/midiport.h>
#include <jack/thread.h>
#include <jack/transport.h>
#include <jack/uuid.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// The functions that the real-time thread calls, declared once more so that Swift's `@_noLocks` functions may
// call them. JACK documents every one of them as safe there.
#define JACKSTAY_REALTIME __attribute__((swift_attr("@_noLocks")))

JACKSTAY_REALTIME jack_time_t jack_get_time(void);
JACKSTAY_REALTIME jack_nframes_t jack_get_buffer_size(jack_client_t *client);
JACKSTAY_REALTIME jack_nframes_t jack_get_sample_rate(jack_client_t *client);
JACKSTAY_REALTIME int jack_get_cycle_times(
    const jack_client_t *client, jack_nframes_t *current_frames, jack_time_t *current_usecs,
    jack_time_t *next_usecs, float *period_usecs);
JACKSTAY_REALTIME jack_transport_state_t jack_transport_query(
    const jack_client_t *client, jack_position_t *pos);
JACKSTAY_REALTIME void jack_transport_start(jack_client_t *client);
JACKSTAY_REALTIME void jack_transport_stop(jack_client_t *client);
JACKSTAY_REALTIME int jack_transport_locate(jack_client_t *client, jack_nframes_t frame);
JACKSTAY_REALTIME int jack_transport_reposition(jack_client_t *client, const jack_position_t *pos);

JACKSTAY_REALTIME void *jack_port_get_buffer(jack_port_t *port, jack_nframes_t frames);
JACKSTAY_REALTIME void jack_midi_clear_buffer(void *buffer);
JACKSTAY_REALTIME jack_midi_data_t *jack_midi_event_reserve(void *buffer, jack_nframes_t time, size_t size);

// jack_client_open is variadic, which Swift cannot call; `server` is the default server when null.
static inline jack_client_t *jackstay_client_open(
    const char *name, uint32_t options, const char *server, uint32_t *status) {
  jack_status_t answer = (jack_status_t)0;
  jack_client_t *client =
      server == NULL
          ? jack_client_open(name, (jack_options_t)options, &answer)
          : jack_client_open(name, (jack_options_t)(options | JackServerName), &answer, server);
  *status = (uint32_t)answer;
  return client;
}

// pthread_setname_np() is a GNU extension, which Swift does not see. An active client has a thread for its callbacks.
extern int pthread_setname_np(pthread_t thread, const char *name);
static inline void jackstay_name_thread(jack_client_t *client, const char *name) {
  const jack_native_thread_t thread = jack_client_thread_id(client);
  if (thread != 0) pthread_setname_np(thread, name);
}

// A thread that could not be made has no number: glibc may leave that of a thread that is gone, and libjack keeps it.
static inline int jackstay_create_thread(
    jack_native_thread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
  const int code = pthread_create(thread, attributes, start, argument);
  if (code != 0) *thread = 0;
  return code;
}
static inline void jackstay_prepare_threads(void) { jack_set_thread_creator(jackstay_create_thread); }

// Ends the real-time thread that an activation which failed has left behind; true if there was one.
//
// libjack waits a second for that thread to begin, then gives up, and forgets it: it would begin later, on a client that
// may have been freed. A client that was activated in part is deactivated first, which ends its thread in order.
static inline bool jackstay_end_late_thread(jack_client_t *client) {
  jack_deactivate(client);
  const jack_native_thread_t thread = jack_client_thread_id(client);
  return thread != 0 && jack_client_kill_thread(client, thread) == 0;
}

// gettid() is a GNU extension, which Swift does not see.
static inline pid_t jackstay_current_thread(void) { return (pid_t)syscall(SYS_gettid); }
