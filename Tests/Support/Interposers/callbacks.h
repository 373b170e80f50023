// The common part of libraries that are loaded between a JACK client and libjack: each call of the client's
// process, timebase and sync callbacks goes through here.
//
// A file that includes this defines the actions around a call, and how libjack's own functions are found.
#pragma once

#include "RealtimeWitness.h"

#include <jack/jack.h>
#include <jack/transport.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static void enter_callback(enum realtime_witness_callback kind);
static void leave_callback(void);
static void *next(const char *name);

struct wrapped {
  union {
    JackProcessCallback process;
    JackTimebaseCallback timebase;
    JackSyncCallback sync;
  } callback;
  void *argument;
};

static struct wrapped *wrap(void *argument) {
  static struct wrapped places[1024];
  static atomic_uint used;
  const unsigned place = atomic_fetch_add(&used, 1);
  if (place >= sizeof places / sizeof *places) {
    fprintf(stderr, "too many callbacks\n");
    abort();
  }
  places[place].argument = argument;
  return &places[place];
}

static int on_process(jack_nframes_t frames, void *self) {
  const struct wrapped *one = self;
  enter_callback(WITNESS_CALLBACK_process);
  const int result = one->callback.process(frames, one->argument);
  leave_callback();
  return result;
}

static void on_timebase(
  jack_transport_state_t state, jack_nframes_t frames, jack_position_t *position, int is_new, void *self) {
  const struct wrapped *one = self;
  enter_callback(WITNESS_CALLBACK_timebase);
  one->callback.timebase(state, frames, position, is_new, one->argument);
  leave_callback();
}

static int on_sync(jack_transport_state_t state, jack_position_t *position, void *self) {
  const struct wrapped *one = self;
  enter_callback(WITNESS_CALLBACK_sync);
  const int result = one->callback.sync(state, position, one->argument);
  leave_callback();
  return result;
}

int jack_set_process_callback(jack_client_t *client, JackProcessCallback callback, void *argument) {
  int (*real)(jack_client_t *, JackProcessCallback, void *) = next("jack_set_process_callback");
  if (!callback) return real(client, NULL, argument);
  struct wrapped *one = wrap(argument);
  one->callback.process = callback;
  return real(client, on_process, one);
}

int jack_set_timebase_callback(
  jack_client_t *client, int conditional, JackTimebaseCallback callback, void *argument) {
  int (*real)(jack_client_t *, int, JackTimebaseCallback, void *) = next("jack_set_timebase_callback");
  if (!callback) return real(client, conditional, NULL, argument);
  struct wrapped *one = wrap(argument);
  one->callback.timebase = callback;
  return real(client, conditional, on_timebase, one);
}

int jack_set_sync_callback(jack_client_t *client, JackSyncCallback callback, void *argument) {
  int (*real)(jack_client_t *, JackSyncCallback, void *) = next("jack_set_sync_callback");
  if (!callback) return real(client, NULL, argument);
  struct wrapped *one = wrap(argument);
  one->callback.sync = callback;
  return real(client, on_sync, one);
}
