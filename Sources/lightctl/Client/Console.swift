import ControlProtocol
import FoundationEssentials
import Glibc

/// Where words go. Every line is written at once: whoever reads a pipe sees a change when it happens.
struct Console: Sendable {
    let terminal: Terminal
    let quiet: Bool
    let json: Bool

    /// The reader has gone (`lightctl list | head -1`): no reason to complain, but to stop.
    struct ReaderGone: Error {}

    /// A result for people and scripts.
    func print(_ text: String) throws {
        guard !quiet, !text.isEmpty else { return }
        try Self.write(text + "\n", to: 1)
    }

    /// The confirmation that only somebody who is looking wants.
    func confirm(_ text: String) throws {
        if terminal.isTerminal && !json { try print(text) }
    }

    /// A result as JSON: one value on one line; on a terminal set out for reading.
    func printJSON(_ value: some Encodable, oneLine: Bool = false) throws {
        try print(Self.json(value, pretty: terminal.isTerminal && !oneLine))
    }

    /// The line that is being rewritten, without an end.
    func rewrite(_ text: String) throws {
        guard !quiet else { return }
        try Self.write("\r" + text, to: 1)
    }

    /// What is worth knowing and no result.
    func note(_ text: String) {
        guard !quiet else { return }
        Self.printError("lightctl: \(text)")
    }

    /// To standard error; nobody is left to be told where that fails.
    static func printError(_ text: String) {
        try? write(text + "\n", to: 2)
    }

    private static func write(_ text: String, to descriptor: Int32) throws {
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
    /// One value, on one line unless it is to be pretty.
    static func json(_ value: some Encodable, pretty: Bool = false) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            // Only a number that is none (NaN) cannot be written; no body holds one.
            return
                "{\"error\":{\"code\":\"internal_error\",\"message\":\"\(type(of: value)) cannot be written as JSON\"}}"
        }
    }
}
