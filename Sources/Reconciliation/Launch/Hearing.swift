import MusicalTime

extension HostInterval {
  /// From when on people hear that two programs are not together.
  static var audible: HostInterval { @_noLocks get { .milliseconds(3) } }
  /// Up to here Link is steered to an owner that leads; a larger error is kept while other peers are in the
  /// session.
  static var farthestSteered: HostInterval { @_noLocks get { .milliseconds(10) } }
  /// How far a start may be off before it is worth an interruption to correct it.
  static var worthMending: HostInterval { @_noLocks get { .milliseconds(1) } }
}
