import Testing

@Suite struct AbletonLinkPlaceholder {}
