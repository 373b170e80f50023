import Settings

/// What `jackstay --help` prints.
enum HelpPage {
  /// What the program does, in one sentence.
  static let abstract = "Keeps JACK's transport and an Ableton Link session on the same beat."

  /// The page, for a terminal of 80 columns.
  static var text: String {
    """
    \(abstract)

    Usage: jackstay [run] [options]

    Options:
    \(options)

    Every option but the last four can also stand in the configuration file.
    --start-stop-sync and --wait undo a "false" there.

    Examples:
      jackstay                  join the session on this network, or start one
      jackstay --tempo 96       the same, at 96 beats per minute if it starts one
      jackstay --meter 6/8      count eighths in JACK; a bar is three beats in Link
      jackstay --latency 12.5   make up for 12.5 ms between JACK and the ear
      jackstay --server studio --no-wait

    Files:
      $XDG_CONFIG_HOME/jackstay/config.toml, else ~/.config/jackstay/config.toml
      Read when it exists and --config names no other. Flags win over it.

    Commands, on standard input, one a line:
      start, stop               start or stop JACK and the session
      tempo BPM                 set the session's tempo, unless JACK leads
      mode auto|link|jack       choose who leads, also while there is no server

    Signals:
      SIGINT (Ctrl-C), SIGTERM  leave the session and JACK, and end
      SIGHUP                    the same, unless ignored from the start, as by nohup

    Exit codes:
      0  ended as asked
      1  failed while running
      2  the command line or the configuration file cannot be used
    """
  }

  private static var options: String {
    let settings = Setting.all.map { setting in
      let flag = [setting.flag, setting.placeholder].compactMap { $0 }.joined(separator: " ")
      return entry(flag, details(of: setting))
    }
    let others = [
      entry("--config FILE", "Configuration file to read."),
      entry("--print-server", "Print the JACK server that is chosen, by a flag or in the file."),
      entry("--version", "Print the versions of jackstay, Link and JACK."),
      entry("--help", "Print this page."),
    ]
    return (settings + others).joined(separator: "\n")
  }

  private static func details(of setting: Setting) -> String {
    guard !setting.isSwitch else { return setting.summary(on: setting.flag == "--\(setting.key)") }
    return "\(setting.summary) Takes \(setting.expectation). Default: \(setting.defaultInWords)."
  }

  /// A flag and what it does, the latter wrapped in a column of its own.
  private static func entry(_ flag: String, _ details: String) -> String {
    let indentation = String(repeating: " ", count: 25)
    var lines: [String] = []
    var line = "  \(flag)"
    line += String(repeating: " ", count: max(0, indentation.count - line.count))
    if line.count > indentation.count {
      lines.append(line)
      line = indentation
    }
    var isStart = true
    for word in details.split(separator: " ") {
      if !isStart, line.count + 1 + word.count > 80 {
        lines.append(line)
        line = indentation
        isStart = true
      }
      line += (isStart ? "" : " ") + word
      isStart = false
    }
    return (lines + [line]).joined(separator: "\n")
  }
}
