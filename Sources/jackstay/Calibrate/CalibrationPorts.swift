import JACK
import Words

/// The ports that a calibration listens to and plays on.
struct CalibrationPorts: Sendable, Equatable {
  /// The full name of the microphone's port.
  var input: String
  /// The full names of the loudspeakers' ports.
  var outputs: [String]

  /// The ports of the given names, else the first microphone and the first two loudspeakers of a server.
  ///
  /// Throws ``ControlFailure`` where there is no such port.
  init(input: String?, outputs: [String], among ports: [PortDescription]) throws(ControlFailure) {
    func named(_ name: String, _ direction: PortDescription.Direction, _ flag: String) throws(ControlFailure)
      -> String
    {
      let takers = ports.filter { $0.direction == direction && !$0.isOwn }.map(\.name)
      if takers.contains(name) { return name }
      let nearest = name.nearest(of: takers).map { "Did you mean \"\($0.echoed(limit: 60))\"?" }
      throw ControlFailure(
        "JACK has no port \"\(name.echoed(limit: 60))\" for \(flag). \(nearest ?? "jack_lsp lists the ports.")"
      )
    }
    let physical = ports.filter { $0.isPhysical && !$0.isOwn }
    if let input {
      self.input = try named(input, .output, "--input")
    } else if let microphone = physical.first(where: { $0.direction == .output }) {
      self.input = microphone.name
    } else {
      throw ControlFailure("JACK has no microphone. Name the port to listen to: --input PORT")
    }
    var found: [String] = []
    for name in outputs { found.append(try named(name, .input, "--output")) }
    if found.isEmpty { found = physical.filter { $0.direction == .input }.prefix(2).map(\.name) }
    guard !found.isEmpty else {
      throw ControlFailure("JACK has no loudspeakers. Name the ports to play on: --output PORT,PORT")
    }
    self.outputs = found
  }
}
