#include "CStage.h"

#ifndef __has_feature
#define __has_feature(name) 0
#endif

const char *stage_sanitizer(void) {
#if __has_feature(address_sanitizer)
  return "address";
#elif __has_feature(thread_sanitizer)
  return "thread";
#else
  return NULL;
#endif
}
