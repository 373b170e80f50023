import Testing

@Suite struct JACKPlaceholder {}
