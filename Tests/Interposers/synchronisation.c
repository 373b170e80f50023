// LD_PRELOAD for programs built with ThreadSanitizer: tells it what happens before what where Swift's libraries, which
// are not instrumented, see to that. Without this file it reports what two threads did one after the other as a race.
// Programs without ThreadSanitizer are left as they are.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>

// There in a program with ThreadSanitizer, null in others.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

// A Mutex of Swift's that nobody waits for is an atomic in the program itself, which is seen. One that somebody waits
// for is handed over in the kernel.
long syscall(long number, ...) {
  static long (*real)(long, ...);
  long a[6];
  va_list rest;
  va_start(rest, number);
  for (int i = 0; i < 6; ++i) a[i] = va_arg(rest, long);
  va_end(rest);
  if (!real) real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  const int operation = number == SYS_futex ? (int)a[1] & FUTEX_CMD_MASK : -1;
  if (operation == FUTEX_UNLOCK_PI && __tsan_release) __tsan_release((void *)a[0]);
  const long result = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  const int error = errno;
  if ((operation == FUTEX_LOCK_PI || operation == FUTEX_TRYLOCK_PI) && result == 0 && __tsan_acquire)
    __tsan_acquire((void *)a[0]);
  errno = error;
  return result;
}

// A block handed to Dispatch is released by two threads, and the later of them frees it.
void _Block_release(const void *block) {
  static void (*real)(const void *);
  if (!real) real = (void (*)(const void *))dlsym(RTLD_NEXT, "_Block_release");
  if (__tsan_release && __tsan_acquire) {
    __tsan_release((void *)block);
    __tsan_acquire((void *)block);
  }
  real(block);
}
