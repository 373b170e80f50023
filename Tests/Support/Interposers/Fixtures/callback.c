// A JACK client for half a second, whose process callback is clean or, when asked, is not: then it prints how often that
// was. Asked to be slow, its process and timebase callbacks take 100 us each.
#include <jack/jack.h>
#include <jack/transport.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int dirty, dirty_calls, clean_calls;
static int slow;
static void *volatile memory;

__attribute__((noinline)) void careless_callback(void) {
  memory = malloc(100);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  free(memory);
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void take_time(void) {
  const int64_t end = now() + 100000;
  while (slow && now() < end) {}
}

static int process(jack_nframes_t frames, void *argument) {
  (void)frames, (void)argument;
  const int is_dirty = dirty;
  if (is_dirty) careless_callback();
  ++*(is_dirty ? &dirty_calls : &clean_calls);
  take_time();
  return 0;
}

static void timebase(
  jack_transport_state_t state, jack_nframes_t frames, jack_position_t *position, int is_new, void *own) {
  (void)state, (void)frames, (void)is_new, (void)own;
  position->valid = 0;
  take_time();
}

static int sync_ready(jack_transport_state_t state, jack_position_t *position, void *argument) {
  (void)state, (void)position, (void)argument;
  return 1;
}

int main(int count, char **arguments) {
  dirty = count > 1 && strcmp(arguments[1], "dirty") == 0;
  slow = count > 1 && strcmp(arguments[1], "slow") == 0;
  jack_client_t *client = jack_client_open("callback", JackNoStartServer, NULL);
  if (!client) return 1;
  jack_set_process_callback(client, process, NULL);
  jack_set_sync_callback(client, sync_ready, NULL);
  jack_set_timebase_callback(client, 0, timebase, NULL);
  jack_activate(client);
  jack_transport_start(client);
  for (int i = 0; i < 50; ++i) {  // what happens outside the callbacks is nobody's business
    free(malloc(1000));
    usleep(10000);
  }
  if (dirty) {
    // libjack cancels its thread wherever that is: inside malloc, or a sanitizer's report, it would keep their locks.
    dirty = 0;
    while (!clean_calls) usleep(1000);
    printf("%d\n", dirty_calls);
  }
  jack_client_close(client);
  return 0;
}
