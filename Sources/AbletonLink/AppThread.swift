/// The role of every thread but the audio thread.
public enum AppThread: ThreadRole {}
