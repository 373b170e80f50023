// LD_PRELOAD for a JACK client: the toolchain's RealtimeSanitizer, which watches the client's process, timebase and
// sync callbacks. It is linked into this library, so the client itself is the program as it ships. The report is in the file
// named by REALTIME_SANITIZER, with the process id at its end.
#define _GNU_SOURCE
#include "callbacks.h"

#include <dlfcn.h>
#include <sys/auxv.h>

extern void __rtsan_ensure_initialized(void);
extern void __rtsan_realtime_enter(void);
extern void __rtsan_realtime_exit(void);
extern void __sanitizer_set_report_path(const char *path);
extern void __sanitizer_symbolize_pc(void *address, const char *format, char *text, size_t size);

static void enter_callback(enum realtime_witness_callback kind) {
  (void)kind;
  __rtsan_realtime_enter();
}

static void leave_callback(void) { __rtsan_realtime_exit(); }

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

__attribute__((constructor)) static void prepare(void) {
  char text[256];
  const char *path = getenv("REALTIME_SANITIZER");
  unsetenv("LD_PRELOAD");  // the symboliser is a child, and is not to be watched
  __rtsan_ensure_initialized();
  if (path) {
    __sanitizer_set_report_path(path);  // the option log_path does nothing here
    // That it is loaded shows by a file, also where the program ends without its statistics.
    snprintf(text, sizeof text, "%s.loaded", path);
    FILE *file = fopen(text, "w");
    if (file) fclose(file);
  }
  // The first symbol starts the symboliser, which reads all of the program's: better now than in a callback.
  __sanitizer_symbolize_pc((void *)getauxval(AT_ENTRY), "%f", text, sizeof text);
}
