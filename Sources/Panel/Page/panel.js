
"use strict";
// What the bridge says are the objects of its control socket; what is told it are that socket's commands.

const token = new URLSearchParams(location.search).get("token");
const address = (path) => (token === null ? path : path + "?token=" + encodeURIComponent(token));
const part = (id) => document.getElementById(id);
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

let status = {};
// How far this page's clock is from the bridge's, in microseconds; null as long as that is not known.
let clock = null;
let lastHeard = -Infinity;
let source = null;
let retry = 0;

// MARK: What the bridge says

function connect() {
  clearTimeout(retry);
  if (source) source.close();
  lastHeard = performance.now();
  source = new EventSource(address("updates"));
  source.onmessage = (message) => {
    const object = JSON.parse(message.data);
    lastHeard = performance.now();
    if (object.answer === "status") take(object);
    else if (object.event && object.level !== "debug" && object.level !== "trace") say(object.text, isGrave(object.level));
  };
  source.onerror = () => {
    lose("No connection to the bridge. Trying again ...");
    // After an answer that is no stream the browser does not try again by itself.
    if (source.readyState === EventSource.CLOSED) askWhy();
  };
}

// Why there are no updates: the link may be an old one.
async function askWhy() {
  let delay = 1500;
  try {
    const answer = await fetch(address("./"), { cache: "no-store" });
    if (!answer.ok) {
      lose((await answer.text()).trim());
      delay = 5000;
    }
  } catch {}
  clearTimeout(retry);
  retry = setTimeout(connect, delay);
}

// A telephone that slept, or a network that is gone, breaks a connection without a word.
setInterval(() => {
  if (performance.now() - lastHeard < 4000) return;
  lose("The bridge has not answered for some seconds. Trying again ...");
  connect();
}, 1000);

function lose(text) {
  const box = part("lost");
  if (box.textContent !== text) box.textContent = text;
  box.hidden = false;
  document.body.classList.add("lost");
}

function take(object) {
  status = object;
  if (isNumber(object.now_us)) {
    // What came quickest tells most; the clocks may run apart by some millionths.
    const distance = performance.now() * 1000 - object.now_us;
    clock = clock === null || distance - clock > 2e6 ? distance : Math.min(clock + 25, distance);
  }
  part("lost").hidden = true;
  document.body.classList.remove("lost");
  show();
}

function isGrave(level) {
  return level === "warning" || level === "error" || level === "critical";
}

function say(text, isWarning) {
  part("message").textContent = text;
  part("message").classList.toggle("warning", Boolean(isWarning));
}

// MARK: What is told the bridge

// How long the bridge may take, in milliseconds. A command that comes to it later than that is not carried out.
const patience = 2000;

async function tell(command) {
  if (clock === null) {
    say("Not sent: there is no connection to the bridge.", true);
    return;
  }
  const end = new AbortController();
  // A little longer than the command holds: what was not answered by then was not carried out.
  const timer = setTimeout(() => end.abort(), patience + 500);
  try {
    const answer = await fetch(address("command"), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ command, before_us: Math.round(performance.now() * 1000 - clock + patience * 1000) }),
      signal: end.signal,
    });
    if (answer.headers.get("Content-Type") !== "application/json") {
      say((await answer.text()).trim(), true);
      return;
    }
    const object = await answer.json();
    if (object.message) say(object.message, object.answer === "refused" || object.answer === "error");
  } catch {
    say(end.signal.aborted ? "The bridge does not answer, so this was not carried out. Press again when it answers."
      : "Not sent: there is no connection to the bridge.", true);
  } finally {
    clearTimeout(timer);
  }
}

// A number without digits after the point that say nothing.
const short = (number) => String(Number(number.toFixed(3)));
const withSign = (number) => (number < 0 ? "" : "+") + short(number);
const asOffset = (number) => (number === 0 ? "0" : withSign(number)) + " ms";

const commands = {
  toggle: () => (status.transport === undefined || status.transport === "stopped" ? "start" : "stop"),
  offset: (step) => "offset " + withSign((status.offset_ms || 0) + step) + "ms",
  quantum: (step) => "quantum " + short(Math.max(1, (status.next_quantum || status.quantum || 4) + step)),
  nextMode: () => "mode " + ({ auto: "link", link: "jack" }[status.mode] || "auto"),
};

// The keys of `jackstay top`.
const keys = {
  " ": () => tell(commands.toggle()),
  "+": () => tell("tempo +1"),
  "=": () => tell("tempo +1"),
  "ArrowUp": () => tell("tempo +1"),
  "-": () => tell("tempo -1"),
  "_": () => tell("tempo -1"),
  "ArrowDown": () => tell("tempo -1"),
  "t": () => tap(),
  "<": () => tell(commands.offset(-1)),
  ",": () => tell(commands.offset(-1)),
  ">": () => tell(commands.offset(1)),
  ".": () => tell(commands.offset(1)),
  "q": () => tell(commands.quantum(-1)),
  "Q": () => tell(commands.quantum(1)),
  "d": () => tell("downbeat now"),
  "[": () => tell("downbeat -1"),
  "]": () => tell("downbeat +1"),
  "m": () => tell(commands.nextMode()),
  "0": () => tell("rewind"),
  "?": () => part("help").showModal(),
  "h": () => part("help").showModal(),
};
const repeating = ["+", "=", "ArrowUp", "-", "_", "ArrowDown", "<", ",", ">", "."];

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || part("help").open) return;
  const target = event.target;
  if (target instanceof HTMLInputElement) return;
  const action = Object.hasOwn(keys, event.key) ? keys[event.key] : null;
  if (!action) return;
  event.preventDefault();
  if (!event.repeat || repeating.includes(event.key)) action();
});
// Space starts and stops whichever button has the focus; Enter presses that button.
document.addEventListener("keyup", (event) => {
  if (event.key === " " && event.target instanceof HTMLButtonElement && !part("help").open) event.preventDefault();
});

for (const button of document.querySelectorAll("button[data-command]:not(#tap)")) {
  button.addEventListener("click", () => tell(button.dataset.command));
}
part("earlier").addEventListener("click", () => tell(commands.offset(-1)));
part("later").addEventListener("click", () => tell(commands.offset(1)));
part("help-button").addEventListener("click", () => part("help").showModal());
part("help-close").addEventListener("click", () => part("help").close());

// When a finger comes down, and not when it is lifted, is when the beat is.
function tap() {
  tell(part("tap").dataset.command);
  part("tap").classList.add("hit");
  setTimeout(() => part("tap").classList.remove("hit"), 90);
}
part("tap").addEventListener("pointerdown", (event) => {
  if (event.button === 0) tap();
});
part("tap").addEventListener("click", (event) => {
  // By the keyboard, or by what reads the page aloud: there was no pointer.
  if (event.detail === 0) tap();
});

// The tempo as it is written, in quarter notes, as the session and the bridge's other faces have it.
const tempoField = part("tempo");
const shownTempo = () => (isNumber(status.tempo) ? status.tempo.toFixed(2) : "---.--");
tempoField.addEventListener("focus", () => tempoField.select());
tempoField.addEventListener("blur", () => { tempoField.value = shownTempo(); });
tempoField.addEventListener("keydown", (event) => {
  if (event.key === "Escape") tempoField.blur();
  if (event.key !== "Enter") return;
  const text = tempoField.value.trim().replace(",", ".");
  tempoField.blur();
  const wanted = Number(text);
  if (text === "" || !Number.isFinite(wanted)) say("\u201c" + text.slice(0, 20) + "\u201d is no tempo. Enter a number, for example 128.", true);
  else tell("tempo " + short(wanted));
});

// MARK: What is seen

const transports = { stopped: "Stopped", starting: "Starting", rolling: "Rolling" };

function show() {
  // Its own name says nothing where there is but one.
  part("name").textContent = status.name && status.name !== "jackstay" ? status.name : "";
  document.title = (status.name || "jackstay") + (isNumber(status.tempo) ? " " + shownTempo() : "");
  part("state").textContent =
    { bridging: status.server ? "JACK " + status.server : "JACK and Link", waiting: "waits for JACK", standing_by: "stands by", awaiting_export: "JACK exports" }[status.state] || "";
  const peers = part("peers");
  peers.hidden = !isNumber(status.peers) && status.link !== false;
  peers.textContent = status.link === false ? "Link off" : status.peers === 1 ? "1 peer" : status.peers + " peers";
  part("recording").hidden = status.ardour_records !== true;
  peers.classList.toggle("some", status.peers > 0 && status.link !== false);
  const addresses = String(status.peer_addresses || "").split(" ").filter((text) => text !== "");
  part("addresses").hidden = addresses.length === 0 || status.link === false;
  part("addresses").textContent = "Peers: " + addresses.join(", ");
  if (document.activeElement !== tempoField) tempoField.value = shownTempo();
  tempoField.classList.toggle("long", tempoField.value.length > 6);
  const isJACKs = isNumber(status.jack_bpm) && status.jack_bpm !== status.tempo;
  part("unit").textContent = "bpm" + (isJACKs ? " (JACK " + status.jack_bpm.toFixed(2) + ")" : "") + (status.meter ? ", " + status.meter : "")
    + (status.next_meter ? ", then " + status.next_meter : "");
  part("downbeat").textContent = status.downbeat ? "Downbeat " + withSign(status.downbeat) : "This is the one";
  const isHeld = status.transport === "starting";
  document.body.classList.toggle("rolling", status.transport === "rolling");
  document.body.classList.toggle("held", isHeld);
  part("start").setAttribute("aria-pressed", String(status.transport === "rolling" || isHeld));
  part("transport").textContent = status.rendering ? "JACK exports" : transports[status.transport] || "\u2013";
  for (const button of document.querySelectorAll("#mode button")) {
    button.setAttribute("aria-pressed", String(button.dataset.command === "mode " + status.mode));
  }
  part("offset").textContent = isNumber(status.offset_ms) ? asOffset(status.offset_ms) : "\u2013";
  const [text, isWarning] = leader();
  part("leader").textContent = text;
  part("leader").classList.toggle("warning", isWarning);
  layCells();
}

function leader() {
  switch (status.leader) {
    case "link":
      return [status.mode === "link" ? "Link leads, because of mode link." : "Link leads, because no other program owns JACK\u2019s timebase.", false];
    case "jack":
      return [(status.mode === "jack" ? "JACK leads, because of mode jack" : "JACK leads, because another program owns its timebase")
        + (isNumber(status.jack_tempo) ? ", at " + status.jack_tempo.toFixed(2) + " bpm." : "."), false];
    case "neither":
      if (status.tempo_sharing === "receive" || status.tempo_sharing === "off")
        return ["Neither leads, because tempo-sync is " + status.tempo_sharing + ".", true];
      return [status.mode === "link" ? "Neither leads: another program owns JACK\u2019s timebase, but the mode is link."
        : "Neither leads: the mode is jack, but no program publishes a tempo.", true];
    default:
      return [status.state === "waiting" ? "No JACK server runs. Choices take effect when one does." : "", false];
  }
}

// Cells as long as there is room for them to be told apart, and one long one where not.
function layCells() {
  const quantum = isNumber(status.quantum) && status.quantum > 0 ? status.quantum : 4;
  const isOne = quantum > 16;
  const box = part("cells");
  const layout = quantum + (isOne ? " one" : "");
  if (box.dataset.layout === layout) return;
  box.dataset.layout = layout;
  box.setAttribute("aria-label", "The quantum: " + short(quantum) + (quantum === 1 ? " beat" : " beats"));
  // On a narrow screen they are in rows of eight.
  box.classList.toggle("many", quantum > 8 && !isOne);
  box.replaceChildren();
  for (let first = 0; first < quantum; first += isOne ? quantum : 1) {
    const length = isOne ? quantum : Math.min(1, quantum - first);
    const cell = document.createElement("div");
    cell.className = "cell";
    cell.style.setProperty("--length", length);
    cell.append(document.createElement("i"), document.createElement("b"));
    cell.lastChild.textContent = isOne ? short(quantum) + " beats" : String(first + 1);
    cell.first = first;
    cell.length = length;
    box.append(cell);
  }
}

// Link's beats from when the status was true until now; no more than two seconds' worth: a bridge that says nothing
// stands still.
function beatsSince() {
  if (clock === null || !isNumber(status.time_us) || !isNumber(status.tempo)) return 0;
  const time = performance.now() * 1000 - clock - status.time_us;
  return (Math.min(Math.max(time, -2e6), 2e6) * status.tempo) / 60e6;
}

function positionText(beats) {
  if (isNumber(status.count_in)) return "in " + Math.max(0, -(status.count_in + beats)).toFixed(1) + " beats";
  if (!isNumber(status.bar) || !isNumber(status.beat)) return "\u2013.\u2013";
  const [count, value] = (status.meter || "").split("/").map(Number);
  const isOurs = status.transport === "rolling" && status.timebase === "bridge" && !status.rendering && count >= 1 && value >= 1;
  if (!isOurs || !(status.ticks_per_beat > 0)) return status.bar + "." + status.beat;
  const whole = Math.floor((status.bar - 1) * count + status.beat - 1 + status.tick / status.ticks_per_beat + (beats * value) / 4);
  const bar = Math.floor(whole / count);
  return bar + 1 + "." + (whole - bar * count + 1);
}

const isCalm = matchMedia("(prefers-reduced-motion: reduce)");

function draw() {
  const beats = beatsSince();
  const text = positionText(beats);
  if (part("position").textContent !== text) part("position").textContent = text;
  let phase = null;
  // Only what JACK plays moves: the session's beat goes on while JACK is stopped.
  const moves = status.transport === "rolling" || status.transport === "starting";
  if (moves && isNumber(status.phase) && status.quantum > 0) {
    phase = (status.phase + beats) % status.quantum;
    if (phase < 0) phase += status.quantum;
  }
  for (const cell of part("cells").children) {
    let share = phase === null ? 0 : Math.min(1, Math.max(0, (phase - cell.first) / cell.length));
    if (isCalm.matches) share = Math.ceil(share);
    cell.firstChild.style.transform = "scaleX(" + share.toFixed(4) + ")";
  }
  requestAnimationFrame(draw);
}

show();
connect();
requestAnimationFrame(draw);
