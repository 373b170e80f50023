// LD_PRELOAD for a JACK client: records how long its sync, process and timebase callbacks take, together in
// each cycle, in the file named by CALLBACK_TIMES. The stopwatch's own time is taken off.
//
// With CALLBACK_TIMES_HOT=1 the process and timebase callbacks are called twice in each cycle, and the second
// call is timed: all that they use is in the processor's caches then, in spite of other programs since the
// last cycle. To a program that watches frames the second call is a cycle that was counted twice, which may
// take it other ways than a usual one does.
#define _GNU_SOURCE
#include "CallbackTimes.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <jack/jack.h>
#include <jack/transport.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static struct callback_times *times;

// The real-time thread's alone.
static int64_t cycle;     // of this cycle, in nanoseconds
static int is_begun;      // a cycle has been seen at all
static int was_synced;    // this cycle began with a sync callback
static int64_t overhead;  // of two readings of the clock
static int is_hot;

static inline int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

__attribute__((constructor)) static void open_file(void) {
  const char *path = getenv("CALLBACK_TIMES");
  if (!path) return;
  const char *hot = getenv("CALLBACK_TIMES_HOT");
  is_hot = hot && strcmp(hot, "1") == 0;
  overhead = INT64_MAX;
  for (int i = 0; i < 10000; ++i) {
    const int64_t start = now(), time = now() - start;
    if (time < overhead) overhead = time;
  }
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return;
  if (ftruncate(file, sizeof *times) == 0) {
    // The real-time thread is not to wait for a page.
    void *memory = mmap(NULL, sizeof *times, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
    if (memory != MAP_FAILED) {
      times = memory;
      memcpy(times->magic, CALLBACK_TIMES_MAGIC, sizeof times->magic);
    }
  }
  close(file);
}

// JACK's order in a cycle is sync, process, timebase: the time of one is known when the next begins.
static void begin_cycle(void) {
  if (is_begun && times && times->count < CALLBACK_TIMES_CAPACITY) {
    times->nanoseconds[times->count] = cycle < 0 ? 0 : cycle < UINT32_MAX ? (uint32_t)cycle : UINT32_MAX;
    __atomic_store_n(&times->count, times->count + 1, __ATOMIC_RELEASE);
  }
  is_begun = 1;
  cycle = 0;
}

struct timed {
  union {
    JackProcessCallback process;
    JackTimebaseCallback timebase;
    JackSyncCallback sync;
  } callback;
  void *argument;
};

static struct timed process, timebase, sync_;

static int on_process(jack_nframes_t frames, void *self) {
  (void)self;
  if (!was_synced) {
    begin_cycle();
    if (is_hot) process.callback.process(frames, process.argument);
  }
  was_synced = 0;
  const int64_t start = now();
  const int result = process.callback.process(frames, process.argument);
  cycle += now() - start - overhead;
  return result;
}

static int on_sync(jack_transport_state_t state, jack_position_t *position, void *self) {
  (void)self;
  if (!was_synced) begin_cycle();
  was_synced = 1;
  const int64_t start = now();
  const int result = sync_.callback.sync(state, position, sync_.argument);
  cycle += now() - start - overhead;
  return result;
}

static void on_timebase(
  jack_transport_state_t state, jack_nframes_t frames, jack_position_t *position, int is_new, void *self) {
  (void)self;
  if (is_hot) timebase.callback.timebase(state, frames, position, is_new, timebase.argument);
  const int64_t start = now();
  timebase.callback.timebase(state, frames, position, is_new, timebase.argument);
  cycle += now() - start - overhead;
}

int jack_set_process_callback(jack_client_t *client, JackProcessCallback callback, void *argument) {
  int (*real)(jack_client_t *, JackProcessCallback, void *) = dlsym(RTLD_NEXT, "jack_set_process_callback");
  process = (struct timed){.callback = {.process = callback}, .argument = argument};
  return real(client, callback ? on_process : NULL, NULL);
}

int jack_set_sync_callback(jack_client_t *client, JackSyncCallback callback, void *argument) {
  int (*real)(jack_client_t *, JackSyncCallback, void *) = dlsym(RTLD_NEXT, "jack_set_sync_callback");
  if (!callback) return real(client, NULL, NULL);
  sync_ = (struct timed){.callback = {.sync = callback}, .argument = argument};
  return real(client, on_sync, NULL);
}

int jack_set_timebase_callback(
  jack_client_t *client, int conditional, JackTimebaseCallback callback, void *argument) {
  int (*real)(jack_client_t *, int, JackTimebaseCallback, void *) =
    dlsym(RTLD_NEXT, "jack_set_timebase_callback");
  timebase = (struct timed){.callback = {.timebase = callback}, .argument = argument};
  return real(client, conditional, callback ? on_timebase : NULL, NULL);
}
