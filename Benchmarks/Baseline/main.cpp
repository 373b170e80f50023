// baseline - the least that any bridge costs: a JACK client whose callback does nothing, and an idle Link instance.
// Runs until TERM. The acceptance benchmark compares the bridge's processor time with it.
#include <ableton/Link.hpp>
#include <jack/jack.h>

#include <csignal>
#include <cstdio>

int main() {
  sigset_t end;
  sigemptyset(&end);
  sigaddset(&end, SIGTERM);
  // Before any thread starts, so that all of them leave the signal to the wait below.
  pthread_sigmask(SIG_BLOCK, &end, nullptr);

  ableton::Link link{120.};
  link.enableStartStopSync(true);
  link.enable(true);

  jack_client_t* client = jack_client_open("baseline", JackNoStartServer, nullptr);
  if (!client) {
    std::fprintf(stderr, "baseline: no JACK server; start one and name it in JACK_DEFAULT_SERVER\n");
    return 1;
  }
  jack_set_process_callback(client, [](jack_nframes_t, void*) { return 0; }, nullptr);
  if (jack_activate(client) != 0) {
    std::fprintf(stderr, "baseline: JACK does not activate the client; look at the server's messages\n");
    return 1;
  }
  std::puts("ready");
  std::fflush(stdout);
  int received;
  sigwait(&end, &received);
  jack_client_close(client);
}
