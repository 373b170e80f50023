// swift-tools-version: 6.2
import PackageDescription

// Link comes from Debian's ableton-link-dev. `ABLETON_LINK_SOURCE=/path/to/link` builds against a
// checkout of https://github.com/Ableton/link instead (with its asio submodule).
let linkCheckout = Context.environment["ABLETON_LINK_SOURCE"]

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
      name: "CAbletonLink", cxxSettings: linkSettings, linkerSettings: [.linkedLibrary("pthread")]),
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
        "Bridge", "JACK", "MusicalTime", "Reconciliation", "Settings",
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
