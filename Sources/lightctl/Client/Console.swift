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
