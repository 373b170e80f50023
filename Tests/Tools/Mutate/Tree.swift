import Foundation

/// A copy of the sources with all changes in them, of which the environment variable MUTANT chooses one.
struct MutatedTree {
  let root: String
  let mutations: [Mutation]
  private let modules: [String]
  private let folder: String
  /// The indices of the changes that do not compile.
  private var unbuildable: Set<Int> = []

  /// The folders that judge the modules.
  private static let judges = [
    "Support/PropertyTesting", "Support/Simulation", "Tools/Simulate", "Unit/MusicalTimeTests",
    "Unit/ReconciliationTests", "Unit/SimulationTests",
  ]

  init(_ mutations: [Mutation], root: String, modules: [String]) {
    self.mutations = mutations
    self.root = root
    self.modules = modules
    folder = "\(root)/.build/mutants/tree"
    let known = Set(
      (try? String(contentsOfFile: unbuildableFile, encoding: .utf8))?.split(separator: "\n") ?? [])
    unbuildable = Set(mutations.indices.filter { known.contains(Substring(mutations[$0].description)) })
  }

  /// Where the changes that do not compile are kept for the next build.
  private var unbuildableFile: String { "\(root)/.build/mutants/unbuildable.txt" }

  /// The simulator, and the program of all tests.
  var simulate: String { "\(folder)/.build/release/simulate" }
  var tests: String { "\(folder)/.build/release/JackstayPackageTests.xctest" }
  /// The indices of the changes that compile.
  var built: ArraySlice<Int> { mutations.indices.filter { !unbuildable.contains($0) }[...] }

  // MARK: Building

  /// Builds the tree, without the changes that do not compile, and says whether that succeeded.
  mutating func build() throws -> Bool {
    for round in 1...20 {
      try writeSources()
      let log = "\(folder)/build-\(round).log"
      let swift = "swift build --ignore-lock -c release --build-tests -Xswiftc -enforce-exclusivity=unchecked"
      // A file with an error is no reason not to look at the others.
      let options = "-Xswiftc -enable-testing -Xswiftc -continue-building-after-errors"
      if run(["sh", "-c", "\(swift) \(options) > '\(log)' 2>&1"], seconds: 3600) { return true }
      let dropped = try dropChanges(log)
      print("build \(round): \(dropped) changes do not compile")
      let lines = unbuildable.sorted().map { "\(mutations[$0])\n" }
      try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: unbuildableFile))
      if dropped == 0 {
        print("the changed sources do not compile: see \(log)")
        return false
      }
    }
    return false
  }

  /// Writes the sources, as if they had been edited in all places at once, and a package of them.
  private func writeSources() throws {
    let folders = modules.map { "Sources/\($0)" } + Self.judges.map { "Tests/\($0)" }
    for folder in folders {
      for file in MutatedTree.files(in: "\(root)/\(folder)") { try writeSource("\(folder)/\(file)") }
      for file in MutatedTree.files(in: "\(self.folder)/\(folder)") {
        let isLeft = FileManager.default.fileExists(atPath: "\(root)/\(folder)/\(file)")
        if !isLeft { try FileManager.default.removeItem(atPath: "\(self.folder)/\(folder)/\(file)") }
      }
    }
    if let versions = try? Data(contentsOf: URL(fileURLWithPath: "\(root)/Package.resolved")) {
      try write(versions, to: "Package.resolved")
    }
    let manifest = try String(contentsOfFile: "\(root)/Package.swift", encoding: .utf8)
    let targets = modules + Self.judges.map { String($0.drop { $0 != "/" }.dropFirst()) }
    try write(
      """
      \(manifest)
      package.products = []
      package.targets.removeAll { !\(targets).contains($0.name) && $0.name != "simulate" }
      package.targets.append(.target(name: "CMutant"))
      for target in package.targets where \(modules).contains(target.name) {
        target.dependencies.append("CMutant")
      }

      """, to: "Package.swift")
    try write(
      """
      extern const int mutant;
      extern unsigned char reached[];
      extern unsigned asked[];

      // Whether this change is the one that is chosen, in a place where it makes a difference.
      static inline _Bool isMutant(int number, _Bool differs) {
        if (differs) reached[number] = 1;
        asked[number]++;
        return mutant == number;
      }

      // A condition, which a change has always be one value.
      static inline _Bool forced(int number, _Bool value, _Bool condition) {
        return isMutant(number, condition != value) ? value : condition;
      }

      """, to: "Sources/CMutant/include/CMutant.h")
    try write(
      """
      #include <stdio.h>
      #include <stdlib.h>
      int mutant = -1;
      unsigned char reached[\(mutations.count)];
      unsigned asked[\(mutations.count)];
      __attribute__((constructor)) static void choose(void) {
        const char *number = getenv("MUTANT");
        if (number) mutant = atoi(number);
      }
      __attribute__((destructor)) static void tell(void) {
        const char *path = getenv("REACHED");
        FILE *file = path ? fopen(path, "w") : NULL;
        if (!file) return;
        fwrite(reached, 1, sizeof reached, file);
        fwrite(asked, 1, sizeof asked, file);
        fclose(file);
      }

      """, to: "Sources/CMutant/mutant.c")
  }

  private func writeSource(_ file: String) throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: "\(root)/\(file)"))
    guard file.hasSuffix(".swift"), modules.contains(where: { file.hasPrefix("Sources/\($0)/") }) else {
      return try write(data, to: file)
    }
    var bytes = Array(data)
    let indices = built.filter { mutations[$0].file == file }
    for index in indices.sorted(by: { mutations[$0].bytes.lowerBound > mutations[$1].bytes.lowerBound }) {
      let mutation = mutations[index]
      bytes.replaceSubrange(mutation.bytes, with: mutation.replacement(index).utf8)
    }
    // A shared constant with a change in it is computed when it is needed, which the real-time path does not allow.
    let text = String(decoding: bytes, as: UTF8.self).replacing("@_noLocks", with: "")
    try write(indices.isEmpty ? text : "import CMutant; \(text)", to: file)
  }

  private func write(_ text: String, to file: String) throws { try write(Data(text.utf8), to: file) }

  /// Writes a file, unless it is the same: the compiler leaves out what has not changed.
  private func write(_ data: Data, to file: String) throws {
    let url = URL(fileURLWithPath: "\(folder)/\(file)")
    guard (try? Data(contentsOf: url)) != data else { return }
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
  }

  /// The paths of all files below a folder.
  static func files(in folder: String) -> [String] {
    let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return all.filter { path in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: "\(folder)/\(path)", isDirectory: &isFolder)
        && !isFolder.boolValue
    }.sorted()
  }

  /// Drops the changes in the lines that the compiler rejects, or in the nearest lines before, and returns how many.
  private mutating func dropChanges(_ log: String) throws -> Int {
    let before = unbuildable.count
    let place = #/\/(Sources\/[^:]*):(\d+):\d+: error: /#
    for match in try String(contentsOfFile: log, encoding: .utf8).matches(of: place) {
      let lines = 0...(Int(match.2) ?? 0)
      let suspects = mutations.indices.filter {
        mutations[$0].file == match.1 && lines.contains(mutations[$0].line) && !unbuildable.contains($0)
      }
      let nearest = suspects.map { mutations[$0].line }.max()
      unbuildable.formUnion(suspects.filter { mutations[$0].line == nearest })
    }
    return unbuildable.count - before
  }

  // MARK: Running

  /// Runs a command with one of the changes, or with none, and says whether it succeeded in so much of a processor's
  /// time: that of others does not count.
  func run(_ command: [String], mutant: Int = -1, seconds: Int) -> Bool {
    run(command, ["MUTANT": "\(mutant)"], seconds: seconds, .nullDevice)
  }

  /// Runs a command without a change, and says whether it succeeded, which changes would have made a difference, and how
  /// often the place of each was run.
  func reached(by command: [String]) -> (passes: Bool, changes: Set<Int>, asked: [Int]) {
    let file = "\(folder)/reached-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: file) }
    let passes = run(command, ["REACHED": file], seconds: 3600, .nullDevice)
    let data = (try? Data(contentsOf: URL(fileURLWithPath: file))) ?? Data()
    let marks = data.prefix(mutations.count)
    let asked = data.dropFirst(mutations.count).withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: 4).map {
        Int(bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self))
      }
    }
    return (passes, Set(marks.enumerated().filter { $0.element != 0 }.map(\.offset)), asked)
  }

  /// The output of a command.
  func output(of command: [String]) -> String {
    let pipe = Pipe()
    DispatchQueue.global().async {
      _ = run(command, [:], seconds: 60, pipe.fileHandleForWriting)
      try? pipe.fileHandleForWriting.close()
    }
    return String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  }

  private func run(
    _ command: [String], _ environment: [String: String], seconds: Int, _ output: FileHandle
  ) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
    process.arguments = ["--cpu=\(seconds)", "--core=0"] + command
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationReason == .exit && process.terminationStatus == 0
  }
}
