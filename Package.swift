// swift-tools-version: 6.2
import PackageDescription

// Link comes from Debian's ableton-link-dev. `ABLETON_LINK_SOURCE=/path/to/link` builds against a
// checkout of https://github.com/Ableton/link instead (with its asio submodule).
let linkCheckout: [CXXSetting] =
  if let link = Context.environment["ABLETON_LINK_SOURCE"] {
    [.unsafeFlags(["-I", "\(link)/include", "-I", "\(link)/modules/asio-standalone/asio/include"])]
  } else {
    []
  }

// What every file that includes Link's headers has to be told.
let linkSettings =
  [.define("LINK_PLATFORM_LINUX", to: "1"), .define("ASIO_STANDALONE", to: "1")] + linkCheckout

// Tests run the bridge's decisions for hours of simulated time: five times as fast like this, with all checks.
let quickSettings: [SwiftSetting] = [
  .unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))
]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

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
    .systemLibrary(name: "CJACK", pkgConfig: "jack", providers: [.apt(["libjack-jackd2-dev"])]),
    // Their headers come from Debian's libqrencode-dev and libmicrohttpd-dev; the libraries themselves are loaded when
    // they are needed.
    .target(name: "CQRencode"),
    .target(name: "CMicroHTTPD"),
    .target(name: "CAbletonLink", cxxSettings: linkSettings, linkerSettings: [.linkedLibrary("pthread")]),
    .target(name: "MusicalTime"),
    .target(name: "Realtime"),
    .target(name: "Host"),
    .target(name: "Words"),
    .target(name: "JSON", dependencies: ["Words"]),
    .target(name: "JACK", dependencies: ["CJACK", "MusicalTime"]),
    .target(name: "Calibration", dependencies: ["MusicalTime"], swiftSettings: quickSettings),
    .target(name: "AbletonLink", dependencies: ["CAbletonLink", "MusicalTime"]),
    .target(name: "Reconciliation", dependencies: ["MusicalTime"], swiftSettings: quickSettings),
    .target(
      name: "Bridge",
      dependencies: ["JACK", "AbletonLink", "Host", "MusicalTime", "Realtime", "Reconciliation"]),
    .target(
      name: "Settings", dependencies: ["Host", "MusicalTime", "Reconciliation", "Words", argumentParser]),
    .target(name: "Control", dependencies: ["Host", "JSON", "Words"]),
    .target(name: "Metadata", dependencies: ["JSON", "MusicalTime", "Reconciliation", "Settings", "Words"]),
    .target(name: "OSCCodec"),
    .target(name: "LinkDiscovery", dependencies: ["MusicalTime"]),
    .target(name: "OSC", dependencies: ["Control", "Host", "JSON", "MusicalTime", "OSCCodec", "Words"]),
    .target(name: "NSM", dependencies: ["Host", "OSCCodec"]),
    .target(name: "Ardour", dependencies: ["Host", "MusicalTime", "Words"]),
    .target(
      name: "Panel", dependencies: ["CMicroHTTPD", "CQRencode", "Control", "Host", "JSON"],
      resources: ["panel.html", "panel.css", "panel.js"].map { .embedInCode("Page/\($0)") }),
    .executableTarget(
      name: "jackstay",
      dependencies: [
        "AbletonLink", "Ardour", "Bridge", "Calibration", "Control", "Host", "JACK", "JSON", "LinkDiscovery",
        "Metadata",
        "MusicalTime",
        "NSM", "OSC", "Panel", "Realtime", "Reconciliation", "Settings", "Words",
        argumentParser,
        .product(name: "Logging", package: "swift-log"),
      ]),

    library("CMachine"),
    library("CStage", using: "CMachine"),
    library("Machine"),
    library("Stage", using: "CMachine", "CStage", "Machine"),
    library("Patience"),
    library("PropertyTesting"),
    library("Typechecking"),
    library("Web", using: "CMachine"),
    library(
      "Fuzzing", using: "Ardour", "Control", "JSON", "LinkDiscovery", "Metadata", "MusicalTime", "OSC",
      "OSCCodec",
      "Panel", "Patience",
      "PropertyTesting", "Reconciliation", "Settings", "Simulation", "Web", argumentParser),
    library(
      "Simulation", using: "MusicalTime", "PropertyTesting", "Reconciliation", exclude: ["README.md"],
      settings: quickSettings),
    library("Rehearsal", using: "Calibration", "MusicalTime", settings: quickSettings),
    library("Verdicts", exclude: ["Verdicts.json"]),
    instrument("linkprobe", in: "Tests/Tools/LinkProbe"),
    instrument("recorder", in: "Tests/Tools/Recorder"),
    instrument("transportrecorder", in: "Tests/Tools/TransportRecorder"),
    instrument("delayline", in: "Tests/Tools/DelayLine"),
    instrument("baseline", in: "Benchmarks/Baseline"),
    instrument("plainbridge", in: "Benchmarks/PlainBridge"),
    program("thief", in: "Tests/Tools/Thief"),
    program("testrunner", in: "Tests/Tools/Runner", using: "CMachine", "Host", "Machine", "thief"),
    program("fuzz", in: "Tests/Tools/Fuzz", using: "Fuzzing", "PropertyTesting"),
    program("simulate", in: "Tests/Tools/Simulate", using: "MusicalTime", "Simulation", argumentParser),
    program(
      "judge", in: "Tests/Tools/Judge", using: "Stage", "Typechecking", "Verdicts", "linkprobe", "recorder",
      "jackstay"),
    program(
      "acceptance", in: "Benchmarks/Acceptance", using: "Control", "JSON", "PropertyTesting", "Stage", "Web",
      "linkprobe", "recorder", "baseline", "plainbridge", "delayline", "jackstay", "thief"),

    tests("MusicalTime", using: "MusicalTime", "PropertyTesting"),
    tests("Realtime", using: "Realtime"),
    tests("Words", using: "Words"),
    tests("JSON", using: "JSON", "PropertyTesting"),
    tests("JACK", in: "Real", using: "JACK", "Stage"),
    tests("Calibration", using: "Calibration", "MusicalTime", "Rehearsal"),
    tests("AbletonLink", in: "Real", using: "AbletonLink", "Stage", "Typechecking"),
    tests(
      "Reconciliation", using: "PropertyTesting", "Reconciliation", "Simulation", exclude: ["Recordings"]),
    tests("Bridge", using: "Bridge", "Host", "JACK", "MusicalTime", "Reconciliation", "Typechecking"),
    tests("Control", using: "Control", "Host", "JSON", "Patience", "PropertyTesting", "Words"),
    tests("Metadata", using: "JSON", "Metadata", "Settings"),
    tests("LinkDiscovery", using: "LinkDiscovery", "MusicalTime", "PropertyTesting"),
    tests("OSCCodec", using: "OSCCodec", "PropertyTesting", "Stage"),
    tests(
      "OSC", using: "Control", "Host", "JSON", "OSC", "OSCCodec", "Patience", "Settings", "Stage",
      "Typechecking"),
    tests("Ardour", using: "Ardour", "Host", "MusicalTime", "Patience", "PropertyTesting", "Stage"),
    tests("NSM", using: "Host", "NSM", "PropertyTesting"),
    tests("Panel", using: "Control", "Host", "JSON", "Panel", "Patience", "Web"),
    tests("Settings", using: "Host", "PropertyTesting", "Settings", "Typechecking", "Words", argumentParser),
    tests(
      "CommandLine", in: "Real", using: "AbletonLink", "Bridge", "Calibration", "Control", "Fuzzing", "Host",
      "JACK",
      "JSON",
      "LinkDiscovery", "MusicalTime", "Panel", "Patience", "PropertyTesting", "Reconciliation", "Settings",
      "Stage", "Typechecking",
      "jackstay"),
    tests("Fuzzing", using: "Fuzzing", "MusicalTime", "PropertyTesting", "Settings"),
    tests(
      "Simulation", using: "MusicalTime", "Reconciliation", "Simulation",
      exclude: ["Histories", "Scenes", "Recordings"]),
    tests(
      "Stage", in: "Real", using: "Stage", "Typechecking", "linkprobe", "jackstay", "testrunner", "thief"),
    tests(
      "Integration", in: "Real", using: "AbletonLink", "Bridge", "Control", "JACK", "JSON", "MusicalTime",
      "PropertyTesting",
      "Reconciliation", "Stage", "Typechecking", "Web",
      "linkprobe", "recorder", "delayline", "jackstay"),
    tests("Document", using: "AbletonLink", "JACK", "Settings", "Typechecking", "Verdicts", argumentParser),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

// What tests and benchmarks stand on.
func library(
  _ name: String, using dependencies: Target.Dependency..., exclude: [String] = [],
  settings: [SwiftSetting] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Tests/Support/\(name)", exclude: exclude,
    swiftSettings: settings)
}

func program(_ name: String, in path: String, using dependencies: Target.Dependency...) -> Target {
  .executableTarget(name: name, dependencies: dependencies, path: path)
}

// A client of JACK in C++ that shares no code with what it measures.
func instrument(_ name: String, in path: String) -> Target {
  .executableTarget(
    name: name, dependencies: ["CJACK"], path: path, cxxSettings: linkSettings,
    linkerSettings: ["jack", "pthread", "m"].map { .linkedLibrary($0) })
}

// Those that start programs, servers and peers are real, all others are pure.
func tests(
  _ name: String, in room: String = "Unit", using dependencies: Target.Dependency..., exclude: [String] = []
) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: dependencies, path: "Tests/\(room)/\(name)Tests", exclude: exclude)
}
