import MusicalTime

/// Something about the transport that people should know.
public enum TransportNotice: Sendable, BitwiseCopyable, Equatable {
  /// A Link peer pressed play.
  case peerPressedPlay
  /// A Link peer pressed stop.
  case peerPressedStop
  /// A Link peer pressed play or stop while JACK freewheels, which goes on.
  case pressIgnored(isPlaying: Bool)
  /// A start waits for so many of Link's beats; again where that differs from the last report, because a
  /// client has located or a peer has changed the tempo meanwhile.
  case launchWaits(Beats)
  /// There was no time left for a start to roll in phase when it was to, as where deadlines are missed: it waits for
  /// so many of Link's beats from now on.
  case launchMissed(Beats)
  /// A start was to roll so long ago, and JACK still waits for a client.
  case clientNotReady(late: HostInterval)
  /// A start is so far ahead that JACK stays stopped until it is time.
  case launchPostponed(Beats)
  /// JACK rolled this much later than it was released, and the playhead is relocated to where it should be.
  case launchCorrected(late: HostInterval)
  /// The session's beat was moved by so much as JACK began to roll, and the playhead is moved to where it is
  /// now.
  case gridMoved(by: HostInterval)
  /// The owner of the timebase was so far from where it had shown to be before it rolled, and the playhead is
  /// moved.
  case ownerCorrected(HostInterval)
  /// A deadline that was missed while JACK began to roll has put it off by so much, and the playhead is
  /// moved.
  case launchDisturbed(by: HostInterval)
  /// JACK was relocated while it rolled, and rolls on so far from Link's phase.
  case rollsOn(HostInterval)
  /// So that no program misses the first beat, JACK began in the nearest cycle: frames stay so far ahead of
  /// Link.
  case framesStayOff(by: HostInterval)
  /// Frames are this much later than the session since JACK has lost time while it rolled.
  case framesFellBehind(by: HostInterval)
  /// Frames were so far ahead of the session, and the playhead is moved to where they are in phase.
  case framesRealigned(HostInterval)
  /// Frames are this much later than the session since the offset or the output latency has changed while JACK
  /// rolls; zero where that is made up for.
  case framesShifted(by: HostInterval)
  /// JACK rolled this much later than it was released, and it is not corrected.
  case launchSpoilt(late: HostInterval)
}
