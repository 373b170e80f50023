/// Which thread a ``SessionState`` belongs to: ``AppThread`` or ``AudioThread``.
///
/// Link keeps one state for the audio thread and one for all other threads. The role is part of the type, so
/// that a state captured on one side cannot be committed on the other.
public protocol ThreadRole {}
