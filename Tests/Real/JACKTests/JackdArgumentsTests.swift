import Testing

@testable import JACK

@Suite struct JackdArgumentsTests {
  private func arguments(_ line: String) -> JackdArguments {
    JackdArguments(line.split(separator: " ").map(String.init))
  }

  @Test func `A server's name is the one before its driver`() {
    #expect(arguments("jackd -d dummy").serverName == "default")
    #expect(arguments("jackd -R -n one -d dummy -n two").serverName == "one")
    #expect(arguments("jackd -none -ddummy").serverName == "one")
    #expect(arguments("jackd --name=one").serverName == "one")
    #expect(arguments("jackd -n").serverName == "")
    #expect(arguments("").serverName == "default")
  }

  @Test func `A slave of netjack follows a master unless its transport sync is off`() {
    #expect(arguments("jackd -d netone").followsMaster)
    #expect(arguments("jackd -P 70 -dnetone -i 2 -o 2").followsMaster)
    #expect(arguments("jackd --driver=netone -t 1").followsMaster)
    #expect(!arguments("jackd -d netone -t 0").followsMaster)
    #expect(!arguments("jackd -d netone -t0 -i 2").followsMaster)
    #expect(!arguments("jackd -d netone --transport-sync 0").followsMaster)
    #expect(!arguments("jackd -d net").followsMaster)
    #expect(!arguments("jackd -d alsa -d netone").followsMaster)
    #expect(!arguments("jackd").followsMaster)
    #expect(!arguments("pipewire").followsMaster)
  }

  @Test func `A process that has ended, or is another program, follows no master`() {
    #expect(!JackdArguments(of: 0).followsMaster)
    #expect(!JackdArguments(of: 1).followsMaster)
  }
}
