internal import CJACK
import MusicalTime

/// The position of the next cycle, which the owner of the timebase completes.
///
/// Valid only during the timebase callback it was passed to. Everything here is Realtime-safe.
public struct TimebasePosition {
  private let position: UnsafeMutablePointer<jack_position_t>

  @_noLocks
  init(_ position: UnsafeMutablePointer<jack_position_t>) {
    self.position = position
  }

  /// The frame of ``reading``, without the rest.
  public var frame: TransportFrame {
    @_noLocks get { TransportFrame(position.pointee.frame) }
  }

  /// The position as the server or a client that relocated the transport left it.
  ///
  /// On jackd2 its frame is the first of the next cycle, on PipeWire the first of the current one: compute
  /// from ``CycleTimes/next`` instead.
  public var reading: PositionReading {
    @_noLocks get { PositionReading(UnsafePointer(position)) }
  }

  /// Publishes bar, beat, tick, meter and tempo, and nothing else.
  ///
  /// Clients read it in the next cycle. Without a tempo there is no position: when `beatsPerMinute` is not
  /// positive and finite, the call is the same as ``clear()``.
  ///
  /// - Parameters:
  ///   - bbt: The position at the first frame of the next cycle.
  ///   - beatsPerMinute: The tempo in the meter's own beats, see `Meter.beatsPerMinute(at:)`.
  @_noLocks
  public func publish(_ bbt: BarBeatTick, beatsPerMinute: Double) {
    guard beatsPerMinute > 0, beatsPerMinute < .infinity else { return clear() }
    position.pointee.show(bbt, beatsPerMinute: beatsPerMinute)
  }

  /// Declares that there is no position but the frame.
  @_noLocks
  public func clear() {
    position.pointee.valid = jack_position_bits_t(rawValue: 0)
  }
}

@available(*, unavailable)
extension TimebasePosition: Sendable {}
