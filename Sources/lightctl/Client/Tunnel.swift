import Glibc

/// A connection to lightd's socket on another machine, through a program that is started for it: ssh, which runs
/// ``DialStdio`` there. The program ends with it.
final class Tunnel {
    private let child: ChildProcess
    /// Whether lightd's socket was reached there. What is sent before belongs to nobody.
    private(set) var isOpen = false
    private var early: [UInt8] = []
    private var said: [UInt8] = []
    private var hasEnded = false
    /// Whether the program has closed its standard error.
    private var hasSaidAll = false

    var descriptor: Int32 { child.stdio }

    /// The most that is kept of what the program says, in bytes, and of what shells print before the greeting.
    private static let (mostSaid, mostEarly) = (4096, 64 * 1024)

    init(_ command: [String]) throws(TunnelDiagnosis) {
        do throws(SystemError) {
            child = try ChildProcess(command)
        } catch {
            throw .cannotStart(error)
        }
    }

    deinit { close() }

    func close() { _ = end(within: .zero) }

    /// Has something to read when the program says something; -1 after that.
    var errors: Int32 { hasSaidAll ? -1 : child.errors }

    /// Reads until the socket there was reached, as far as that is possible now.
    ///
    /// - Throws: if it will not be.
    func advance() throws(TunnelDiagnosis) {
        listen()
        var buffer = [UInt8](repeating: 0, count: 4096)
        let greeting = Array(DialStdio.greeting.utf8)
        while !isOpen {
            let count = recv(child.stdio, &buffer, buffer.count, 0)
            if count > 0 {
                early += buffer[..<count]
                isOpen = early.indices.contains { early[$0...].starts(with: greeting) }
                guard early.count <= Self.mostEarly else { throw .strange }
            } else if count < 0, errno == EINTR {
                continue
            } else if count < 0, errno == EAGAIN {
                return
            } else {
                let status = end(within: .seconds(2))
                throw .ended(status: status, said: words)
            }
        }
        early = []
    }

    /// What the program has said so far, in one line.
    var words: String {
        listen()
        let text = String(decoding: said, as: UTF8.self)
        // ssh frames warnings in lines of signs.
        return text.split(whereSeparator: \.isNewline).filter { $0.contains(where: \.isLetter) }.joined(separator: "; ")
    }

    /// Keeps the last of what the program says.
    private func listen() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !hasEnded, !hasSaidAll {
            let count = recv(child.errors, &buffer, buffer.count, 0)
            hasSaidAll = count == 0
            guard count > 0 else { return }
            said = Array((said + buffer[..<count]).suffix(Self.mostSaid))
        }
    }

    /// - Returns: the exit status, as of ``ChildProcess/end(within:)``, the first time.
    func end(within time: Duration) -> Int32 {
        guard !hasEnded else { return 0 }
        let deadline = ContinuousClock.now + time
        // What it says last comes with its end; a child of its own may keep the socket open.
        listen()
        while !hasSaidAll, .now < deadline {
            Poll.wait(forInputOf: child.errors, atMost: deadline - .now)
            listen()
        }
        hasEnded = true
        return child.end(within: time)
    }
}
