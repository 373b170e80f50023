// LD_PRELOAD for jackd 1.9.21: its dummy driver, the sound card of a test, runs DRIFT_PPM fast
// against the system's clock.
#include <dlfcn.h>

#include <cmath>
#include <cstdlib>

static unsigned long anchor;

using Cycle = int (*)(void *, unsigned long);

extern "C" int _ZN4Jack15JackTimedDriver10FirstCycleEm(void *self, unsigned long now) {
  static auto real =
    reinterpret_cast<Cycle>(dlsym(RTLD_NEXT, "_ZN4Jack15JackTimedDriver10FirstCycleEm"));
  anchor = now;  // the driver counts from here, at its start and after an xrun
  return real(self, now);
}

extern "C" int _ZN4Jack15JackTimedDriver12CurrentCycleEm(void *self, unsigned long now) {
  static auto real =
    reinterpret_cast<Cycle>(dlsym(RTLD_NEXT, "_ZN4Jack15JackTimedDriver12CurrentCycleEm"));
  static const double ppm = std::getenv("DRIFT_PPM") ? std::atof(std::getenv("DRIFT_PPM")) : 0;
  const int wait = real(self, now);
  return wait - int(std::lround(ppm * 1e-6 * (double(now - anchor) + wait)));
}
