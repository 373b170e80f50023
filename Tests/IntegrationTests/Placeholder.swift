import Testing

@Suite struct IntegrationPlaceholder {}
