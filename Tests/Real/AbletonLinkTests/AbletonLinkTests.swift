import Stage
import Testing

/// All tests of the module, one after the other: two links in one process are two peers of one network.
@Suite(.serialized, .alone)
enum AbletonLinkTests {}
