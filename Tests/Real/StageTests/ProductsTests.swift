import Foundation
import Stage
import Testing

@Suite(.serialized, .alone) struct ProductsTests {
  @Test(arguments: ["jackstay", "linkprobe"])
  func `Programs of the build are found`(name: String) {
    #expect(FileManager.default.isExecutableFile(atPath: Products.path(name)))
  }
}
