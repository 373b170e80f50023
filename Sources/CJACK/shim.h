#pragma once

#include <jack/jack.h>
#include <jack/metadata.h>
#include <jack/midiport.h>
#include <jack/thread.h>
#include <jack/transport.h>
#include <jack/uuid.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
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
JACKSTAY_REALTIME uint32_t jack_midi_get_event_count(void *buffer);
JACKSTAY_REALTIME int jack_midi_event_get(jack_midi_event_t *event, void *buffer, uint32_t index);

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

// A thread that libjack asks for, as the asking thread and the new one share it.
//
// libjack waits a second for some of its threads to begin, then gives up and forgets them: they would begin
// later, on memory that may have been freed. So the asking thread gets no answer before the new one has
// begun. A thread that did not begin in ten seconds never calls libjack, which gets an error instead.
enum { JACKSTAY_THREAD_AWAITED, JACKSTAY_THREAD_BEGUN, JACKSTAY_THREAD_GIVEN_UP };
typedef struct {
  void *(*start)(void *);
  void *argument;
  sem_t begun;
  atomic_int state;
} jackstay_thread;

static inline void *jackstay_begin_thread(void *shared) {
  jackstay_thread *thread = (jackstay_thread *)shared;
  void *(*const start)(void *) = thread->start;
  void *const argument = thread->argument;
  if (atomic_exchange(&thread->state, JACKSTAY_THREAD_BEGUN) == JACKSTAY_THREAD_GIVEN_UP) {
    free(thread);
    return NULL;
  }
  sem_post(&thread->begun);
  void *const result = start(argument);
  // libjack cancels its threads asynchronously, also one that ends by itself as the server dies. In the midst of what
  // glibc frees for a thread that ends it would wait for ever for a lock of its own, and a client that closes for it.
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  return result;
}

// sem_clockwait() is a GNU extension, which Swift does not see.
extern int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *end);

// A thread that could not be made has no number: glibc may leave that of a thread that is gone, and libjack keeps it.
static inline int jackstay_create_thread(
    jack_native_thread_t *number, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
  jackstay_thread *thread = (jackstay_thread *)calloc(1, sizeof *thread);
  int code = thread == NULL ? ENOMEM : 0;
  if (code == 0) {
    thread->start = start;
    thread->argument = argument;
    sem_init(&thread->begun, 0, 0);
    code = pthread_create(number, attributes, jackstay_begin_thread, thread);
  }
  if (code != 0) {
    free(thread);
    *number = 0;
    return code;
  }
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += 10;
  while (sem_clockwait(&thread->begun, CLOCK_MONOTONIC, &end) != 0) {
    if (errno == EINTR) continue;
    if (atomic_exchange(&thread->state, JACKSTAY_THREAD_GIVEN_UP) == JACKSTAY_THREAD_BEGUN) {
      // It has begun this very moment, and is about to post.
      while (sem_wait(&thread->begun) != 0) {}
      break;
    }
    pthread_detach(*number);
    *number = 0;
    return EAGAIN;
  }
  free(thread);
  return 0;
}
static inline void jackstay_prepare_threads(void) { jack_set_thread_creator(jackstay_create_thread); }

// gettid() is a GNU extension, which Swift does not see.
static inline pid_t jackstay_current_thread(void) { return (pid_t)syscall(SYS_gettid); }
