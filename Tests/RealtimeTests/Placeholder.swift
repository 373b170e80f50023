import Testing

@Suite struct RealtimePlaceholder {}
