import CStage
import Foundation
import Glibc

/// How long a JACK client's callbacks take, in each cycle: its sync, process and timebase callbacks together.
///
/// Start the client with ``environment``. A preloaded library takes the time around the callbacks: the
/// program is the one that ships.
public final class Stopwatch: Sendable {
  /// The calls that are timed.
  public enum Temperature: Sendable {
    /// Every call, as JACK makes it: its data may have left the processor's caches since the last cycle.
    case asItComes
    /// A second call in the same cycle, which finds all it uses in the caches.
    case hot
  }

  private let file = ReportFile("callback-times")
  private let temperature: Temperature
  private let library: String

  /// Compiles the library to preload, when it is not yet.
  public init(_ temperature: Temperature = .asItComes) throws(StageError) {
    self.temperature = temperature
    library = try Interposer.stopwatch()
  }

  /// The variables that the client needs in its environment, besides its server's.
  public var environment: [String: String?] {
    let isHot =
      switch temperature {
      case .asItComes: "0"
      case .hot: "1"
      }
    return ["LD_PRELOAD": library, "CALLBACK_TIMES": file.path, "CALLBACK_TIMES_HOT": isHot]
  }

  /// The times so far, in nanoseconds, in the order of the cycles: at most the first 262,144.
  ///
  /// - Throws: ``StageError`` when the program has not loaded the library.
  public func times() throws(StageError) -> [Double] {
    let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unusable("the program has not loaded the stopwatch") }
    defer { close(descriptor) }
    let size = MemoryLayout<callback_times>.size
    // The program may have come only as far as creating it; beyond its end there is nothing to read.
    guard lseek(descriptor, 0, SEEK_END) >= size,
      let memory = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0), memory != MAP_FAILED
    else { throw .unusable("the stopwatch's file is incomplete") }
    defer { munmap(memory, size) }
    let times = UnsafePointer(memory.assumingMemoryBound(to: callback_times.self))
    let count = stage_callback_times_count(times)
    guard count >= 0 else { throw .unusable("the stopwatch's file is incomplete") }
    return (0..<count).map { Double(stage_callback_time(times, $0)) }
  }
}
