import Glibc

/// The whole terminal as a screen that is drawn again and again, and left as it was: after an error, Ctrl-C, `kill`, and
/// while the program is stopped by Ctrl-Z.
final class Screen {
    /// What a terminal needs to be left as it was. Written before the signal handlers that read it are installed.
    private nonisolated(unsafe) static var before: termios?

    // The alternate screen, without a cursor; and back.
    private static let enter: StaticString = "\u{1B}[?1049h\u{1B}[?25l"
    private static let leave: StaticString = "\u{1B}[?25h\u{1B}[?1049l"

    init() {
        var settings = termios()
        if tcgetattr(STDIN_FILENO, &settings) == 0 { Self.before = settings }
        Self.open()
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) {
                Screen.close()
                _exit(128 + $0)
            }
        }
        signal(SIGTSTP) { _ in
            Screen.close()
            raise(SIGSTOP)
            // Continued by `fg`.
            Screen.open()
        }
        // Interrupts the wait for the next event, and the frame is drawn in the new size.
        signal(SIGWINCH) { _ in }
    }

    deinit {
        Self.close()
    }

    /// Draws a frame over the last one.
    func draw(_ lines: [String]) throws {
        // As one update, on terminals that know it (mode 2026); each line clears what the last frame left behind it.
        let text = lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n")
        try Console.write("\u{1B}[?2026h\u{1B}[H" + text + "\u{1B}[J\u{1B}[?2026l", to: STDOUT_FILENO)
    }

    // Both are called by signal handlers, too: only functions that are safe there (signal-safety(7)).

    private static func open() {
        if var settings = before {
            settings.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        }
        _ = write(STDOUT_FILENO, enter.utf8Start, enter.utf8CodeUnitCount)
    }

    private static func close() {
        _ = write(STDOUT_FILENO, leave.utf8Start, leave.utf8CodeUnitCount)
        if var settings = before { tcsetattr(STDIN_FILENO, TCSANOW, &settings) }
    }
}
