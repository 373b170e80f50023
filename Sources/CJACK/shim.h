#pragma once

#include <jack/jack.h>
#include <jack/metadata.h>
#include <jack/midiport.h>
#include <jack/thread.h>
#include <jack/transport.h>
#include <jack/uuid.h>
#include <pthread.h>
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

// gettid() is a GNU extension, which Swift does not see.
static inline pid_t jackstay_current_thread(void) { return (pid_t)syscall(SYS_gettid); }
