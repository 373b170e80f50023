import CStage
import Foundation
import Glibc

/// A JACK client's calls inside its process, timebase and sync callbacks that may block or allocate.
///
/// Start the client with ``environment``, and take the ``report()`` at any time, also after its end.
public final class RealtimeWitness: Sendable {
  /// A callback of a JACK client.
  public enum Callback: Int, Sendable, CaseIterable {
    /// The process callback.
    case process
    /// The timebase callback.
    case timebase
    /// The sync callback.
    case sync
  }

  /// A call made inside a callback.
  public struct Offence: Sendable {
    /// The function called.
    public let function: String
    /// The callers, innermost first.
    public let frames: [String]
  }

  /// The calls so far.
  public struct Report: Sendable {
    /// How often each callback ran. All zero means that nothing was watched.
    public let callbacks: [Callback: Int]
    /// How often each function was called inside a callback, without those never called.
    public let calls: [String: Int]
    /// The first calls with their callers.
    public let offences: [Offence]
  }

  private let file = ReportFile("realtime-witness")
  private let library: String

  /// Compiles the library to preload, when it is not yet.
  public init() throws(StageError) {
    library = try Interposer.realtime()
  }

  /// The variables that the client needs in its environment, besides its server's.
  public var environment: [String: String?] { ["LD_PRELOAD": library, "REALTIME_WITNESS": file.path] }

  /// The calls so far.
  public func report() throws(StageError) -> Report {
    let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unusable("the program has not loaded the realtime witness") }
    defer { close(descriptor) }
    let size = MemoryLayout<realtime_witness>.size
    // The program may have come only as far as creating it; beyond its end there is nothing to read.
    guard lseek(descriptor, 0, SEEK_END) >= size,
      let memory = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0), memory != MAP_FAILED
    else { throw .unusable("the realtime witness is incomplete") }
    defer { munmap(memory, size) }
    let witness = UnsafePointer(memory.assumingMemoryBound(to: realtime_witness.self))
    guard stage_witness_is_valid(witness) != 0 else { throw .unusable("the realtime witness is incomplete") }

    var callbacks: [Callback: Int] = [:]
    for callback in Callback.allCases {
      callbacks[callback] = Int(stage_witness_callbacks(witness, Int32(callback.rawValue)))
    }
    var calls: [String: Int] = [:]
    for function in 0..<Int32(WITNESS_FUNCTIONS.rawValue) {
      let count = Int(stage_witness_calls(witness, function))
      if count > 0 { calls[String(cString: stage_witness_function_name(function))] = count }
    }
    return Report(
      callbacks: callbacks, calls: calls,
      offences: (0..<REALTIME_WITNESS_OFFENCES).compactMap { offence(witness, $0) })
  }

  private func offence(_ witness: UnsafePointer<realtime_witness>, _ index: Int32) -> Offence? {
    var function: Int32 = 0
    var frames: [String] = []
    while let frame = stage_witness_frame(witness, index, Int32(frames.count), &function) {
      let module = String(cString: stage_frame_module(frame))
      let symbol = String(cString: stage_frame_symbol(frame))
      let place = "\((module as NSString).lastPathComponent)+0x\(String(frame.pointee.offset, radix: 16))"
      frames.append(symbol.isEmpty ? place : "\(symbol) (\(place))")
    }
    guard !frames.isEmpty else { return nil }
    return Offence(function: String(cString: stage_witness_function_name(function)), frames: frames)
  }
}

extension RealtimeWitness.Report: CustomStringConvertible {
  /// The counts and the first callers, for a test's failure message.
  public var description: String {
    let seen = RealtimeWitness.Callback.allCases.map { "\($0) \(callbacks[$0] ?? 0)" }
    let counts = calls.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    let traces = offences.map { "\($0.function):\n  " + $0.frames.joined(separator: "\n  ") }
    return
      (["callbacks: " + seen.joined(separator: ", "), "calls: " + counts.joined(separator: ", ")] + traces)
      .joined(separator: "\n")
  }
}
