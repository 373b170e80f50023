/// The role of the one thread that holds the ``AudioThreadAccess``.
public enum AudioThread: ThreadRole {}
