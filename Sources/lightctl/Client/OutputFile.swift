import ArgumentParser
import ControlProtocol
import FoundationEssentials
import Glibc

/// A file to write as a whole, or "-" for standard output.
struct OutputFile: ExpressibleByArgument, CustomStringConvertible {
    let path: String

    init?(argument: String) {
        guard !argument.isEmpty else { return nil }
        path = argument
    }

    var description: String { path }
    var isStandardOutput: Bool { path == "-" }

    /// Whether there is a file with anything in it, which writing would lose.
    var hasContent: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
    }

    /// Writes it, readable by its owner alone from the moment it exists: under another name first, so that a file that was
    /// there is replaced as a whole or not at all, also in a power failure.
    ///
    /// - Throws: ``ErrorReply`` if it cannot be written, and for what is not a file, such as a device.
    func replace(by data: Data) throws(ErrorReply) {
        let target = try target()
        // Ctrl-C has its effect when the file is there, so that it leaves no other behind.
        var (signals, before) = (sigset_t(), sigset_t())
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { sigaddset(&signals, signal) }
        sigprocmask(SIG_BLOCK, &signals, &before)
        defer { sigprocmask(SIG_SETMASK, &before, nil) }
        var name = Array("\(target).XXXXXX".utf8CString)
        let file = mkstemp(&name)
        guard file >= 0 else { throw failure(errno) }
        let temporary = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var code = Self.write(data, to: file)
        if code == 0, fsync(file) != 0 { code = errno }
        if close(file) != 0, code == 0 { code = errno }
        if code == 0, rename(temporary, target) != 0 { code = errno }
        guard code == 0 else {
            unlink(temporary)
            throw failure(code)
        }
        // The name must survive a power failure like the bytes. Not every file system can promise that.
        let directory = open(URL(filePath: target).deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)
        close(directory)
    }

    /// Where a link leads, so that it stays one.
    private func target() throws(ErrorReply) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else {
            // Another disk's file, if that is not mounted: to write beside it would look like success.
            guard lstat(path, &status) != 0 else {
                throw ErrorReply(
                    .refused, "'\(printable(path))' is a link that leads nowhere",
                    hint:
                        "'\(ShellQuote.line("readlink", operand: path))' says where to: make that exist, or name another file"
                )
            }
            return path
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ErrorReply(
                .refused, "'\(printable(path))' is not a file",
                hint: "name a file, or - for standard output")
        }
        guard let real = realpath(path, nil) else { throw failure(errno) }
        defer { free(real) }
        return String(cString: real)
    }

    /// Returns the number of the error, 0 without one.
    private static func write(_ data: Data, to file: Int32) -> Int32 {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    private func failure(_ code: Int32) -> ErrorReply {
        ErrorReply(.refused, "cannot write '\(printable(path))': \(String(cString: strerror(code)))")
    }
}
