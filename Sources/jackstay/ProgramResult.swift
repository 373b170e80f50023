/// How a command line ended.
enum ProgramResult {
  /// With text that was asked for.
  case output(String)
  /// With a command line or a configuration file that cannot be used, for the reasons given.
  case usage([String])
  /// Without having done what was asked for, for the reason given.
  case failure(String)
  /// With the exit code of the program's run.
  case finished(Int32)
}
