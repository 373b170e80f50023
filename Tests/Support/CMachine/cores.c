#define _GNU_SOURCE
#include "CMachine.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

int machine_cores(int *cores, int capacity) {
  cpu_set_t set;
  int count = 0;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 0;
  for (int core = 0; core < CPU_SETSIZE && count < capacity; ++core)
    if (CPU_ISSET((size_t)core, &set)) cores[count++] = core;
  return count;
}

int machine_make_idle(int process) {
  const struct sched_param parameters = {.sched_priority = 0};
  return sched_setscheduler(process, SCHED_IDLE, &parameters) == 0 ? 0 : setpriority(PRIO_PROCESS, (id_t)process, 19);
}

int machine_take_core(int core, int priority) {
  const struct sched_param parameters = {.sched_priority = priority};
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((size_t)core, &set);
  const int error = pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  return error ? error : pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters);
}
