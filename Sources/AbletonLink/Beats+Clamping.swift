import MusicalTime

extension Beats {
  /// The value nearest to what Link says; a peer can send a timeline that is beyond any beat.
  @inlinable
  init(clamping beats: Double) {
    self = Beats(beats) ?? (beats > 0 ? .limit : beats < 0 ? -.limit : .zero)
  }
}
