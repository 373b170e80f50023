import MusicalTime
import Reconciliation

// The world's own state, independent of what the program thinks: the side that leads, and from when on the
// program can know. Its promises in numbers are written down here once more, from the manual and not from the
// program.

extension Simulation {
  /// Which side has tempo and beat: that follows from whose the timebase is and what the user wants.
  var leader: Leader {
    switch owner {
    case .me: .link
    case .nobody where mode == .jack: record.tempoSync.sends ? .jack : .neither
    case .nobody: record.tempoSync == .off ? .neither : .link
    case .other: ownerShouldLead ? .jack : .neither
    }
  }

  /// The span over which the phase is shared, and the meter that bars are counted in, as the user has chosen.
  var quantum: Quantum { record.quantum }
  var meter: Meter { record.bars.meter }

  /// Where clients read an entry, in Link's beats.
  func position(_ entry: TimebaseEntry) -> BeatTime { record.bars.position(entry.position) }

  /// Link's beat, counted from the downbeat that the user has chosen for JACK.
  func mapped(_ link: BeatTime) -> BeatTime { link - record.downbeat }

  /// Whether starts and stops are shared.
  var sharesStartStop: Bool { record.sharesStartStop }

  /// The user's choice for a timebase that another client takes. The manual: `auto` follows, and `link`
  /// leaves both alone.
  var takeover: Takeover { setup.takeover ?? (mode == .auto ? .follow : .yield) }

  /// Whether another owner of the timebase is to lead, if there is one.
  var ownerShouldLead: Bool {
    record.tempoSync.sends && (mode == .jack || takeover == .follow)
  }

  /// Whether JACK has its way where it leads: in mode `jack`, and where tempo is sent and not received.
  var isPinned: Bool { mode == .jack || record.tempoSync == .send }

  /// Whether another client owns the timebase, and is to lead.
  var jackShouldLead: Bool { owner == .other && ownerShouldLead }

  /// Whether what is read is another owner's: what that has published before it left is still read a cycle later.
  var isOwnersReading: Bool { owner == .other || (owner == .nobody && record.ownerSince == now) }

  /// How long the bridge may take to find out whose the timebase is: the manual says that it looks once a second.
  /// Some cycles have to show it.
  private var findingOut: HostInterval { .seconds(1.5) + periodDuration * 8 }

  /// Whether the bridge has had the time to find out who leads.
  ///
  /// Where a server grants the timebase to any client, it shows only as the transport rolls: its owner is asked for
  /// each cycle then.
  var isLeaderKnown: Bool {
    let isShown = setup.rules.refusesTimebase || record.cyclesOfOwner >= 8 || mode == .jack
    // With JACK's lead pinned the bridge does not ask for it, and sees whose it is as JACK rests or rolls.
    let isHeld = mode == .jack && (engine.motion == .starting || record.cyclesSinceHold < 8)
    // A client that hangs hides the changes from then on. The bridge knows what was before.
    let change = max(record.leaderSince, record.lastSelection)
    let isOlder = hangBegan - change > findingOut
    return isShown && !isHeld && now - (isOlder ? change : max(change, hangEnds)) > findingOut
      && bridge.requests.isEmpty
  }

  /// A client hangs for so long. One hang that soon follows another is the same.
  func hang(for interval: HostInterval) {
    if card.time - hangEnds > findingOut { hangBegan = card.time }
    hangEnds = card.time + interval
  }

  /// Whether a client hangs, or has until three cycles ago: what the server was asked for meanwhile comes then.
  var hasJustHung: Bool { now <= hangEnds + periodDuration * 3 }

  /// Whether the bridge may think that this side leads: it does, or it is not known yet.
  func mayLead(_ side: Leader) -> Bool { leader == side || !isLeaderKnown }

  /// An excuse as long as the bridge cannot know who leads.
  var untilLeaderIsKnown: Excuse? { Excuse.owner.when(!isLeaderKnown) }
}

extension Setup {
  /// How far programs that count frames may be off before a discipline puts them in phase: the manual's default.
  static var disciplineThreshold: HostInterval { .milliseconds(5) }

  /// How long a start waits at most: for a quantum at 20 bpm, which is Link's slowest tempo, and 6 s more for a
  /// clock that was disturbed; and half a second less than a server lets it be held.
  var longestHold: HostInterval {
    let quantum = HostInterval(nanoseconds: Int64(quantum.doubleValue * 3e9))
    let wanted = quantum + .seconds(6)
    guard let most = rules.longestHold else { return wanted }
    return min(wanted, most - .milliseconds(500))
  }

  /// How long the server lets a client hold a start. The bridge has jackd2 wait 10 s longer than a start can
  /// take.
  var serversPatience: HostInterval { rules.longestHold ?? longestHold + .seconds(10) }
}
