import Stage
import Testing

@Suite struct ArdourTests {
  @Test func `Ardour's release is read from its package's version`() {
    let releases = [
      ("1:7.3.0+ds0-1", 7, 3), ("1:8.12.0+ds-1", 8, 12), ("9.8~dfsg-2", 9, 8),
    ]
    for (package, major, minor) in releases {
      #expect(Ardour.Release(package: package) == Ardour.Release(major: major, minor: minor))
    }
    for package in ["", "1:", "x", "7", "a7.3"] { #expect(Ardour.Release(package: package) == nil) }
  }
}
