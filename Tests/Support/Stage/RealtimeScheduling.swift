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

  /// Frames per period for exact checks that take long, as a launch: as in ``period``, but long ones on a
  /// machine from which so much is taken that short ones are missed all the time, and nothing could be
  /// judged.
  ///
  /// Exactness does not depend on the length of periods. Found out once, in half a second.
  public static let exactPeriod: Int = {
    let lost = (try? Victim.timeLost(during: .milliseconds(500), isAwake: false).values.max()) ?? nil
    return (lost ?? 1) < 0.02 ? period : 1024
  }()
}
