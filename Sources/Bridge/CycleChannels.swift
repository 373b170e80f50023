import MusicalTime
import Realtime
import Reconciliation

/// The channels between the control thread and the real-time thread. Neither ever waits for the other.
final class CycleChannels: Sendable {
  /// From cycle to control: there is something to be done soon.
  let wakeup: Wakeup
  /// From cycle to Link: edits of the session.
  let session: SessionWriter
  /// From control to cycle: all that it goes by.
  let orders: CycleOrders
  /// The proofs that the bridge owns the timebase, where JACK grants it to any client.
  let grants: TimebaseGrants?
  /// From cycle to JACK: starts and stops, where the cycle cannot ask for them itself.
  let desk: TransportDesk?
  /// From cycle to control: events, in order.
  let notices = Ring<CycleNotice>(capacity: 256)
  /// From cycle to control: the latest state of affairs.
  let status = LatestValue(CycleStatus())

  init(
    _ configuration: Reconciler.Configuration, _ session: SessionWriter, endsSong: Bool,
    onWakeup answer: @escaping @Sendable () -> Void
  ) {
    let rules = configuration.rules
    self.session = session
    orders = CycleOrders(configuration.choices, endsSong: endsSong)
    grants = rules.refusesTimebase ? nil : TimebaseGrants()
    desk = rules.takesTransportLate ? TransportDesk() : nil
    wakeup = Wakeup(answer)
  }
}

/// The channels from the control thread to the cycle.
struct CycleOrders: Sendable {
  /// The requests of users, with the choices by which each is carried out.
  let commands = Ring<CycleRequest>(capacity: 64)
  /// The choices that hold where no command waits.
  let choices: LatestValue<Choices>
  /// The time from a cycle's start to its first frame being heard, less the offset.
  let delay = LatestValue(OutputDelay())
  /// How much longer than that it really takes, where it is left to JACK clients.
  let clickLead = LatestValue(HostInterval.zero)
  /// The timebase owner, as far as JACK reports it.
  let owner = LatestValue(TimebaseOwner.nobody)
  /// When a program last read the status.
  let lastLook = LatestValue(HostTime<LinkClock>(nanoseconds: 0))
  /// Whether the MIDI clock, if there is one, is to end its song, because the bridge leaves.
  let songEnds: LatestValue<Bool>?

  init(_ choices: Choices, endsSong: Bool) {
    self.choices = LatestValue(choices)
    songEnds = endsSong ? LatestValue(false) : nil
  }

  /// The cycle's ends of the channels. They are used instead of the channels: references are counted, and
  /// counting may lock.
  struct Readers {
    let commands: Ring<CycleRequest>.Reader
    let choices: LatestValue<Choices>.Reader
    let delay: LatestValue<OutputDelay>.Reader
    let clickLead: LatestValue<HostInterval>.Reader
    let owner: LatestValue<TimebaseOwner>.Reader
    let lastLook: LatestValue<HostTime<LinkClock>>.Reader
    let songEnds: LatestValue<Bool>.Reader?

    init(_ orders: CycleOrders) {
      commands = orders.commands.reader
      choices = orders.choices.reader
      delay = orders.delay.reader
      clickLead = orders.clickLead.reader
      owner = orders.owner.reader
      lastLook = orders.lastLook.reader
      songEnds = orders.songEnds?.reader
    }
  }
}

/// The channels for a server that grants its timebase to any client: whether it asks the bridge for positions
/// is the proof.
final class TimebaseGrants: Sendable {
  /// From cycle to control: JACK's requests to the bridge.
  let tally = LatestValue(TimebaseTally())
  /// From control to cycle: the state of the last grant.
  let latest = LatestValue(TimebaseGrant())
}

/// A command to the cycle, and the choices by which it is carried out: commands and choices count in their order.
struct CycleRequest: Sendable, BitwiseCopyable {
  var command: Command
  var choices: Choices
}

/// Something that happened in a cycle and is worth a line in the log.
enum CycleNotice: Sendable, BitwiseCopyable {
  /// JACK's transport rolls after a stop.
  case transportStarted
  /// JACK's transport was stopped.
  case transportStopped
  /// That was a start, or a relocation while it rolled, which was still held: what JACK clients read was the
  /// count to it.
  case startTakenBack
  /// A notice of the reconciler.
  case notice(Notice)
}
