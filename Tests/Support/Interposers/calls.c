// LD_PRELOAD for a JACK client: counts what its process and timebase callbacks call of libjack's and of the clocks.
//
// The counts are written to the file named by CALLBACK_CALLS when the client ends, "NAME COUNT" in each line, for the
// cycles from the 2,000th on: "cycles" is how many those were.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <jack/jack.h>
#include <jack/transport.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { FIRST = 2000 };

static JackProcessCallback process;
static void *process_argument;
static JackTimebaseCallback timebase;
static void *timebase_argument;

static _Thread_local int is_inside;
// The real-time thread's alone, until the end.
static long cycle;

#define FUNCTIONS(X) \
  X(jack_get_cycle_times) X(jack_transport_query) X(jack_get_time) X(jack_get_buffer_size) X(jack_transport_start) \
  X(jack_transport_stop) X(jack_transport_reposition) X(clock_gettime)

#define X(name) static long calls_##name;
FUNCTIONS(X)
#undef X

// Looks the function up before any callback runs.
#define REAL(name) ((__typeof__(&name))real_##name)
#define X(name) static void *real_##name;
FUNCTIONS(X)
#undef X

__attribute__((constructor)) static void begin(void) {
#define X(name) real_##name = dlsym(RTLD_NEXT, #name);
  FUNCTIONS(X)
#undef X
}

__attribute__((destructor)) static void end(void) {
  const char *path = getenv("CALLBACK_CALLS");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "cycles %ld\n", cycle > FIRST ? cycle - FIRST : 0);
#define X(name) fprintf(file, #name " %ld\n", calls_##name);
  FUNCTIONS(X)
#undef X
  fclose(file);
}

static void count(long *calls) {
  if (is_inside && cycle > FIRST) ++*calls;
}

static int on_process(jack_nframes_t frames, void *self) {
  (void)self;
  ++cycle;
  is_inside = 1;
  const int result = process(frames, process_argument);
  is_inside = 0;
  return result;
}

static void on_timebase(
  jack_transport_state_t state, jack_nframes_t frames, jack_position_t *position, int is_new, void *self) {
  (void)self;
  is_inside = 1;
  timebase(state, frames, position, is_new, timebase_argument);
  is_inside = 0;
}

int jack_set_process_callback(jack_client_t *of, JackProcessCallback callback, void *argument) {
  int (*real)(jack_client_t *, JackProcessCallback, void *) = dlsym(RTLD_NEXT, "jack_set_process_callback");
  process = callback;
  process_argument = argument;
  return real(of, callback ? on_process : NULL, NULL);
}

int jack_set_timebase_callback(jack_client_t *of, int conditional, JackTimebaseCallback callback, void *argument) {
  int (*real)(jack_client_t *, int, JackTimebaseCallback, void *) =
    dlsym(RTLD_NEXT, "jack_set_timebase_callback");
  timebase_argument = argument;
  timebase = callback;
  return real(of, conditional, callback ? on_timebase : NULL, NULL);
}

int jack_get_cycle_times(
  const jack_client_t *of, jack_nframes_t *frame, jack_time_t *start, jack_time_t *next, float *period) {
  count(&calls_jack_get_cycle_times);
  return REAL(jack_get_cycle_times)(of, frame, start, next, period);
}

jack_transport_state_t jack_transport_query(const jack_client_t *of, jack_position_t *position) {
  count(&calls_jack_transport_query);
  return REAL(jack_transport_query)(of, position);
}

jack_time_t jack_get_time(void) {
  count(&calls_jack_get_time);
  return REAL(jack_get_time)();
}

jack_nframes_t jack_get_buffer_size(jack_client_t *of) {
  count(&calls_jack_get_buffer_size);
  return REAL(jack_get_buffer_size)(of);
}

void jack_transport_start(jack_client_t *of) {
  count(&calls_jack_transport_start);
  REAL(jack_transport_start)(of);
}

void jack_transport_stop(jack_client_t *of) {
  count(&calls_jack_transport_stop);
  REAL(jack_transport_stop)(of);
}

int jack_transport_reposition(jack_client_t *of, const jack_position_t *position) {
  count(&calls_jack_transport_reposition);
  return REAL(jack_transport_reposition)(of, position);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  count(&calls_clock_gettime);
  return REAL(clock_gettime)(clock, time);
}
