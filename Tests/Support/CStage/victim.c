#include "CStage.h"
#include "CMachine.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

struct watch { int core, priority; int64_t milliseconds, awake, lost; };

static void *suffer(void *argument) {
  struct watch *watch = argument;
  const int error = machine_take_core(watch->core, watch->priority);
  if (error != 0) return watch->lost = -error, NULL;
  const int64_t end = now() + watch->milliseconds * 1000;
  int64_t last = now();
  while (last < end) {
    // Awake, an instant is as late as the one before it is long ago; asleep, as it is after the end of the sleep.
    for (const int64_t until = last + watch->awake * 1000; last < until;) {
      const int64_t time = now();
      if (time - last > 1000) watch->lost += time - last;
      last = time;
    }
    const struct timespec rest = {0, 1000000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, NULL);
    const int64_t time = now();
    if (time - last > 2000) watch->lost += time - last - 1000;
    last = time;
  }
  return NULL;
}

// On a thread of its own: no other of the process may come to run before all others.
int64_t stage_time_lost(int core, int priority, int64_t milliseconds, int64_t awake) {
  struct watch watch = {core, priority, milliseconds, awake, 0};
  pthread_t thread;
  const int error = pthread_create(&thread, NULL, suffer, &watch);
  if (error != 0) return -error;
  pthread_join(thread, NULL);
  return watch.lost;
}
