import ArgumentParser
import ControlProtocol
import FoundationEssentials
import Glibc

extension Data {
    /// The first byte that is not white space; `nil` if there is none.
    var firstVisible: UInt8? { first { !" \t\r\n".utf8.contains($0) } }
}

/// A file to read, or "-" for standard input.
struct InputFile: ExpressibleByArgument, CustomStringConvertible {
    static let standardInput = Self(path: "-")

    let path: String

    private init(path: String) { self.path = path }

    init?(argument: String) {
        guard !argument.isEmpty else { return nil }
        self.init(path: argument)
    }

    var description: String { path }

    /// In a sentence.
    var name: String { path == "-" ? "standard input" : "'\(printable(path))'" }

    /// The lines as they arrive, without the line breaks.
    func lines() throws(ErrorReply) -> Lines { Lines(try open(), name) }

    /// Everything in it.
    func data() throws(ErrorReply) -> Data {
        try rest(of: try open())
    }

    /// Everything in it, which must be a secret: nobody but its owner may read it, as ssh asks of a key.
    func secret() throws(ErrorReply) -> Data {
        let descriptor = try open()
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & 0o077 == 0 else {
            close(descriptor)
            throw ErrorReply(
                .notAllowed,
                "others than its owner can read \(name), which has a secret "
                    + "(mode \(String(status.st_mode & 0o777, radix: 8)))",
                hint: "run 'chmod 600 \(printable(path))'")
        }
        return try rest(of: descriptor)
    }

    /// Everything there is to read, and closes the descriptor.
    private func rest(of descriptor: Int32) throws(ErrorReply) -> Data {
        defer { close(descriptor) }
        var lines = Lines(descriptor, name)
        return try lines.rest()
    }

    private func open() throws(ErrorReply) -> Int32 {
        guard path != "-" else { return 0 }
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw ErrorReply(.invalid, "cannot read \(name): \(String(cString: strerror(errno)))")
        }
        return descriptor
    }

    struct Lines {
        /// The most that is kept in memory, in bytes: an endless line, as of /dev/zero, must not fill it. lightd takes 2 MiB.
        private static let longest = 16 << 20

        private let descriptor: Int32
        private let name: String
        private var buffer: [UInt8] = []

        fileprivate init(_ descriptor: Int32, _ name: String) {
            self.descriptor = descriptor
            self.name = name
        }

        /// `nil` at the end.
        mutating func next() throws(ErrorReply) -> Data? {
            var searched = 0
            while true {
                if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                    defer { buffer.removeSubrange(...end) }
                    return Data(buffer[..<end])
                }
                searched = buffer.count
                guard try !fill() else { continue }
                defer { buffer = [] }
                return buffer.isEmpty ? nil : Data(buffer)
            }
        }

        fileprivate mutating func rest() throws(ErrorReply) -> Data {
            while try fill() {}
            return Data(buffer)
        }

        /// Reads what is there.
        ///
        /// - Returns: whether there was anything.
        private mutating func fill() throws(ErrorReply) -> Bool {
            var piece = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
                if count >= 0 {
                    buffer += piece[..<count]
                    guard buffer.count <= Self.longest else {
                        throw ErrorReply(
                            .invalid, "\(name) has more than 16 MiB in one piece, which nothing here takes")
                    }
                    return count > 0
                }
                guard errno == EINTR else {
                    throw ErrorReply(.invalid, "cannot read \(name): \(String(cString: strerror(errno)))")
                }
            }
        }
    }
}
