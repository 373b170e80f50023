// transportrecorder - what a JACK server's transport does, cycle by cycle.
//
// Some JACK clients in one process, named a, b and c, ask for starts, stops and locates in chosen cycles, own the timebase,
// and are slow to be ready, as a scene below says. Each callback writes what it was shown. The simulated server of the
// tests is given the same requests in the same cycles and has to do the same.
//
// usage: transportrecorder --count             says how many scenes there are
//        transportrecorder --version           says of which JACK
//        transportrecorder SCENE               plays scene number SCENE on the server that the environment names, which has to
//                                              be a fresh one, and prints it; exit code 2 says that a deadline was missed, so
//                                              that the scene has to be played again
//
// A recording has a line for each cycle, or for several in which the same happens ("*37" at its end):
//
//     roll + + a:Spt b:p
//
//   stop, wait or roll    the transport is stopped, starting or rolling
//   = + 4096              the frame: that of the cycle before, a period behind that, or this one
//   - = + #7              bar, beat and tick as clients read them: none, the answer that they read in the cycle before, the
//                         timebase owner's answer of the cycle before, or its answer number 7 since the beginning
//   a:Spt                 the callbacks of a client in their order: s sync, where it is not ready, S sync, where it is, p process,
//                         t timebase, T timebase with new_pos. Behind t or T is the frame that it is asked about: = that of this
//                         cycle, + a period behind that, or a number
//
// and a line "> CLIENT REQUEST" below the cycle in which a request was made, after its callbacks. "< ..." are those that were
// made before the first cycle, in time to have no effect any more.
#include <jack/jack.h>
#include <jack/transport.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace {

// The events of a scene: "CYCLE CLIENT REQUEST", in cycles since its beginning, with "-" for before that.
//
//   open [CALLS] | close       joins the server, with a sync callback that answers at first for CALLS calls that it is not
//                              ready, or for ever with "never"; leaves it
//   start | stop | locate FRAME | reposition FRAME       the last one as editors do: query, change the frame, reposition
//   timeout MS                 sets the sync timeout, but on PipeWire, which takes it for another unit
//   take | ask | release       takes the timebase, asks for it on condition that it is free, gives it up
//   freewheel 0|1
//   sleep MS                   sleeps in the process callback, so that it misses its deadline. Not on PipeWire: what a client is
//                              asked there when it is over is about the cycle in which it fell asleep
struct Scene {
  const char* title;
  unsigned length;  // in cycles
  const char* script;
};

const Scene kScenes[] = {
  {"starts and stops, and starts from where it stopped", 60,
   "- a open; 5 a start; 15 a stop; 25 a start; 35 a stop; 45 a start"},
  {"starts of a transport that rolls, and stops of one that is stopped", 60,
   "- a open; - b open; 5 a stop; 10 a start; 20 a start; 30 b start; 40 a stop; 45 a stop; 50 b stop"},
  {"starts and stops in one cycle, and in cycles that follow each other", 80,
   "- a open; 5 a start; 5 a stop; 15 a start; 16 a stop; 25 a start; 27 a stop; 35 a start; 45 a stop; 45 a start;"
   "55 a stop; 56 a start; 65 a stop; 67 a start"},
  {"locates at rest, and starts from there", 90,
   "- a open 0; 5 a locate 48000; 15 a start; 25 a stop; 35 a start; 45 a stop; 50 a locate 96000; 51 a locate 24000;"
   "60 a locate 1000; 60 a locate 2000; 70 a start; 80 a stop"},
  {"locates while it rolls", 80,
   "- a open 0; 5 a start; 15 a locate 480000; 30 a locate 0; 31 a locate 96000; 45 a locate 1000; 45 a locate 2000;"
   "60 a locate 5000; 62 a locate 6000; 70 a stop"},
  {"a start and a locate in one cycle, in both orders", 90,
   "- a open 0; 5 a locate 48000; 5 a start; 20 a stop; 30 a start; 30 a locate 96000; 45 a stop; 50 a locate 10000;"
   "51 a start; 65 a stop; 70 a start; 71 a locate 20000"},
  {"a stop and a locate in one cycle, in both orders", 90,
   "- a open 0; 5 a start; 15 a locate 48000; 15 a stop; 25 a start; 35 a stop; 35 a locate 96000; 45 a start;"
   "55 a stop; 56 a locate 1000; 65 a start; 75 a locate 2000; 76 a stop"},
  {"a client that is ready at its fourth call", 120,
   "- a open 3; 5 a start; 20 a locate 48000; 35 a stop; 40 a locate 96000; 55 a start; 70 a stop; 75 a locate 1000;"
   "76 a start; 95 a stop; 100 a start; 102 a stop"},
  {"a client that is ready at its first call beside one that is ready at its sixth", 120,
   "- a open 0; - b open 5; 5 a start; 20 b locate 48000; 40 a stop; 50 b locate 24000; 60 b start;"
   "62 a locate 12000; 80 a stop; 90 b start; 92 b stop; 92 a start; 110 a stop"},
  {"locates while a start waits", 90,
   "- a open 4; 5 a start; 7 a locate 48000; 20 a stop; 30 a start; 32 a locate 1000; 34 a locate 2000; 36 a locate 3000;"
   "50 a stop; 60 a start; 61 a locate 4000; 62 a stop; 70 a start"},
  {"a start while a start waits", 50, "- a open 6; 5 a start; 8 a start; 30 a stop; 35 a start; 37 a stop; 37 a start"},
  {"a client that is never ready, until the time is up", 400,
   "- a open 0; - b open never; - a timeout 2000; 5 a start; 350 a stop"},
  {"a client that is never ready, and a locate while the time runs", 400,
   "- a open 0; - b open never; - a timeout 2000; 5 a start; 55 a locate 48000; 350 a stop"},
  {"a client that is never ready, and a start while the time runs", 400,
   "- a open 0; - b open never; - a timeout 2000; 5 a start; 55 a start; 350 a stop"},
  {"a client that is never ready, and a locate when the time was up", 700,
   "- a open 0; - b open never; - a timeout 2000; 5 a start; 300 a locate 48000; 650 a stop"},
  {"an owner of the timebase through starts, stops and locates", 120,
   "- a open; - b open; - b take; 5 a start; 20 a stop; 30 a locate 48000; 40 a start; 50 a locate 96000; 65 a stop;"
   "65 a locate 1000; 75 a start; 75 a locate 2000; 90 a reposition 4000; 105 a stop; 110 a reposition 5000"},
  {"an owner of the timebase that is not ready at once", 100,
   "- a open 1; - b open 3; - b take; 5 a start; 20 a locate 48000; 40 a stop; 50 a locate 24000; 65 a start;"
   "66 a locate 1000; 85 a stop"},
  {"the timebase taken and released at rest", 80,
   "- a open 0; - b open; - c open; 5 b take; 15 b release; 25 b take; 35 c take; 45 b release; 50 c release; 60 a ask; 70 a release"},
  {"the timebase taken and released while it rolls", 110,
   "- a open 0; - b open; - c open; 5 a start; 15 b take; 30 b release; 45 b take; 60 c take; 75 b release; 80 c release; 95 a ask;"
   "100 a release"},
  {"the timebase released in the cycle of a locate, a start and a stop", 110,
   "- a open 0; - b open; - b take; 5 a start; 15 a locate 48000; 15 b release; 30 b take; 40 a stop; 40 b release; 50 b take;"
   "60 a start; 60 b release; 75 b take; 85 b release; 86 a locate 1000"},
  {"the owner of the timebase leaves while it rolls, and at rest", 90,
   "- a open 0; - b open; - c open; - b take; 5 a start; 20 b close; 40 c take; 55 a stop; 65 c close"},
  {"the timebase asked for on condition that it is free", 90,
   "- a open; - b open; 5 b ask; 15 a ask; 25 b ask; 35 b release; 45 a ask; 55 a start; 65 b ask; 75 a ask"},
  {"an owner of the timebase that misses the cycle of a locate", 90,
   "- a open; - b open; - b take; 5 a start; 15 a stop; 29 b sleep 110; 30 a locate 48000; 45 a start; 60 a stop"},
  {"clients that join while it rolls and while a start waits, and one that leaves while a start waits for it", 130,
   "- a open 0; 5 a start; 15 b open never; 30 a stop; 40 a start; 60 c open 2; 80 b close; 100 a locate 1000; 120 a stop"},
  {"freewheel while it rolls", 300, "- a open 0; - b open; 5 a start; 20 b freewheel 1; 100 a locate 48000; 250 b freewheel 0; 290 a stop"},
};

constexpr unsigned kSettling = 30;  // cycles before the first one

struct Event {
  jack_nframes_t clock;
  char kind;  // s, S, p, t, T, or r for a request
  int state;
  jack_nframes_t frame;  // of a timebase callback: that it is asked about
  bool valid;
  int answer, beat, tick;
  double ticksPerBeat;
  int request;  // its number
  unsigned order;  // among all clients' events
};

struct Step {
  int cycle;  // negative: before the first
  int client;
  std::string action, argument;
  int result = 0;
  unsigned order = 0;
  bool isRealtime = false;
  bool isDone = false;
};

std::vector<Step> gSteps;
std::atomic<int> gAnswers{0};
std::atomic<unsigned> gOrder{0};
std::atomic<bool> gHasBegun{false};

struct Client {
  jack_client_t* handle = nullptr;
  int index = 0;
  std::vector<Event> events = std::vector<Event>(20000);
  std::atomic<unsigned> count{0};
  std::atomic<int> cycle{-1};  // since the beginning
  std::atomic<jack_nframes_t> clock{0};
  std::atomic<unsigned> missed{0};
  std::atomic<jack_nframes_t> beginning{0};  // the first cycle
  bool isFreewheeling = false;
  // The sync callback.
  std::atomic<int> needs{0};  // calls; negative: never ready
  int calls = 0;
  bool wasReady = true;
  jack_transport_state_t lastState = JackTransportStopped;
  jack_nframes_t lastFrame = 0;

  Event& add(char kind) {
    Event& event = events[count.load() % events.size()];
    event = Event{};
    event.clock = jack_last_frame_time(handle);
    event.kind = kind;
    event.order = gOrder++;
    return event;
  }
  void done() { ++count; }

  int sync(jack_transport_state_t state, jack_position_t* position) {
    if (wasReady || state != lastState || position->frame != lastFrame) calls = 0;
    ++calls;
    lastState = state;
    lastFrame = position->frame;
    const int n = needs;
    wasReady = n >= 0 && calls > n;
    Event& event = add(wasReady ? 'S' : 's');
    event.state = state;
    event.frame = position->frame;
    done();
    return wasReady;
  }

  int process(jack_nframes_t length) {
    Event& event = add('p');
    jack_position_t position;
    std::memset(&position, 0, sizeof position);
    event.state = jack_transport_query(handle, &position);
    event.frame = position.frame;
    event.valid = position.valid & JackPositionBBT;
    event.answer = position.bar;
    event.beat = position.beat;
    event.tick = position.tick;
    event.ticksPerBeat = position.ticks_per_beat;
    const jack_nframes_t now = event.clock;
    done();
    if (gHasBegun) {
      if (cycle >= 0 && now - clock != length && !isFreewheeling) ++missed;
      clock = now;
      if (++cycle == 0) beginning = now;
      perform(position);
    } else {
      clock = now;
    }
    return 0;
  }

  void perform(jack_position_t position) {
    for (size_t i = 0; i < gSteps.size(); ++i) {
      Step& step = gSteps[i];
      if (!step.isRealtime || step.client != index || step.cycle != cycle) continue;
      const auto frame = jack_nframes_t(std::atol(step.argument.c_str()));
      if (step.action == "start") jack_transport_start(handle);
      else if (step.action == "stop") jack_transport_stop(handle);
      else if (step.action == "locate") step.result = jack_transport_locate(handle, frame);
      else if (step.action == "reposition") {
        position.frame = frame;
        step.result = jack_transport_reposition(handle, &position);
      } else if (step.action == "sleep") usleep(useconds_t(frame * 1000));
      Event& event = add('r');
      event.request = int(i);
      done();
    }
  }

  void timebase(jack_transport_state_t state, jack_position_t* position, bool isNew) {
    Event& event = add(isNew ? 'T' : 't');
    event.state = state;
    event.frame = position->frame;
    event.answer = ++gAnswers;
    position->valid = JackPositionBBT;
    position->bar = event.answer;
    position->beat = 2;
    position->tick = 100050;
    position->bar_start_tick = 0;
    position->beats_per_bar = 4;
    position->beat_type = 4;
    position->ticks_per_beat = 192000;
    position->beats_per_minute = 120;
    done();
  }

  bool open(const std::string& readiness) {
    const std::string name = std::string("recorder-") + char('a' + index);
    handle = jack_client_open(name.c_str(), JackNoStartServer, nullptr);
    if (!handle) return false;
    jack_set_process_callback(handle, [](jack_nframes_t n, void* self) { return static_cast<Client*>(self)->process(n); }, this);
    jack_set_freewheel_callback(handle, [](int, void* self) { static_cast<Client*>(self)->isFreewheeling = true; }, this);
    if (!readiness.empty()) {
      needs = readiness == "never" ? -1 : std::atoi(readiness.c_str());
      jack_set_sync_callback(handle, [](jack_transport_state_t state, jack_position_t* position, void* self) {
        return static_cast<Client*>(self)->sync(state, position);
      }, this);
    }
    return jack_activate(handle) == 0;
  }

  int take(bool isConditional) {
    return jack_set_timebase_callback(handle, isConditional,
      [](jack_transport_state_t state, jack_nframes_t, jack_position_t* position, int isNew, void* self) {
        static_cast<Client*>(self)->timebase(state, position, isNew);
      }, this);
  }
};

Client gClients[3];

int perform(Step& step) {
  Client& client = gClients[step.client];
  const std::string& action = step.action;
  if (action == "open") return client.open(step.argument) ? 0 : -1;
  if (action == "close") {
    jack_client_t* handle = client.handle;
    return jack_client_close(handle);
  }
  if (action == "start") return jack_transport_start(client.handle), 0;
  if (action == "stop") return jack_transport_stop(client.handle), 0;
  if (action == "timeout") return jack_set_sync_timeout(client.handle, jack_time_t(std::atol(step.argument.c_str())) * 1000);
  if (action == "take") return client.take(false);
  if (action == "ask") return client.take(true);
  if (action == "release") return jack_release_timebase(client.handle);
  if (action == "freewheel") return jack_set_freewheel(client.handle, step.argument == "1");
  std::fprintf(stderr, "transportrecorder: no such request: %s\n", action.c_str());
  std::exit(1);
}

// The version of PipeWire, major and minor; 0 for another server.
int pipewireVersion() {
  const char* behind = std::strstr(jack_get_version_string(), "PipeWire ");
  int major = 0, minor = 0;
  return behind && std::sscanf(behind, "PipeWire %d.%d", &major, &minor) == 2 ? major * 1000 + minor : 0;
}

void parse(const char* script) {
  // From 1.2 on PipeWire's takes a lock to ask for a start or a stop, which no callback may.
  const int pipewire = pipewireVersion();
  const bool isLate = pipewire >= 1002;
  std::stringstream lines(script);
  for (std::string line; std::getline(lines, line, ';');) {
    std::stringstream words(line);
    std::string cycle, client;
    Step step;
    words >> cycle >> client >> step.action >> step.argument;
    step.cycle = cycle == "-" ? -1 : std::atoi(cycle.c_str());
    step.client = client[0] - 'a';
    const std::string& action = step.action;
    step.isRealtime = action == "locate" || action == "reposition" || action == "sleep"
      || (!isLate && (action == "start" || action == "stop"));
    if (pipewire > 0 && (action == "timeout" || action == "sleep")) continue;
    gSteps.push_back(step);
  }
}

void print(const Step& step, const char* mark) {
  std::printf("%s %c %s%s%s", mark, 'a' + step.client, step.action.c_str(), step.argument.empty() ? "" : " ", step.argument.c_str());
  if (step.action == "ask" || step.action == "release") std::printf(" = %d", step.result < 0 ? -step.result : step.result);
  std::printf("\n");
}

std::string number(jack_nframes_t frame) { return std::to_string(frame); }

// Whether deadlines were kept: a recording in which clients missed cycles says nothing.
bool write(const Scene& scene, jack_nframes_t period) {
  std::map<jack_nframes_t, std::vector<std::pair<int, Event>>> cycles;
  for (int i = 0; i < 3; ++i)
    for (unsigned j = 0; j < gClients[i].count; ++j) cycles[gClients[i].events[j].clock].push_back({i, gClients[i].events[j]});
  // The cycles of a, in their order.
  std::vector<jack_nframes_t> clocks;
  for (unsigned j = 0; j < gClients[0].count; ++j)
    if (clocks.empty() || gClients[0].events[j].clock != clocks.back()) clocks.push_back(gClients[0].events[j].clock);
  std::printf("## %s\n", scene.title);
  for (const Step& step : gSteps) if (step.cycle < 0) print(step, "<");
  std::string last;
  int repeats = 0;
  const auto flush = [&] {
    if (repeats == 1) std::printf("%s\n", last.c_str());
    else if (repeats > 1) std::printf("%s *%d\n", last.c_str(), repeats);
    repeats = 0;
  };
  size_t first = 1;
  while (first < clocks.size() && clocks[first] != gClients[0].beginning) ++first;
  // A client has joined when it is first run, and has left when it is not run any more.
  for (Step& step : gSteps) {
    const Client& client = gClients[step.client];
    if (step.cycle < 0 || client.count == 0 || (step.action != "open" && step.action != "close")) continue;
    const bool hasJoined = step.action == "open";
    const jack_nframes_t clock = client.events[hasJoined ? 0 : client.count - 1].clock;
    const auto at = std::find(clocks.begin(), clocks.end(), clock) - clocks.begin();
    // A client of jackd2 leaves the graph first, and then the server.
    step.cycle = int(at) - int(first) + (hasJoined ? -1 : pipewireVersion() > 0 ? 0 : 1);
  }
  // PipeWire needs some time to have clients follow the driver that renders, and back: another count of frames tells when.
  for (Step& step : gSteps) {
    if (step.action != "freewheel" || pipewireVersion() == 0) continue;
    for (size_t n = first + size_t(step.cycle) + 1; n < clocks.size(); ++n) {
      if (clocks[n] - clocks[n - 1] == period) continue;
      step.cycle = int(n - first) - 1;
      break;
    }
  }
  long frame = -1;
  int answer = -1, answered = -1;  // what was read, and the last answer, in the cycle before
  bool isFirst = true;
  std::string ticks;
  for (size_t n = first - 1; n < std::min(first + scene.length, clocks.size()); ++n) {
    const auto& events = cycles[clocks[n]];
    // The state in the process callback of client a.
    const Event* shown = nullptr;
    for (const auto& [client, event] : events) if (client == 0 && event.kind == 'p') shown = &event;
    if (!shown) continue;
    int newest = -1;
    for (const auto& [client, event] : events) if (event.kind == 't' || event.kind == 'T') newest = event.answer;
    const int reading = shown->valid ? shown->answer : -1;
    if (n < first) {
      frame = shown->frame;
      answer = reading;
      answered = newest;
      continue;
    }
    if (isFirst) {
      frame = -1;
      isFirst = false;
    }
    std::string row = shown->state == JackTransportStopped ? "stop" : shown->state == JackTransportStarting ? "wait"
      : shown->state == JackTransportRolling ? "roll" : "net";
    row += ' ';
    row += frame < 0 ? number(shown->frame) : long(shown->frame) == frame ? "=" : long(shown->frame) == frame + long(period) ? "+"
      : number(shown->frame);
    row += ' ';
    row += reading < 0 ? "-" : reading == answer ? "=" : reading == answered ? "+" : "#" + std::to_string(reading);
    if (shown->valid) {
      char text[100];
      std::snprintf(text, sizeof text, "%d|%d/%g", shown->beat, shown->tick, shown->ticksPerBeat);
      ticks = text;
    }
    frame = shown->frame;
    answer = reading;
    answered = newest;
    for (int i = 0; i < 3; ++i) {
      std::string calls;
      for (const auto& [client, event] : events) {
        if (client != i || event.kind == 'r') continue;
        // Cycles that it makes up for.
        if (event.kind == 'p' && calls.find('p') != std::string::npos) continue;
        calls += event.kind;
        if (event.kind == 't' || event.kind == 'T')
          calls += event.frame == shown->frame ? "=" : event.frame == shown->frame + period ? "+" : number(event.frame);
        const bool differs = event.state != shown->state
          || (event.kind != 't' && event.kind != 'T' && event.frame != shown->frame);
        if (differs) calls += "!" + std::to_string(event.state) + "@" + number(event.frame) + "!";
      }
      if (!calls.empty()) row += std::string(" ") + char('a' + i) + ":" + calls;
    }
    if (row != last) {
      flush();
      last = row;
    }
    ++repeats;
    std::vector<std::pair<unsigned, int>> requests;
    for (const auto& [client, event] : events) if (event.kind == 'r') requests.push_back({event.order, event.request});
    for (size_t i = 0; i < gSteps.size(); ++i)
      if (!gSteps[i].isRealtime && gSteps[i].cycle == int(n - first)) requests.push_back({gSteps[i].order, int(i)});
    std::sort(requests.begin(), requests.end());
    if (!requests.empty()) {
      flush();
      last.clear();
      for (const auto& [_, request] : requests) print(gSteps[size_t(request)], ">");
    }
  }
  flush();
  if (!ticks.empty()) std::printf("# the owner says 2|100050/192000, clients read %s\n", ticks.c_str());
  std::printf("\n");
  bool isKept = true;
  for (const Client& client : gClients) {
    bool mayMiss = false;
    for (const Step& step : gSteps) mayMiss |= step.action == "sleep" && step.client == client.index;
    if (client.missed > 0 && !mayMiss) {
      std::fprintf(stderr, "%c missed %u\n", 'a' + client.index, client.missed.load());
      isKept = false;
    }
  }
  return isKept;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kCount = sizeof kScenes / sizeof *kScenes;
  if (argc > 1 && std::string(argv[1]) == "--count") return std::printf("%d\n", kCount), 0;
  if (argc > 1 && std::string(argv[1]) == "--version") return std::printf("%s\n", jack_get_version_string()), 0;
  const int number = argc > 1 ? std::atoi(argv[1]) : -1;
  if (number < 0 || number >= kCount) return std::fprintf(stderr, "usage: transportrecorder --count | SCENE\n"), 1;
  const Scene& scene = kScenes[number];
  for (int i = 0; i < 3; ++i) gClients[i].index = i;
  Client& a = gClients[0];
  parse(scene.script);
  gSteps.front().result = perform(gSteps.front());
  gSteps.front().isDone = true;
  if (!a.handle) return std::fprintf(stderr, "transportrecorder: no server\n"), 1;
  const jack_nframes_t period = jack_get_buffer_size(a.handle);
  const useconds_t length = useconds_t(1e6 * period / jack_get_sample_rate(a.handle));
  usleep(length * kSettling);
  for (Step& step : gSteps) if (step.cycle < 0 && !step.isDone) step.result = perform(step);
  usleep(length * kSettling);
  bool isKept = true;
  gHasBegun = true;
  for (int cycle = 0; cycle < int(scene.length); ++cycle) {
    while (a.cycle < cycle) usleep(200);
    bool isAwaited = false;
    for (Step& step : gSteps) {
      if (step.isRealtime || step.isDone || step.cycle != cycle) continue;
      if (!isAwaited && !a.isFreewheeling) usleep(length / 4);
      isAwaited = true;
      if (!a.isFreewheeling && a.cycle != cycle) isKept = false;
      step.isDone = true;
      step.order = gOrder++;
      step.cycle = a.cycle;
      step.result = perform(step);
      // To join and to leave takes longer, and when that is done shows in the callbacks.
      const bool takesLong = step.action == "open" || step.action == "close" || step.action == "freewheel";
      if (a.cycle != step.cycle && !takesLong && !a.isFreewheeling) isKept = false;
    }
  }
  gHasBegun = false;
  usleep(length * 2);
  for (Client& client : gClients) if (client.handle && client.count > client.events.size()) isKept = false;
  if (!isKept) std::fprintf(stderr, "a request came late\n");
  isKept = write(scene, period) && isKept;
  std::fflush(stdout);
  _exit(isKept ? 0 : 2);
}
