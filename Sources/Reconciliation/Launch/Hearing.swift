import MusicalTime

extension HostInterval {
  /// From when on people hear that two programs are not together.
  static var audible: HostInterval { @_noLocks get { .milliseconds(3) } }
  /// How far a start may be off before it is worth an interruption to mend it.
  static var worthMending: HostInterval { @_noLocks get { .milliseconds(1) } }
}
