import Foundation

/// The time that the host of a virtual machine has taken from it since it started, as the kernel counts it.
///
/// No program of the machine can know of it otherwise: its wake-ups are late, and no deadline need be missed.
public struct StolenTime: Sendable {
  private let stolen: Double
  private let total: Double

  /// Of all cores, up to now; nothing where the kernel does not say.
  public init() {
    let text = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8)) ?? ""
    let fields = text.prefix { $0 != "\n" }.split(separator: " ").dropFirst().compactMap { Double($0) }
    // user nice system idle iowait irq softirq steal; what guests used is in user already.
    stolen = fields.count > 7 ? fields[7] : 0
    total = fields.prefix(8).reduce(0, +)
  }

  /// The share of the time since `before` that was taken; `nil` where the kernel does not say.
  public func share(since before: StolenTime) -> Double? {
    total > before.total ? (stolen - before.stolen) / (total - before.total) : nil
  }
}
