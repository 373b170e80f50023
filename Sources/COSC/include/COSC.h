#pragma once

// liblo, which reads and writes OSC messages. It is loaded when it is first needed: a program that never speaks OSC
// runs on a machine that has no such library.

#include <lo/lo_lowlevel.h>

/// The functions of the library that are used here.
struct osc_library {
  __typeof__(&lo_message_new) message_new;
  __typeof__(&lo_message_free) message_free;
  __typeof__(&lo_message_get_argv) message_get_argv;
  __typeof__(&lo_message_serialise) message_serialise;
  __typeof__(&lo_message_deserialise) message_deserialise;
  __typeof__(&lo_message_add_int32) message_add_int32;
  __typeof__(&lo_message_add_int64) message_add_int64;
  __typeof__(&lo_message_add_float) message_add_float;
  __typeof__(&lo_message_add_double) message_add_double;
  __typeof__(&lo_message_add_string) message_add_string;
  __typeof__(&lo_message_add_true) message_add_true;
  __typeof__(&lo_message_add_false) message_add_false;
  __typeof__(&lo_message_add_nil) message_add_nil;
};

/// The library; null when the machine has none. Thread-safe.
const struct osc_library *osc_load(void);
