// LD_PRELOAD for a JACK client: counts the calls that may block or allocate made inside its process,
// timebase and sync callbacks, in the file named by REALTIME_WITNESS.
#define _GNU_SOURCE
#define _LARGEFILE64_SOURCE
#include "callbacks.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static struct realtime_witness unwatched;
static struct realtime_witness *witness = &unwatched;

// The default model may allocate the variable on its first use, by malloc.
static __thread int in_callback __attribute__((tls_model("initial-exec")));

static void add(uint64_t *counter) { __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED); }

__attribute__((noinline)) static void record(enum realtime_witness_function function) {
  void *addresses[REALTIME_WITNESS_DEPTH + 2];
  const int outer = in_callback;
  in_callback = 0;  // what follows is ours
  add(&witness->calls[function]);
  const uint64_t place = __atomic_fetch_add(&witness->offences, 1, __ATOMIC_RELAXED);
  if (place < REALTIME_WITNESS_OFFENCES) {
    struct realtime_witness_offence *offence = &witness->first[place];
    const int depth = backtrace(addresses, REALTIME_WITNESS_DEPTH + 2) - 2;  // not this and the wrapper
    for (int i = 0; i < depth; ++i) {
      struct realtime_witness_frame *frame = &offence->frames[i];
      Dl_info info;
      char *const address = (char *)addresses[i + 2] - 1;  // in the call, not after it
      frame->offset = (uint64_t)(uintptr_t)address;
      if (!dladdr(address, &info)) continue;
      frame->offset = (uint64_t)(address - (char *)info.dli_fbase);
      if (info.dli_fname) strncpy(frame->module, info.dli_fname, sizeof frame->module - 1);
      if (info.dli_sname) strncpy(frame->symbol, info.dli_sname, sizeof frame->symbol - 1);
    }
    offence->function = function;
    __atomic_store_n(&offence->depth, depth > 0 ? (uint32_t)depth : 0, __ATOMIC_RELEASE);
  }
  in_callback = outer;
}

static inline void note(enum realtime_witness_function function) {
  if (__builtin_expect(in_callback != 0, 0)) record(function);
}

static void *next(const char *name) {
  const int outer = in_callback;
  in_callback = 0;
  // A plain dlsym may give a condition variable's functions in the layout before 2.3.2.
  void *address = strncmp(name, "pthread_cond_", 13) == 0 ? dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2") : NULL;
  if (!address) address = dlsym(RTLD_NEXT, name);
  in_callback = outer;
  return address;
}

__attribute__((constructor)) static void open_witness(void) {
  const char *path = getenv("REALTIME_WITNESS");
  void *frame[1];
  backtrace(frame, 1);  // its first call loads a library
  if (!path) return;
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return;
  if (ftruncate(file, sizeof *witness) == 0) {
    void *memory = mmap(NULL, sizeof *witness, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) {
      witness = memory;
      memcpy(witness->magic, REALTIME_WITNESS_MAGIC, sizeof witness->magic);
    }
  }
  close(file);
}

// ---- JACK's callbacks --------------------------------------------------------------------------

static void enter_callback(enum realtime_witness_callback kind) {
  add(&witness->callbacks[kind]);
  ++in_callback;
}

static void leave_callback(void) { --in_callback; }

// ---- allocation --------------------------------------------------------------------------------
// By glibc's own names: dlsym allocates, so looking malloc up would call it.

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

void *malloc(size_t size) {
  note(WITNESS_malloc);
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  note(WITNESS_calloc);
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  note(WITNESS_realloc);
  return __libc_realloc(memory, size);
}

void free(void *memory) {
  if (memory) note(WITNESS_free);
  __libc_free(memory);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  note(WITNESS_posix_memalign);
  if (alignment < sizeof(void *) || (alignment & (alignment - 1))) return EINVAL;
  void *result = __libc_memalign(alignment, size);
  if (!result) return ENOMEM;
  *memory = result;
  return 0;
}

void *aligned_alloc(size_t alignment, size_t size) {
  note(WITNESS_aligned_alloc);
  return __libc_memalign(alignment, size);
}

void *memalign(size_t alignment, size_t size) {
  note(WITNESS_memalign);
  return __libc_memalign(alignment, size);
}

// ---- everything else ---------------------------------------------------------------------------

#define INTERPOSE(type, name, parameters, arguments)            \
  type name parameters {                                        \
    static type(*real) parameters;                              \
    if (!real) real = (type(*) parameters)next(#name);          \
    note(WITNESS_##name);                                       \
    return real arguments;                                      \
  }

INTERPOSE(int, pthread_mutex_lock, (pthread_mutex_t *m), (m))
INTERPOSE(int, pthread_mutex_timedlock, (pthread_mutex_t *m, const struct timespec *t), (m, t))
INTERPOSE(int, pthread_mutex_trylock, (pthread_mutex_t *m), (m))
INTERPOSE(int, pthread_rwlock_rdlock, (pthread_rwlock_t *l), (l))
INTERPOSE(int, pthread_rwlock_wrlock, (pthread_rwlock_t *l), (l))
INTERPOSE(int, pthread_cond_wait, (pthread_cond_t *c, pthread_mutex_t *m), (c, m))
INTERPOSE(int, pthread_cond_timedwait,
          (pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t), (c, m, t))
INTERPOSE(int, pthread_cond_clockwait,
          (pthread_cond_t *c, pthread_mutex_t *m, clockid_t k, const struct timespec *t), (c, m, k, t))
INTERPOSE(int, pthread_cond_signal, (pthread_cond_t *c), (c))
INTERPOSE(int, pthread_cond_broadcast, (pthread_cond_t *c), (c))
INTERPOSE(int, pthread_create,
          (pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *p), (t, a, f, p))
INTERPOSE(int, pthread_join, (pthread_t t, void **result), (t, result))
INTERPOSE(int, sem_wait, (sem_t *s), (s))
INTERPOSE(int, sem_timedwait, (sem_t *s, const struct timespec *t), (s, t))
INTERPOSE(int, nanosleep, (const struct timespec *t, struct timespec *r), (t, r))
INTERPOSE(int, clock_nanosleep,
          (clockid_t c, int f, const struct timespec *t, struct timespec *r), (c, f, t, r))
INTERPOSE(int, usleep, (useconds_t t), (t))
INTERPOSE(unsigned, sleep, (unsigned t), (t))
INTERPOSE(int, sched_yield, (void), ())
INTERPOSE(int, poll, (struct pollfd *f, nfds_t n, int t), (f, n, t))
INTERPOSE(int, ppoll, (struct pollfd *f, nfds_t n, const struct timespec *t, const sigset_t *s), (f, n, t, s))
INTERPOSE(int, select, (int n, fd_set *r, fd_set *w, fd_set *e, struct timeval *t), (n, r, w, e, t))
INTERPOSE(int, epoll_wait, (int f, struct epoll_event *e, int n, int t), (f, e, n, t))
INTERPOSE(ssize_t, read, (int f, void *b, size_t n), (f, b, n))
INTERPOSE(ssize_t, write, (int f, const void *b, size_t n), (f, b, n))
INTERPOSE(ssize_t, readv, (int f, const struct iovec *v, int n), (f, v, n))
INTERPOSE(ssize_t, writev, (int f, const struct iovec *v, int n), (f, v, n))
INTERPOSE(int, close, (int f), (f))
INTERPOSE(ssize_t, recv, (int f, void *b, size_t n, int g), (f, b, n, g))
INTERPOSE(ssize_t, recvfrom,
          (int f, void *b, size_t n, int g, struct sockaddr *a, socklen_t *l), (f, b, n, g, a, l))
INTERPOSE(ssize_t, recvmsg, (int f, struct msghdr *m, int g), (f, m, g))
INTERPOSE(ssize_t, send, (int f, const void *b, size_t n, int g), (f, b, n, g))
INTERPOSE(ssize_t, sendto,
          (int f, const void *b, size_t n, int g, const struct sockaddr *a, socklen_t l), (f, b, n, g, a, l))
INTERPOSE(ssize_t, sendmsg, (int f, const struct msghdr *m, int g), (f, m, g))
INTERPOSE(void *, mmap, (void *a, size_t n, int p, int g, int f, off_t o), (a, n, p, g, f, o))
INTERPOSE(int, munmap, (void *a, size_t n), (a, n))

// The variadic ones read the arguments that may be there; those that are not are not used either.

#define INTERPOSE_OPEN(name, as)                                          \
  int name(const char *path, int flags, ...) {                            \
    static int (*real)(const char *, int, ...);                           \
    va_list rest;                                                         \
    va_start(rest, flags);                                                \
    const mode_t mode = va_arg(rest, mode_t);                             \
    va_end(rest);                                                         \
    if (!real) real = (int (*)(const char *, int, ...))next(#name);       \
    note(WITNESS_##as);                                                   \
    return real(path, flags, mode);                                       \
  }

#define INTERPOSE_OPENAT(name, as)                                        \
  int name(int directory, const char *path, int flags, ...) {             \
    static int (*real)(int, const char *, int, ...);                      \
    va_list rest;                                                         \
    va_start(rest, flags);                                                \
    const mode_t mode = va_arg(rest, mode_t);                             \
    va_end(rest);                                                         \
    if (!real) real = (int (*)(int, const char *, int, ...))next(#name);  \
    note(WITNESS_##as);                                                   \
    return real(directory, path, flags, mode);                            \
  }

INTERPOSE_OPEN(open, open)
INTERPOSE_OPEN(open64, open)
INTERPOSE_OPENAT(openat, openat)
INTERPOSE_OPENAT(openat64, openat)

int ioctl(int file, unsigned long request, ...) {
  static int (*real)(int, unsigned long, ...);
  va_list rest;
  va_start(rest, request);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  if (!real) real = (int (*)(int, unsigned long, ...))next("ioctl");
  note(WITNESS_ioctl);
  return real(file, request, argument);
}

// Locks that are not pthread's, Swift's Mutex among them, come here when they have to wait or wake.
long syscall(long number, ...) {
  static long (*real)(long, ...);
  long a[6];
  va_list rest;
  va_start(rest, number);
  for (int i = 0; i < 6; ++i) a[i] = va_arg(rest, long);
  va_end(rest);
  if (!real) real = (long (*)(long, ...))next("syscall");
  note(WITNESS_syscall);
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
