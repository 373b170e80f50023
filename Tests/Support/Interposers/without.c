// LD_PRELOAD for a program: the machine has no library whose file name contains one of the names in WITHOUT, with a space
// between each two, when the program opens it as it runs.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

void *dlopen(const char *file, int flags) {
  void *(*const open)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
  const char *names = getenv("WITHOUT");
  while (file != NULL && names != NULL && *names != '\0') {
    const size_t length = strcspn(names, " ");
    char name[64];
    if (length > 0 && length < sizeof name) {
      memcpy(name, names, length);
      name[length] = '\0';
      if (strstr(file, name) != NULL) return NULL;
    }
    names += length + (names[length] == ' ');
  }
  return open(file, flags);
}
