// swift-tools-version: 6.2
import Foundation
import PackageDescription

// Link comes from Debian's ableton-link-dev. `ABLETON_LINK_SOURCE=/path/to/link` builds against a
// checkout of https://github.com/Ableton/link instead (with its asio submodule).
let linkCheckout = Context.environment["ABLETON_LINK_SOURCE"]
let linkVersion = linkCheckout.map(taggedVersion(ofCheckout:)) ?? installedVersion(of: "ableton-link-dev")

// What every file that includes Link's headers has to be told.
let linkSettings: [CXXSetting] =
  [.define("LINK_PLATFORM_LINUX", to: "1"), .define("ASIO_STANDALONE", to: "1")] + linkHeaderSearchPaths()

let package = Package(
  name: "Jackstay",
  products: [
    .library(name: "JACK", targets: ["JACK", "MusicalTime"]),
    .library(name: "AbletonLink", targets: ["AbletonLink", "MusicalTime"]),
    .executable(name: "jackstay", targets: ["jackstay"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CJACK", pkgConfig: "jack", providers: [.apt(["libjack-jackd2-dev"])]),
    .target(
      name: "CAbletonLink",
      cxxSettings: linkSettings
        + [.define("CABLETONLINK_VERSION", to: "\"\(linkVersion ?? "unknown")\"")],
      linkerSettings: [.linkedLibrary("pthread")]),
    .target(name: "MusicalTime"),
    .target(name: "Realtime"),
    .target(name: "JACK", dependencies: ["CJACK", "MusicalTime"]),
    .target(name: "AbletonLink", dependencies: ["CAbletonLink", "MusicalTime"]),
    .target(name: "Reconciliation", dependencies: ["MusicalTime"]),
    .target(
      name: "Bridge", dependencies: ["JACK", "AbletonLink", "MusicalTime", "Realtime", "Reconciliation"]),
    .target(
      name: "Settings",
      dependencies: [
        "MusicalTime", "Reconciliation", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(
      name: "jackstay",
      dependencies: [
        "AbletonLink", "Bridge", "JACK", "MusicalTime", "Reconciliation", "Settings",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ]),

    .target(name: "CMachine", path: "Tests/CMachine"),
    .target(name: "CStage", dependencies: ["CMachine"], path: "Tests/CStage"),
    .target(name: "Machine", path: "Tests/Machine"),
    .target(name: "Stage", dependencies: ["CMachine", "CStage", "Machine"], path: "Tests/Stage"),
    .executableTarget(
      name: "linkprobe", dependencies: ["CJACK"], path: "Tests/LinkProbe",
      cxxSettings: linkSettings,
      linkerSettings: [.linkedLibrary("jack"), .linkedLibrary("pthread"), .linkedLibrary("m")]),
    .executableTarget(
      name: "recorder", dependencies: ["CJACK"], path: "Tests/Recorder",
      linkerSettings: [.linkedLibrary("jack"), .linkedLibrary("pthread")]),
    .executableTarget(
      name: "baseline", dependencies: ["CJACK"], path: "Benchmarks/Baseline",
      cxxSettings: linkSettings,
      linkerSettings: [.linkedLibrary("jack"), .linkedLibrary("pthread"), .linkedLibrary("m")]),
    .executableTarget(
      name: "plainbridge", dependencies: ["CJACK"], path: "Benchmarks/PlainBridge",
      cxxSettings: linkSettings,
      linkerSettings: [.linkedLibrary("jack"), .linkedLibrary("pthread"), .linkedLibrary("m")]),
    .executableTarget(
      name: "acceptance",
      dependencies: [
        "PropertyTesting", "Stage", "linkprobe", "recorder", "baseline", "plainbridge", "jackstay", "thief",
      ],
      path: "Benchmarks/Acceptance"),
    .executableTarget(
      name: "thief", path: "Tests/Thief", linkerSettings: [.linkedLibrary("pthread")]),
    .executableTarget(
      name: "testrunner", dependencies: ["CMachine", "Machine", "thief"], path: "Tests/Runner"),
    .target(name: "PropertyTesting", path: "Tests/PropertyTesting"),
    .target(
      name: "Fuzzing",
      dependencies: [
        "MusicalTime", "PropertyTesting", "Reconciliation", "Settings",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/Fuzzing"),
    .executableTarget(name: "fuzz", dependencies: ["Fuzzing", "PropertyTesting"], path: "Tests/Fuzz"),
    .target(
      name: "Simulation", dependencies: ["MusicalTime", "PropertyTesting", "Reconciliation"],
      path: "Tests/Simulation"),
    .executableTarget(
      name: "simulate",
      dependencies: [
        "MusicalTime", "Simulation", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/Simulate"),
    .target(name: "Typechecking", path: "Tests/Typechecking"),
    .testTarget(name: "MusicalTimeTests", dependencies: ["MusicalTime", "PropertyTesting"]),
    .testTarget(
      name: "FuzzingTests", dependencies: ["Fuzzing", "MusicalTime", "PropertyTesting", "Settings"]),
    .testTarget(
      name: "StageTests",
      dependencies: ["Stage", "Typechecking", "linkprobe", "jackstay", "testrunner", "thief"]),
    .testTarget(name: "RealtimeTests", dependencies: ["Realtime"]),
    .testTarget(name: "JACKTests", dependencies: ["JACK", "Stage"]),
    .testTarget(name: "AbletonLinkTests", dependencies: ["AbletonLink", "Stage", "Typechecking"]),
    .testTarget(
      name: "ReconciliationTests", dependencies: ["PropertyTesting", "Reconciliation", "Simulation"],
      exclude: ["Recordings"]),
    .testTarget(
      name: "SimulationTests", dependencies: ["MusicalTime", "Reconciliation", "Simulation"],
      exclude: ["Recordings"]),
    .testTarget(
      name: "BridgeTests",
      dependencies: ["Bridge", "JACK", "MusicalTime", "Reconciliation", "Typechecking"]),
    .testTarget(
      name: "SettingsTests",
      dependencies: [
        "PropertyTesting", "Settings", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .testTarget(
      name: "CommandLineTests",
      dependencies: [
        "Bridge", "Fuzzing", "JACK", "MusicalTime", "PropertyTesting", "Reconciliation", "Settings", "Stage",
        "jackstay",
      ]),
    .testTarget(
      name: "IntegrationTests",
      dependencies: [
        "Bridge", "JACK", "MusicalTime", "PropertyTesting", "Reconciliation", "Stage", "linkprobe",
        "recorder", "jackstay",
      ]),
    .testTarget(
      name: "ReadmeTests",
      dependencies: [
        "AbletonLink", "JACK", "Settings", "Typechecking",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

func linkHeaderSearchPaths() -> [CXXSetting] {
  guard let linkCheckout else { return [] }
  return [
    .unsafeFlags([
      "-I", "\(linkCheckout)/include", "-I", "\(linkCheckout)/modules/asio-standalone/asio/include",
    ])
  ]
}

// Link's headers do not say their version. An installed package's is in dpkg's list ...
func installedVersion(of package: String) -> String? {
  guard let list = try? String(contentsOfFile: "/var/lib/dpkg/status", encoding: .utf8),
    let entry = list.range(of: "Package: \(package)\n"),
    let version = list[entry.upperBound...].range(of: "\nVersion: ")
  else { return nil }
  return String(list[version.upperBound...].prefix { $0.isNumber || $0 == "." })
}

// ... and a checkout's is its tag, "Link-3.1.2", as long as it is on one.
func taggedVersion(ofCheckout path: String) -> String? {
  guard let head = try? String(contentsOfFile: "\(path)/.git/HEAD", encoding: .utf8),
    let references = try? String(contentsOfFile: "\(path)/.git/packed-refs", encoding: .utf8)
  else { return nil }
  var tag: String?
  for line in references.split(separator: "\n") {
    if let name = line.range(of: "refs/tags/Link-") { tag = String(line[name.upperBound...]) }
    if let tag, line.contains(head.prefix(40)) { return tag }
  }
  return nil
}
