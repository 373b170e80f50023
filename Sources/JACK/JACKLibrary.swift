/// The JACK library this program runs with.
public enum JACKLibrary {
  /// Its version: `1.9.21` for jackd2, `3.0.0.0 (using PipeWire 0.3.65)` for PipeWire.
  ///
  /// Thread-safe. The corresponding C function is `jack_get_version_string`.
  public static let version: String = LibJACK.version

  /// Whether it is PipeWire's. Thread-safe.
  public static let isPipeWire: Bool = LibJACK.isPipeWire
}
