// A room with a known delay, for tests: two JACK clients in one process. The sound that comes to the ports of the one is heard at the
// port of the other, later by a number of frames for each, with noise.
//
//     delayline NAME OTHERS_PORT OTHERS_FRAMES OWN_FRAMES NOISE [GAIN]
//
// NAME-in has the ports "others", which connects itself with OTHERS_PORT as soon as that is there, and "own"; NAME-out has
// "microphone". NOISE is the deviation of white noise. GAIN is that of both. It ends with its standard input.
#include <jack/jack.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <poll.h>
#include <unistd.h>

namespace {

constexpr uint32_t kLength = 1u << 20;

struct Line {
  std::vector<float> samples = std::vector<float>(kLength);
  jack_port_t *port = nullptr;
  uint32_t delay = 0;
};

Line others, own;
jack_port_t *microphone;
jack_client_t *ears, *mouth;
float noise, gain = 1;
std::minstd_rand words{7};

float normal() {
  // The sum of twelve is nearly normal, and needs no table.
  float sum = -6;
  for (int i = 0; i < 12; ++i) {
    sum += static_cast<float>(words()) / static_cast<float>(std::minstd_rand::max());
  }
  return sum;
}

// Both clients run in the same cycle, in whichever order: a delay is at least a period.
int hear(jack_nframes_t frames, void *) {
  const uint32_t now = jack_last_frame_time(ears);
  for (Line *line : {&others, &own}) {
    const float *in = static_cast<float *>(jack_port_get_buffer(line->port, frames));
    for (uint32_t i = 0; i < frames; ++i) line->samples[(now + i) % kLength] = in[i];
  }
  return 0;
}

int say(jack_nframes_t frames, void *) {
  const uint32_t now = jack_last_frame_time(mouth);
  float *out = static_cast<float *>(jack_port_get_buffer(microphone, frames));
  for (uint32_t i = 0; i < frames; ++i) {
    float sample = noise > 0 ? noise * normal() : 0;
    for (Line *line : {&others, &own}) sample += gain * line->samples[(now + i - line->delay) % kLength];
    out[i] = sample;
  }
  return 0;
}

}  // namespace

int main(int count, char **words) {
  if (count < 6) return 2;
  const std::string name = words[1];
  others.delay = static_cast<uint32_t>(std::atoi(words[3]));
  own.delay = static_cast<uint32_t>(std::atoi(words[4]));
  noise = static_cast<float>(std::atof(words[5]));
  if (count > 6) gain = static_cast<float>(std::atof(words[6]));
  ears = jack_client_open((name + "-in").c_str(), JackNoStartServer, nullptr);
  mouth = jack_client_open((name + "-out").c_str(), JackNoStartServer, nullptr);
  if (ears == nullptr || mouth == nullptr) return 1;
  if (std::min(others.delay, own.delay) < 2 * jack_get_buffer_size(ears)) return 2;
  others.port = jack_port_register(ears, "others", JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
  own.port = jack_port_register(ears, "own", JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
  microphone = jack_port_register(mouth, "microphone", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
  jack_set_process_callback(ears, hear, nullptr);
  jack_set_process_callback(mouth, say, nullptr);
  if (jack_activate(ears) != 0 || jack_activate(mouth) != 0) return 1;
  std::puts("ready");
  std::fflush(stdout);
  bool isConnected = false;
  while (true) {
    if (!isConnected && jack_port_by_name(ears, words[2]) != nullptr) {
      isConnected = jack_connect(ears, words[2], (name + "-in:others").c_str()) == 0;
      if (isConnected) std::puts("connected"), std::fflush(stdout);
    }
    pollfd input{STDIN_FILENO, POLLIN, 0};
    char byte;
    if (poll(&input, 1, 20) > 0 && read(STDIN_FILENO, &byte, 1) <= 0) break;
  }
  jack_client_close(mouth);
  jack_client_close(ears);
  return 0;
}
