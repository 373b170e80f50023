import Testing

@Suite struct MusicalTimePlaceholder {}
