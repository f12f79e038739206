import ControlProtocol
import FoundationEssentials
import Glibc

/// Writes to standard output and standard error. Nothing is buffered, so a reader of a pipe sees each line at once.
struct Console: Sendable {
    let terminal: Terminal
    let quiet: Bool
    let json: Bool

    /// The pipe was closed (`lightctl list | head -1`): lightctl stops without an error.
    struct ReaderGone: Error {}

    /// Prints a result.
    func print(_ text: String) throws {
        guard !quiet, !text.isEmpty else { return }
        try Self.write(text + "\n", to: 1)
    }

    /// Prints a confirmation, only on a terminal.
    func confirm(_ text: String) throws {
        if terminal.isTerminal && !json { try print(text) }
    }

    /// Whether a person sits at both ends and can be asked.
    var canAsk: Bool { terminal.isTerminal && !json && !quiet && isatty(STDIN_FILENO) == 1 }

    /// Asks a question; only an answer that begins with y means yes.
    func ask(_ question: String) throws -> Bool {
        try Self.write("\(question) [y/N] ", to: 1)
        return readLine()?.lowercased().hasPrefix("y") ?? false
    }

    /// Prints a result as JSON: on one line in a pipe, indented on a terminal.
    func printJSON(_ value: some Encodable, oneLine: Bool = false) throws {
        try print(Self.json(value, pretty: terminal.isTerminal && !oneLine))
    }

    /// Rewrites the current line.
    func rewrite(_ text: String) throws {
        guard !quiet else { return }
        try Self.write("\r" + text, to: 1)
    }

    /// Prints a remark to standard error.
    func note(_ text: String) {
        guard !quiet else { return }
        Self.printError("lightctl: \(text)")
    }

    /// Prints to standard error. A failure to do so cannot be reported anywhere.
    static func printError(_ text: String) {
        try? write(text + "\n", to: 2)
    }

    static func write(_ text: String, to descriptor: Int32) throws {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written >= 0 {
                bytes = bytes.dropFirst(written)
            } else if errno == EPIPE {
                throw ReaderGone()
            } else if errno != EINTR {
                throw ErrorReply(.internalError, "cannot write the output: \(String(cString: strerror(errno)))")
            }
        }
    }
}

extension Console {
    /// Encodes a value, on one line unless `pretty`. What could control a terminal is written `\u009b`.
    static func json(_ value: some Encodable, pretty: Bool = false) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        do {
            return PrintableText.json(String(decoding: try encoder.encode(value), as: UTF8.self))
        } catch {
            // Only NaN and infinity cannot be encoded; no body contains them.
            return
                "{\"error\":{\"code\":\"internal_error\",\"message\":\"\(type(of: value)) cannot be encoded as JSON\"}}"
        }
    }
}

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

/// Shows the remaining seconds during a wait: on a terminal one line that is rewritten every second, otherwise (in a
/// pipe, with `--json`) a line on standard error every ten seconds.
struct Countdown {
    let console: Console
    let wait: Duration
    /// What is waited for, given the seconds left.
    let text: (Int) -> String
    /// Whether a script's log is told of it, too.
    var isNoted = true

    /// - Parameter work: is given what to call while it waits.
    func run<Value>(_ work: (@escaping Transport.Meanwhile) throws -> Value) throws -> Value {
        let start = ContinuousClock.now
        let total = Int((wait / .seconds(1)).rounded(.up))
        let result = Result {
            try work {
                // Measured from the start, so that late calls do not add up.
                let passed = Int((ContinuousClock.now - start) / .seconds(1))
                if passed < total { show(left: total - passed, of: total) }
                return start + .seconds(passed + 1) - .now
            }
        }
        try clear()
        return try result.get()
    }

    private var rewrites: Bool { console.terminal.isTerminal && !console.json }

    private func show(left: Int, of total: Int) {
        let text = text(left)
        if rewrites {
            // If it cannot be printed, the wait goes on.
            try? console.rewrite(cut(text, to: console.terminal.columns - 1) + " ")
        } else if isNoted, left == total || left % 10 == 0 {
            console.note(text)
        }
    }

    private func clear() throws {
        guard rewrites else { return }
        try console.rewrite(String(repeating: " ", count: max(0, min(console.terminal.columns - 1, 200))) + "\r")
    }
}
