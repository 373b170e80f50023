import Testing

@Suite struct BridgePlaceholder {}
