import Foundation
import Glibc

/// Whether threads of this user may run before all others, as a JACK server's do where the system permits it.
///
/// Where not, a server misses deadlines as soon as anything else runs for as long as a period.
public enum RealtimeScheduling {
  /// Whether the system permits it: asked once, on a thread that ends then.
  public static let isPermitted: Bool = {
    let answer = Monitor<Bool?>(nil)
    Thread.detachNewThread {
      var parameters = sched_param(sched_priority: 1)
      let isTaken = pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) == 0
      answer.change { $0 = isTaken }
    }
    return answer.wait { $0 } ?? false
  }()

  /// Frames per period with which a server at 48,000 frames per second keeps its deadlines: 5 ms, or 21 ms.
  public static var period: Int { isPermitted ? 256 : 1024 }
}
