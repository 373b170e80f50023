#define _GNU_SOURCE
#include "CStage.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC 4
#endif

struct ends { int mine, theirs; };

static void shut(int *descriptor) {
  if (*descriptor >= 0) close(*descriptor);
  *descriptor = -1;
}

static int open_pipe(struct ends *ends, int reading) {
  int pair[2];
  if (pipe2(pair, O_CLOEXEC) != 0) return -1;
  ends->mine = pair[reading ? 0 : 1];
  ends->theirs = pair[reading ? 1 : 0];
  return reading ? fcntl(ends->mine, F_SETFL, O_NONBLOCK) : 0;
}

static int open_terminal(struct ends *ends) {
  const struct winsize size = {.ws_col = 120, .ws_row = 30};
  char name[64];
  ends->mine = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (ends->mine < 0 || grantpt(ends->mine) != 0 || unlockpt(ends->mine) != 0) return -1;
  if (ptsname_r(ends->mine, name, sizeof name) != 0) return -1;
  ends->theirs = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (ends->theirs < 0 || ioctl(ends->theirs, TIOCSWINSZ, &size) != 0) return -1;
  return fcntl(ends->mine, F_SETFL, O_RDWR | O_NONBLOCK);
}

// Only async-signal-safe calls from here to exec: other threads' locks are held for ever in the copy.
static void become(const struct stage_program *program, pid_t parent, int terminal, const int streams[3],
                   int report) {
  sigset_t none;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // the parent ended before the line above
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (terminal >= 0 && (setsid() < 0 || ioctl(terminal, TIOCSCTTY, 0) != 0)) goto failed;

  int copies[3];  // above the three, so that none is overwritten before it is used
  for (int i = 0; i < 3; ++i)
    if ((copies[i] = fcntl(streams[i], F_DUPFD_CLOEXEC, 10)) < 0) goto failed;
  if ((report = fcntl(report, F_DUPFD_CLOEXEC, 10)) < 0) _exit(127);
  for (int i = 0; i < 3; ++i)
    if (dup2(copies[i], i) < 0) goto failed;
  // Descriptors that others opened without O_CLOEXEC stay behind too.
  if (syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) != 0)
    for (int i = 3; i < 1024; ++i) fcntl(i, F_SETFD, FD_CLOEXEC);
  if (program->directory && chdir(program->directory) != 0) goto failed;
  execve(program->path, program->arguments, program->environment);
failed:;
  const int error = errno;
  (void)!write(report, &error, sizeof error);
  _exit(127);
}

int stage_spawn(const struct stage_program *program, struct stage_process *process) {
  struct ends terminal = {-1, -1}, input = {-1, -1}, output = {-1, -1}, errors = {-1, -1}, report = {-1, -1};
  const int has_terminal = program->streams >= STAGE_TERMINAL;
  sigset_t all, before;
  int error = 0, count = 0;
  *process = (struct stage_process){-1, -1, -1, -1, -1, "pipe"};

  if (open_pipe(&report, 1) != 0 || fcntl(report.mine, F_SETFL, 0) != 0) goto failed;
  if (program->streams != STAGE_TERMINAL_WITH_ERRORS && open_pipe(&errors, 1) != 0) goto failed;
  if (has_terminal) {
    process->step = "terminal";
    if (open_terminal(&terminal) != 0) goto failed;
    if ((input.mine = fcntl(terminal.mine, F_DUPFD_CLOEXEC, 3)) < 0) goto failed;
  } else {
    if (open_pipe(&output, 1) != 0) goto failed;
    if (program->streams == STAGE_PIPES && open_pipe(&input, 0) != 0) goto failed;
    if (program->streams == STAGE_NO_INPUT && (input.theirs = open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0)
      goto failed;
  }
  const int streams[3] = {
    has_terminal ? terminal.theirs : input.theirs,
    has_terminal ? terminal.theirs : output.theirs,
    errors.theirs >= 0 ? errors.theirs : terminal.theirs,
  };

  process->step = "fork";
  const pid_t parent = getpid();
  sigfillset(&all);  // no handler of ours may run in the child
  pthread_sigmask(SIG_SETMASK, &all, &before);
  process->pid = fork();
  if (process->pid == 0) become(program, parent, terminal.theirs, streams, report.theirs);
  error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = error;
  if (process->pid < 0) goto failed;

  process->step = "exec";
  shut(&report.theirs);
  do count = (int)read(report.mine, &error, sizeof error);
  while (count < 0 && errno == EINTR);
  if (count == sizeof error) {
    waitpid(process->pid, NULL, 0);
    errno = error;
    goto failed;
  }
  process->step = "pidfd_open";
  process->pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
  if (process->pidfd < 0) {
    error = errno;
    kill(process->pid, SIGKILL);
    waitpid(process->pid, NULL, 0);
    errno = error;
    goto failed;
  }
  process->input = input.mine;
  process->output = has_terminal ? terminal.mine : output.mine;
  process->errors = errors.mine;
  shut(&report.mine), shut(&terminal.theirs), shut(&input.theirs), shut(&output.theirs), shut(&errors.theirs);
  return 0;

failed:
  error = errno;
  for (struct ends *all_ends[] = {&terminal, &input, &output, &errors, &report}, **each = all_ends;
       each < all_ends + 5; ++each)
    shut(&(*each)->mine), shut(&(*each)->theirs);
  return error ? error : EIO;
}

int stage_reap(pid_t pid, int *code, int *by_signal) {
  siginfo_t info = {0};
  int result;
  do result = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG);
  while (result != 0 && errno == EINTR);
  if (result != 0 || info.si_pid != pid) return 0;
  *code = info.si_status;
  *by_signal = info.si_code != CLD_EXITED;
  return 1;
}

int stage_write(int descriptor, const void *bytes, size_t count) {
  sigset_t pipe, before, pending;
  int error = 0;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  while (count > 0 && error == 0) {
    const ssize_t done = write(descriptor, bytes, count);
    if (done >= 0) bytes = (const char *)bytes + done, count -= (size_t)done;
    else if (errno == EAGAIN) usleep(1000);  // a terminal's input does not block
    else if (errno != EINTR) error = errno;
  }
  if (error == EPIPE && !sigismember(&pending, SIGPIPE)) {
    const struct timespec now = {0, 0};
    while (sigtimedwait(&pipe, NULL, &now) < 0 && errno == EINTR) continue;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return error;
}

int64_t stage_cpu_time(pid_t pid) {
  clockid_t clock;
  struct timespec time;
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) return -1;
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int stage_is_listening(const char *path) {
  const unsigned long accepts_connections = 0x10000;  // the kernel's __SO_ACCEPTCON
  char line[512];
  int found = 0;
  FILE *file = fopen("/proc/net/unix", "re");
  if (!file) return 0;
  while (!found && fgets(line, sizeof line, file)) {
    unsigned long flags = 0;
    char name[256] = "";
    if (sscanf(line, "%*s %*s %*s %lx %*s %*s %*s %255s", &flags, name) == 2)
      found = (flags & accepts_connections) && strcmp(name, path) == 0;
  }
  fclose(file);
  return found;
}

int stage_bell_open(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
void stage_bell_ring(int bell) { eventfd_write(bell, 1); }

void stage_bell_hush(int bell) {
  eventfd_t count;
  eventfd_read(bell, &count);
}
