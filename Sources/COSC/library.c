#include "COSC.h"

#include <dlfcn.h>
#include <pthread.h>

static struct osc_library library;
static int is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Each of them takes its place in turn: one that is missing makes the library another than the one this is built for.
#define FIND(name) \
  if (!(library.name = (__typeof__(library.name))dlsym(handle, "lo_" #name))) return

static void load(void) {
  // The name that programs have which are linked with it.
  void *handle = dlopen("liblo.so.7", RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return;
  FIND(message_new);
  FIND(message_free);
  FIND(message_get_argv);
  FIND(message_serialise);
  FIND(message_deserialise);
  FIND(message_add_int32);
  FIND(message_add_int64);
  FIND(message_add_float);
  FIND(message_add_double);
  FIND(message_add_string);
  FIND(message_add_true);
  FIND(message_add_false);
  FIND(message_add_nil);
  is_loaded = 1;
}

const struct osc_library *osc_load(void) {
  pthread_once(&once, load);
  return is_loaded ? &library : NULL;
}
