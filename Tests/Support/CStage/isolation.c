#define _GNU_SOURCE
#include "CStage.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

static int failure = EINPROGRESS;
static const char *failed_step = "constructor";

int stage_isolation_error(void) { return failure; }
const char *stage_isolation_step(void) { return failed_step; }

static int write_file(const char *path, const char *text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return -1;
  const ssize_t count = write(file, text, strlen(text));
  const int error = errno;
  close(file);
  errno = error;
  return count == (ssize_t)strlen(text) ? 0 : -1;
}

// In a user namespace of its own the process may have the other namespaces; to all outside, and
// in its own view, the user and the group stay the same.
static int unshare_as_user(int namespaces) {
  const unsigned user = geteuid(), group = getegid();
  char line[64];
  failed_step = "unshare(CLONE_NEWUSER)";
  if (unshare(CLONE_NEWUSER | namespaces) != 0) return -1;
  failed_step = "setgroups";
  if (write_file("/proc/self/setgroups", "deny") != 0 && errno != ENOENT) return -1;
  failed_step = "uid_map";
  snprintf(line, sizeof line, "%u %u 1\n", user, user);
  if (write_file("/proc/self/uid_map", line) != 0) return -1;
  failed_step = "gid_map";
  snprintf(line, sizeof line, "%u %u 1\n", group, group);
  return write_file("/proc/self/gid_map", line);
}

static int set_loopback(int is_up) {
  struct ifreq request = {.ifr_name = "lo", .ifr_flags = is_up ? IFF_UP | IFF_RUNNING : 0};
  const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (any < 0) return -1;
  const int result = ioctl(any, SIOCSIFFLAGS, &request);
  const int error = errno;
  close(any);
  errno = error;
  return result;
}

// JACK servers are kept apart by files in /dev/shm and a registry there with eight places, of which
// a killed server keeps one for ever: the test's must not be the user's. The registry's lock is System V.
static int isolate(void) {
  const int namespaces = CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWIPC;
  failed_step = "unshare(CLONE_NEWNET)";
  if (geteuid() != 0 || unshare(namespaces) != 0) {
    if (unshare_as_user(namespaces) != 0) return -1;
  }
  failed_step = "loopback";
  if (set_loopback(1) != 0) return -1;
  failed_step = "private mounts";
  if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return -1;
  failed_step = "/dev/shm";
  return mount("none", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777");
}

// A namespace is a thread's own and is inherited by the threads it starts, and a user namespace is
// refused to a process with more than one thread: so before main().
__attribute__((constructor)) static void isolate_process(void) {
  failure = isolate() == 0 ? 0 : errno;
  // Nor may tests depend on the files of the user who runs them, or on settings for all users.
  setenv("JACKSTAY_STATE", "false", 1);
  setenv("XDG_CONFIG_DIRS", "/nowhere", 1);
  if (failure == 0) failed_step = "";
}

int stage_set_loopback(int is_up) {
  if (failure != 0) return failure;  // it would be the machine's
  return set_loopback(is_up) == 0 ? 0 : errno;
}

int stage_add_address(const char *label, const char *address) {
  if (failure != 0) return failure;
  struct ifreq request = {0};
  struct sockaddr_in *in = (struct sockaddr_in *)&request.ifr_addr;
  snprintf(request.ifr_name, sizeof request.ifr_name, "%s", label);
  in->sin_family = AF_INET;
  if (inet_pton(AF_INET, address, &in->sin_addr) != 1) return EINVAL;
  int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return errno;
  int error = ioctl(descriptor, SIOCSIFADDR, &request) == 0 ? 0 : errno;
  close(descriptor);
  return error;
}

int stage_remove_address(const char *label) {
  if (failure != 0) return failure;
  // An alias that is taken down is gone.
  struct ifreq request = {0};
  snprintf(request.ifr_name, sizeof request.ifr_name, "%s", label);
  const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (any < 0) return errno;
  const int error = ioctl(any, SIOCSIFFLAGS, &request) == 0 ? 0 : errno;
  close(any);
  return error;
}
