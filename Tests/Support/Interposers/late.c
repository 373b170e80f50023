// LD_PRELOAD for a JACK client of jackd2: the first real-time thread that its libjack makes begins LATE_MS milliseconds
// late, as on a machine that has too much to do. It is the third thread of a client, after those of the log and of the
// notifications. LATE_THREAD names another, and 0 has every one be late.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int (*CreateThread)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

typedef struct {
  void *(*run)(void *);
  void *argument;
} Work;

static atomic_int count;

static int number(const char *name, int otherwise) {
  const char *text = getenv(name);
  return text ? atoi(text) : otherwise;
}

static void *run_late(void *argument) {
  const Work work = *(Work *)argument;
  free(argument);
  const int milliseconds = number("LATE_MS", 0);
  struct timespec rest = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {}
  return work.run(work.argument);
}

// Whether libjack asks for a thread, be it by a function of the program.
static bool is_libjacks(void) {
  void *callers[8];
  const int depth = backtrace(callers, 8);
  for (int i = 1; i < depth; i++) {
    Dl_info info;
    if (dladdr(callers[i], &info) && info.dli_fname && strstr(info.dli_fname, "libjack")) return true;
  }
  return false;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
  const CreateThread create = (CreateThread)dlsym(RTLD_NEXT, "pthread_create");
  if (!is_libjacks()) return create(thread, attributes, run, argument);
  const int made = atomic_fetch_add(&count, 1) + 1;
  const int late = number("LATE_THREAD", 3);
  if (late != 0 && made != late) return create(thread, attributes, run, argument);
  Work *work = malloc(sizeof *work);
  if (!work) return EAGAIN;
  *work = (Work){run, argument};
  return create(thread, attributes, run_late, work);
}
