// LD_PRELOAD for a JACK client: its server leaves the first client of the process out of its cycles from the
// 200th on, as jackd2 does with one that was activated in a freewheel.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <jack/jack.h>
#include <stdatomic.h>

static JackProcessCallback process;
static void *process_argument;
static atomic_int clients;
// The real-time thread's alone.
static int cycles;

static int process_at_first(jack_nframes_t frames, void *argument) {
  (void)argument;
  return cycles++ < 200 ? process(frames, process_argument) : 0;
}

int jack_set_process_callback(jack_client_t *client, JackProcessCallback callback, void *argument) {
  int (*const set)(jack_client_t *, JackProcessCallback, void *) =
      (int (*)(jack_client_t *, JackProcessCallback, void *))dlsym(RTLD_NEXT, "jack_set_process_callback");
  if (atomic_fetch_add(&clients, 1) > 0) return set(client, callback, argument);
  process = callback;
  process_argument = argument;
  return set(client, process_at_first, 0);
}
