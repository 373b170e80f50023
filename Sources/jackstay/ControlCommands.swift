import ArgumentParser
import Settings
import Words

/// The command of the word at a place of the vocabulary, to a running bridge. ArgumentParser wants a type for each.
///
/// The words after the command are judged as on standard input: they may begin with a dash, and would be
/// taken for a flag.
struct Tell<let place: Int>: ControlCommand {
  static var configuration: CommandConfiguration { described(as: word) }
  private static var word: CommandWord { Instruction.vocabulary[place] }

  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp(
      "", valueName: Self.word.parameter, visibility: Self.word.parameter == nil ? .hidden : .default),
    completion: .list(Self.word.values))
  var value: [String] = []

  var line: String { ([Self.word.word] + value).joined(separator: " ") }
}

/// A command for each word of the vocabulary, but for `help`, which is a flag here.
let controlCommands: [any ParsableCommand.Type] = [
  Tell<0>.self, Tell<1>.self, Tell<2>.self, Tell<3>.self, Tell<4>.self, Tell<5>.self, Tell<6>.self,
  Tell<7>.self, Tell<8>.self, Tell<9>.self, Tell<10>.self, Tell<11>.self, Tell<12>.self, Tell<13>.self,
  Tell<14>.self, Tell<15>.self, Tell<16>.self, Tell<17>.self, Tell<18>.self, Tell<19>.self,
]
