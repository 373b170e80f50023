#include "CQRencode.h"

#include <dlfcn.h>
#include <pthread.h>

static struct qr_library library;
static int is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  // The name that programs have which are linked with it.
  void *handle = dlopen("libqrencode.so.4", RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return;
  library.encode_data = (__typeof__(library.encode_data))dlsym(handle, "QRcode_encodeData");
  library.free = (__typeof__(library.free))dlsym(handle, "QRcode_free");
  is_loaded = library.encode_data != NULL && library.free != NULL;
}

const struct qr_library *qr_load(void) {
  pthread_once(&once, load);
  return is_loaded ? &library : NULL;
}
