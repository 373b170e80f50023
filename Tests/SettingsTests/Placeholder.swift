import Testing

@Suite struct SettingsPlaceholder {}
