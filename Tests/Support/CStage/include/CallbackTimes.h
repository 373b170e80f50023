#pragma once

#include <stdint.h>

// The file in which the interposer Tests/Support/Interposers/stopwatch.c records how long the callbacks of a JACK client took.
// Both sides are of one build and one machine.

#define CALLBACK_TIMES_MAGIC "JSTIME01"
#define CALLBACK_TIMES_CAPACITY (1u << 18)

struct callback_times {
  char magic[8];
  uint64_t count;  // of cycles recorded; written after the time of the last
  uint32_t nanoseconds[CALLBACK_TIMES_CAPACITY];  // of the sync, process and timebase callbacks of one cycle together
};

// For the reader: how many cycles are recorded, -1 when the bytes are no such file, and the time of one of them.
int64_t stage_callback_times_count(const struct callback_times *times);
uint32_t stage_callback_time(const struct callback_times *times, int64_t cycle);
