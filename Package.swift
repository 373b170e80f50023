// swift-tools-version: 6.2
import Foundation
import PackageDescription

// Link comes from Debian's ableton-link-dev. `ABLETON_LINK_SOURCE=/path/to/link` builds against a
// checkout of https://github.com/Ableton/link instead (with its asio submodule).
let linkCheckout = Context.environment["ABLETON_LINK_SOURCE"]

let package = Package(
  name: "Jackstay",
  products: [
    .library(name: "JACK", targets: ["JACK"]),
    .library(name: "AbletonLink", targets: ["AbletonLink"]),
    .executable(name: "jackstay", targets: ["jackstay"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CJACK", pkgConfig: "jack", providers: [.apt(["libjack-jackd2-dev"])]),
    .target(
      name: "CAbletonLink",
      cxxSettings: [.define("LINK_PLATFORM_LINUX", to: "1"), .define("ASIO_STANDALONE", to: "1")]
        + linkHeaderSearchPaths(),
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
      dependencies: ["MusicalTime", "Reconciliation", .product(name: "TOMLKit", package: "TOMLKit")]),
    .executableTarget(
      name: "jackstay",
      dependencies: [
        "Bridge", "Settings",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ]),

    .target(name: "CStage", path: "Tests/CStage"),
    .target(name: "Stage", dependencies: ["CStage"], path: "Tests/Stage"),
    .executableTarget(
      name: "linkprobe", dependencies: ["CJACK"], path: "Tests/LinkProbe",
      cxxSettings: [.define("LINK_PLATFORM_LINUX", to: "1"), .define("ASIO_STANDALONE", to: "1")]
        + linkHeaderSearchPaths(),
      linkerSettings: [.linkedLibrary("jack"), .linkedLibrary("pthread"), .linkedLibrary("m")]),
    .target(name: "PropertyTesting", path: "Tests/PropertyTesting"),
    .testTarget(name: "MusicalTimeTests", dependencies: ["MusicalTime", "PropertyTesting"]),
    .testTarget(name: "StageTests", dependencies: ["Stage", "linkprobe", "jackstay"]),
    .testTarget(name: "RealtimeTests", dependencies: ["Realtime"]),
    .testTarget(name: "JACKTests", dependencies: ["JACK", "Stage"]),
    .testTarget(name: "AbletonLinkTests", dependencies: ["AbletonLink", "Stage"]),
    .testTarget(name: "ReconciliationTests", dependencies: ["Reconciliation", "PropertyTesting"]),
    .testTarget(name: "BridgeTests", dependencies: ["Bridge"]),
    .testTarget(name: "SettingsTests", dependencies: ["Settings"]),
    .testTarget(name: "IntegrationTests", dependencies: ["Stage", "linkprobe", "jackstay"]),
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
