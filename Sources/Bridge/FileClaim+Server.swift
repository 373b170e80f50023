import Glibc
import Host

extension FileClaim {
  /// The claim of one bridge on a JACK server: two would answer each other's answers.
  ///
  /// It is where the server keeps what it shares with its clients, so whoever reaches the server reaches it.
  convenience init(server: String) {
    let name = server.map { $0 == "/" ? "_" : String($0) }.joined()
    self.init(at: "/dev/shm/jackstay_\(name)_\(getuid())")
  }
}
