// LD_PRELOAD for programs built with ThreadSanitizer: reports the order of events to it where Swift's
// libraries and libjack, which are not instrumented, ensure that order. Without this file it reports two
// threads' successive actions as a race. Programs without ThreadSanitizer are left as they are.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <jack/jack.h>
#include <stdatomic.h>
#include <stdlib.h>

// There in a program with ThreadSanitizer, null in others.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));
// There in a program in Swift.
extern void *swift_task_getCurrent(void) __attribute__((weak, swiftcall));

// A Mutex of Swift's that is free is an atomic in the program itself, which is seen. Where another thread has it, Swift's
// library waits for it, at first by trying again and then in the kernel: that is not seen. Their names are those of
// `_MutexHandle._lockSlow` and `_unlockSlow`, which are part of that library's binary interface.
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SELF __attribute__((swift_context))
#define SWIFT __attribute__((swiftcall))
SWIFT void lock_slow(unsigned thread, SELF void *self) __asm__(LOCK_SLOW);
SWIFT void unlock_slow(SELF void *self) __asm__(UNLOCK_SLOW);

SWIFT void lock_slow(unsigned thread, SELF void *self) {
  static void (*real)(unsigned, SELF void *) SWIFT;
  if (!real) real = (__typeof__(real))dlsym(RTLD_NEXT, LOCK_SLOW);
  real(thread, self);
  if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT void unlock_slow(SELF void *self) {
  static void (*real)(SELF void *) SWIFT;
  if (!real) real = (__typeof__(real))dlsym(RTLD_NEXT, UNLOCK_SLOW);
  if (__tsan_release) __tsan_release(self);
  real(self);
}

// A block handed to Dispatch is released by two threads, and the later of them frees it. Which one that is
// shows only when the references are counted down: so that is done here for all but the last, which alone may
// depend on the others. Where a block has its count, and what it means, is part of the blocks' binary
// interface.
void _Block_release(const void *block) {
  enum { COUNT = 0xfffe, ONE = 2, HEAP = 1 << 24, STATIC = 1 << 28 };
  static void (*real)(const void *);
  if (!real) real = (void (*)(const void *))dlsym(RTLD_NEXT, "_Block_release");
  if (block && __tsan_release && __tsan_acquire) {
    _Atomic int *flags = (_Atomic int *)((char *)block + sizeof(void *));
    int seen = atomic_load(flags);
    if ((seen & HEAP) && !(seen & STATIC)) {
      __tsan_release((void *)block);
      while ((seen & COUNT) > ONE && (seen & COUNT) < COUNT)
        if (atomic_compare_exchange_weak(flags, &seen, seen - ONE)) return;
      __tsan_acquire((void *)block);
    }
  }
  real(block);
}

// Swift's runtime reports to ThreadSanitizer when a continuation is resumed, and when a thread begins to run
// a task; but not when a task finds the continuation resumed before it has been suspended, and just goes on.
// Then it first releases the memory of the value that it has awaited.
__attribute__((swiftcall)) void swift_task_dealloc(void *memory) {
  static void (*real)(void *) __attribute__((swiftcall));
  if (!real) real = (__typeof__(real))dlsym(RTLD_NEXT, "swift_task_dealloc");
  void *task = swift_task_getCurrent ? swift_task_getCurrent() : NULL;
  if (task && __tsan_acquire) __tsan_acquire(task);
  real(memory);
}

// libjack takes these callbacks only before a client is activated. It calls them afterwards, or when the
// server has gone, on a thread that it has started before, and which it notifies by a flag in shared memory.
// So all that happened before a callback was given has happened when it is called; later events need not.
struct given {
  void (*callback)(void);
  void *argument;
};

static void *give(void *callback, void *argument) {
  struct given *given = malloc(sizeof *given);
  if (!given) abort();
  *given = (struct given){(void (*)(void))callback, argument};
  __tsan_release(given);
  return given;
}

static struct given *take(void *given) {
  __tsan_acquire(given);
  return given;
}

#define CALLBACK(Result, register_, Result_, Callback, PARAMETERS, ARGUMENTS) \
  static Result_ on_##register_ PARAMETERS { \
    const struct given *self = take(given); \
    return ((Callback)self->callback)ARGUMENTS; \
  } \
  Result register_(jack_client_t *client, Callback callback, void *argument) { \
    static Result (*real)(jack_client_t *, Callback, void *); \
    if (!real) real = (__typeof__(real))dlsym(RTLD_NEXT, #register_); \
    if (!callback || !__tsan_release || !__tsan_acquire) return real(client, callback, argument); \
    return real(client, on_##register_, give(callback, argument)); \
  }

CALLBACK(int, jack_set_buffer_size_callback, int, JackBufferSizeCallback, (jack_nframes_t frames, void *given),
         (frames, self->argument))
CALLBACK(int, jack_set_sample_rate_callback, int, JackSampleRateCallback, (jack_nframes_t rate, void *given),
         (rate, self->argument))
CALLBACK(int, jack_set_xrun_callback, int, JackXRunCallback, (void *given), (self->argument))
CALLBACK(int, jack_set_graph_order_callback, int, JackGraphOrderCallback, (void *given), (self->argument))
CALLBACK(int, jack_set_client_registration_callback, void, JackClientRegistrationCallback,
         (const char *name, int is_registered, void *given), (name, is_registered, self->argument))
CALLBACK(int, jack_set_freewheel_callback, void, JackFreewheelCallback, (int starts, void *given),
         (starts, self->argument))
CALLBACK(int, jack_set_latency_callback, void, JackLatencyCallback,
         (jack_latency_callback_mode_t mode, void *given), (mode, self->argument))
CALLBACK(void, jack_on_shutdown, void, JackShutdownCallback, (void *given), (self->argument))
CALLBACK(void, jack_on_info_shutdown, void, JackInfoShutdownCallback,
         (jack_status_t code, const char *reason, void *given), (code, reason, self->argument))
