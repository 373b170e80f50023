#include "CStage.h"

#include <string.h>

static const char *const function_names[] = {
#define X(name) #name,
  REALTIME_WITNESS_FUNCTIONS(X)
#undef X
};

int stage_witness_is_valid(const struct realtime_witness *witness) {
  return memcmp(witness->magic, REALTIME_WITNESS_MAGIC, sizeof witness->magic) == 0;
}

uint64_t stage_witness_callbacks(const struct realtime_witness *witness, int kind) {
  return witness->callbacks[kind];
}

uint64_t stage_witness_calls(const struct realtime_witness *witness, int function) {
  return witness->calls[function];
}

const char *stage_witness_function_name(int function) { return function_names[function]; }

const struct realtime_witness_frame *stage_witness_frame(
  const struct realtime_witness *witness, int offence, int depth, int *function) {
  const struct realtime_witness_offence *one = &witness->first[offence];
  if (depth >= (int)one->depth) return NULL;
  *function = (int)one->function;
  return &one->frames[depth];
}

const char *stage_frame_module(const struct realtime_witness_frame *frame) { return frame->module; }
const char *stage_frame_symbol(const struct realtime_witness_frame *frame) { return frame->symbol; }

int64_t stage_callback_times_count(const struct callback_times *times) {
  if (memcmp(times->magic, CALLBACK_TIMES_MAGIC, sizeof times->magic) != 0) return -1;
  return (int64_t)__atomic_load_n(&times->count, __ATOMIC_ACQUIRE);
}

uint32_t stage_callback_time(const struct callback_times *times, int64_t cycle) {
  return times->nanoseconds[cycle];
}
