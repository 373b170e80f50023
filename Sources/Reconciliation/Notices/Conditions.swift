import MusicalTime

/// The conditions of a cycle that people should know of while they hold: levels, from which a ``ConditionReporter``
/// makes lines.
public struct Conditions: Sendable, BitwiseCopyable {
  /// The side that leads, as far as people are to know of it.
  public var leader: GridNotice?
  /// Whether JACK freewheels, and shares nothing with the session.
  public var isRendering = false
  /// The fault or the lack of the timebase owner's position.
  public var owner: GridNotice?
  /// The relation of JACK's tempo to the session's, where the two are not the same.
  public var tempo: GridNotice?
  /// The contradiction between the tempo that the owner declares and the one that it plays.
  var declaration: GridNotice?

  /// The start that waits.
  var start: Start?
  /// The wait for a client that is not ready.
  var client: TransportNotice?
  /// The time that JACK has lost while it rolls.
  var lost: TransportNotice?
  /// How far frames are ahead of Link in a roll, so that no program misses the first beat.
  var lead: TransportNotice?
  /// How far another latency or offset has put frames off in a roll, also where it did not.
  var shift: HostInterval?

  /// A start that waits until it is in phase.
  struct Start: Sendable, BitwiseCopyable {
    /// When it rolls.
    var roll: HostTime<LinkClock>
    /// The reason for the wait, with Link's beats until then.
    var notice: TransportNotice

    @_noLocks
    init(roll: HostTime<LinkClock>, _ notice: TransportNotice) {
      self.roll = roll
      self.notice = notice
    }
  }

  /// Nothing of note.
  @_noLocks
  public init() {}

  /// Whether the session has another tempo than JACK.
  var isTempoDifferent: Bool {
    @_noLocks get {
      switch tempo {
      case .differentTempos, .tempoWaits: true
      default: false
      }
    }
  }

  /// Notes the time that JACK has lost, from `least` on.
  @_noLocks
  mutating func note(lost time: HostInterval, least: HostInterval) {
    if time.magnitude > least { lost = .framesFellBehind(by: time) }
  }
}
