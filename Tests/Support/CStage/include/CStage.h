#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "CallbackTimes.h"
#include "RealtimeWitness.h"

// How the isolation of this process went: 0, or the errno of the step that failed.
int stage_isolation_error(void);
const char *stage_isolation_step(void);

// Takes `lo` of this process's own network namespace down, or up again. Returns 0 or an errno.
int stage_set_loopback(int is_up);

// Has `lo` of this process's own network namespace have another address of IP version 4, under a label such as "lo:1".
// Returns 0 or an errno.
int stage_add_address(const char *label, const char *address);

// Takes it away again. Returns 0 or an errno.
int stage_remove_address(const char *label);

// The sanitizer that this is built with, "address" or "thread"; NULL for none.
const char *stage_sanitizer(void);

enum stage_streams {
  STAGE_NO_INPUT,              // stdin is /dev/null, stdout and stderr are pipes
  STAGE_PIPES,                 // all three are pipes
  STAGE_TERMINAL,              // stdin and stdout are a terminal, stderr is a pipe
  STAGE_TERMINAL_WITH_ERRORS,  // all three are a terminal
};

struct stage_program {
  const char *path;
  char *const *arguments;
  char *const *environment;
  const char *directory;  // NULL: the caller's
  enum stage_streams streams;
};

// A descriptor that does not exist is -1. Those that are read do not block.
struct stage_process {
  pid_t pid;
  int pidfd, input, output, errors;
  const char *step;  // what failed, when stage_spawn fails
};

// Starts a child which dies with the calling thread. Returns 0 or an errno.
int stage_spawn(const struct stage_program *program, struct stage_process *process);

// Takes the exit status of a child that has ended. Returns whether it had.
int stage_reap(pid_t pid, int *code, int *by_signal);

// Writes all of it. Returns 0 or an errno; a closed reader is EPIPE and never a signal.
int stage_write(int descriptor, const void *bytes, size_t count);

// CPU time used by a process, in nanoseconds; -1 when it is gone.
int64_t stage_cpu_time(pid_t pid);

// A server owns the UNIX socket at this path and listens on it (in this network namespace).
int stage_is_listening(const char *path);

// A descriptor that is readable from when it is rung until it is hushed.
int stage_bell_open(void);
void stage_bell_ring(int bell);
void stage_bell_hush(int bell);

// Runs on a core at a real-time priority for some milliseconds, sleeping for one whenever it was awake for so many, and
// returns for how many microseconds it was not let run, in slices of more than one millisecond; negative, an errno.
int64_t stage_time_lost(int core, int priority, int64_t milliseconds, int64_t awake);
