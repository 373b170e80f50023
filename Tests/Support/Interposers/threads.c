// LD_PRELOAD for any program: while there is a file of the name NO_THREADS, the system has no thread left.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
  const char *name = getenv("NO_THREADS");
  if (name && access(name, F_OK) == 0) return EAGAIN;
  int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
  return create(thread, attributes, body, argument);
}
