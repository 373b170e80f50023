#pragma once

#include <stdint.h>

// The file in which the interposer Tests/Support/Interposers/realtime.c records what a program did inside
// its JACK callbacks. Both sides are of one build and one machine.

#define REALTIME_WITNESS_MAGIC "JSWITN01"
#define REALTIME_WITNESS_OFFENCES 16
#define REALTIME_WITNESS_DEPTH 24

#define REALTIME_WITNESS_CALLBACKS(X) X(process) X(timebase) X(sync)

#define REALTIME_WITNESS_FUNCTIONS(X)                                                              \
  X(malloc) X(calloc) X(realloc) X(free) X(posix_memalign) X(aligned_alloc) X(memalign)            \
  X(pthread_mutex_lock) X(pthread_mutex_timedlock) X(pthread_mutex_trylock)                        \
  X(pthread_rwlock_rdlock) X(pthread_rwlock_wrlock)                                                \
  X(pthread_cond_wait) X(pthread_cond_timedwait) X(pthread_cond_clockwait)                         \
  X(pthread_cond_signal) X(pthread_cond_broadcast) X(pthread_create) X(pthread_join)               \
  X(sem_wait) X(sem_timedwait) X(nanosleep) X(clock_nanosleep) X(usleep) X(sleep) X(sched_yield)   \
  X(poll) X(ppoll) X(select) X(epoll_wait)                                                         \
  X(read) X(write) X(readv) X(writev) X(open) X(openat) X(close) X(ioctl)                          \
  X(recv) X(recvfrom) X(recvmsg) X(send) X(sendto) X(sendmsg) X(mmap) X(munmap) X(syscall)

enum realtime_witness_callback {
#define X(name) WITNESS_CALLBACK_##name,
  REALTIME_WITNESS_CALLBACKS(X)
#undef X
  WITNESS_CALLBACKS
};

enum realtime_witness_function {
#define X(name) WITNESS_##name,
  REALTIME_WITNESS_FUNCTIONS(X)
#undef X
  WITNESS_FUNCTIONS
};

struct realtime_witness_frame {
  uint64_t offset;  // in the module's file, as symbolisers want it
  char module[112];
  char symbol[136];  // empty when the module does not export it
};

struct realtime_witness_offence {
  uint32_t function;
  uint32_t depth;  // written last: 0 until the frames are there
  struct realtime_witness_frame frames[REALTIME_WITNESS_DEPTH];
};

struct realtime_witness {
  char magic[8];
  uint64_t callbacks[WITNESS_CALLBACKS];
  uint64_t calls[WITNESS_FUNCTIONS];
  uint64_t offences;
  struct realtime_witness_offence first[REALTIME_WITNESS_OFFENCES];
};

// For the reader: whether the bytes are a witness, and what is in them.
int stage_witness_is_valid(const struct realtime_witness *witness);
uint64_t stage_witness_callbacks(const struct realtime_witness *witness, int kind);
uint64_t stage_witness_calls(const struct realtime_witness *witness, int function);
const char *stage_witness_function_name(int function);
const struct realtime_witness_frame *stage_witness_frame(
  const struct realtime_witness *witness, int offence, int depth, int *function);
const char *stage_frame_module(const struct realtime_witness_frame *frame);
const char *stage_frame_symbol(const struct realtime_witness_frame *frame);
