// Makes a quiet machine a bad one: takes each core away from all other processes in slices, as a host does
// that has sold it more than once.
//
// usage: thief [--share S] [--seed N] [--seconds T] [--plan COUNT]
//   --share S      which part of each core is taken, 0.01 to 0.5 (default 0.15)
//   --seed N       the same seed takes the same slices (default 1)
//   --seconds T    for how long, at most 86400 (default: until SIGTERM, or until its parent ends)
//   --plan COUNT   print so many slices of each core, "core wait_us length_us" in each line, and take none
//
// One thread for each core that it may use, pinned to it, runs before all others for 3 to 20 ms at a time, and then
// sleeps for no less than 5 ms: the machine always has time to end it.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { kPriority = 90, kMostCores = 1024 };
static const double kShortest = 3000, kLongest = 20000;  // a slice, us

struct slice { double wait, length; };  // us
struct plan { uint64_t state; double share; };
struct core { int number; struct plan plan; };

static double share = 0.15, seconds = -1;
static uint64_t seed = 1;

// SplitMix64: from 0 to below 1.
static double next(uint64_t *state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static struct plan plan_for(int core) {
  struct plan plan = {.state = seed * 0x2545F4914F6CDD1Du + (uint64_t)core * 0xD1342543DE82EF95u, .share = share};
  next(&plan.state);
  return plan;
}

// Waits are on average as long as leaves the share for the slices, half that at least.
static struct slice next_slice(struct plan *plan) {
  const double length = kShortest + (kLongest - kShortest) * next(&plan->state);
  const double mean = (kShortest + kLongest) / 2 * (1 - plan->share) / plan->share;
  return (struct slice){mean * (0.5 + next(&plan->state)), length};
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void sleep_until(double time) {
  const struct timespec until = {(time_t)(time / 1e6), (long)((time - (double)(time_t)(time / 1e6) * 1e6) * 1e3)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) continue;
}

static void *steal(void *argument) {
  struct core *core = argument;
  double time = now();
  for (;;) {
    const struct slice slice = next_slice(&core->plan);
    sleep_until(time + slice.wait);
    const double end = now() + slice.length;
    while (now() < end) continue;
    time = end;
  }
  return NULL;
}

static void fail(const char *format, const char *what, const char *reason) {
  fprintf(stderr, "thief: ");
  fprintf(stderr, format, what, reason);
  fputc('\n', stderr);
}

static int read_number(const char *flag, const char *text, double least, double most, double *number) {
  char *end = NULL, expectation[96];
  if (text) *number = strtod(text, &end);
  if (text && end != text && *end == 0 && *number >= least && *number <= most) return 1;
  snprintf(expectation, sizeof expectation, "expected a number from %g to %g, for example %s %g", least, most, flag,
           least);
  fprintf(stderr, "thief: %s %s: %s\n", flag, text ? text : "without a value", expectation);
  return 0;
}

static int start(struct core *core) {
  pthread_attr_t attributes;
  pthread_t thread;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((size_t)core->number, &set);
  const struct sched_param parameters = {.sched_priority = kPriority};
  pthread_attr_init(&attributes);
  pthread_attr_setaffinity_np(&attributes, sizeof set, &set);
  pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
  pthread_attr_setschedparam(&attributes, &parameters);
  return pthread_create(&thread, &attributes, steal, core);
}

int main(int argc, char **argv) {
  static struct core cores[kMostCores];
  const pid_t parent = getppid();
  double slices = -1, number = 0;
  for (int i = 1; i < argc; i += 2) {
    const char *flag = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    int is_good = 0;
    if (strcmp(flag, "--share") == 0) is_good = read_number(flag, value, 0.01, 0.5, &share);
    else if (strcmp(flag, "--seconds") == 0) is_good = read_number(flag, value, 0, 86400, &seconds);
    else if (strcmp(flag, "--plan") == 0) is_good = read_number(flag, value, 1, 1e6, &slices);
    else if (strcmp(flag, "--seed") == 0) {
      is_good = read_number(flag, value, 0, 9007199254740992.0, &number);
      seed = (uint64_t)number;
    } else fail("unknown option %s; expected %s", flag, "--share, --seed, --seconds or --plan");
    if (!is_good) return 2;
  }
  cpu_set_t mine;
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) {
    fail("%s (%s): ask the system's administrator which cores this user may use", "cannot tell our cores",
         strerror(errno));
    return 1;
  }
  int count = 0;
  for (int number_of = 0; number_of < kMostCores && number_of < CPU_SETSIZE; ++number_of)
    if (CPU_ISSET((size_t)number_of, &mine)) cores[count++] = (struct core){number_of, plan_for(number_of)};
  if (slices > 0) {
    for (int i = 0; i < count; ++i)
      for (double k = 0; k < slices; ++k) {
        const struct slice slice = next_slice(&cores[i].plan);
        printf("%d %.0f %.0f\n", cores[i].number, slice.wait, slice.length);
      }
    return 0;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) return 0;  // it ended before the line above
  for (int i = 0; i < count; ++i) {
    const int error = start(&cores[i]);
    if (error == 0) continue;
    fail("%s (%s): run as root, or allow it with ulimit -r 90", "no real-time priority", strerror(error));
    return 1;
  }
  puts("stealing");
  fflush(stdout);
  if (seconds < 0) for (;;) pause();
  sleep_until(now() + seconds * 1e6);
  return 0;
}
