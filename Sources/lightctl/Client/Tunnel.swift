import ControlProtocol
import FoundationEssentials
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

/// Why ssh leads to no lightd.
enum TunnelDiagnosis: Error, Equatable, Sendable {
    case cannotStart(SystemError)
    case timedOut(said: String)
    /// The exit status of ssh, which is that of the program there, or 255 if ssh itself has failed. Below 0 it is minus the
    /// number of a signal.
    case ended(status: Int32, said: String)
    /// Something there prints without end, and is not lightctl.
    case strange

    func reply(_ location: SSHLocation) -> ErrorReply {
        let name = location.user.map { "\($0)@\(location.host)" } ?? location.host
        let login = "ssh \(location.port.map { "-p \($0) " } ?? "")\(name)"
        switch self {
        case let .cannotStart(error):
            return ErrorReply(
                .daemonUnreachable, "cannot run ssh (\(error)), which \(location) needs",
                hint: error.number == ENOENT ? "install it: on Debian, 'sudo apt install openssh-client'" : nil)
        case let .timedOut(said):
            return ErrorReply(
                .daemonUnreachable, "cannot reach lightd at \(location) (\(Self.joined("no answer in time", said)))",
                hint:
                    "'\(login)' must work; if it has to ask for something, a longer --timeout gives you the time, or a "
                    + "key in ssh-agent spares it")
        case .strange:
            return ErrorReply(
                .daemonUnreachable, "something other than lightctl answers at \(location)",
                hint: "'\(login) lightctl --version' must print its version, and nothing else")
        case .ended(127, _):
            return ErrorReply(
                .daemonUnreachable, "\(location.host) has no lightctl where ssh looks for programs",
                hint: "install lightd there: '\(login) lightctl --version' must work")
        case let .ended(status, said):
            if let reply = Self.replyOfLightctl(in: said) {
                return ErrorReply(reply.error.code, "\(location.host): \(reply.error.message)", hint: reply.error.hint)
            }
            if said.contains("'\(DialStdio.verb)'") {
                return ErrorReply(
                    .daemonUnreachable, "lightctl on \(location.host) is too old to be asked by ssh",
                    hint: "install lightd \(Release.version) there")
            }
            let isRefused = status == 255 && Self.refusals.contains { said.contains($0) }
            let end = status == 255 ? "ssh has failed" : "ssh ended with status \(status)"
            return ErrorReply(
                isRefused ? .notAllowed : .daemonUnreachable,
                "cannot reach lightd at \(location) (\(said.isEmpty ? end : said))", hint: "'\(login)' must work first")
        }
    }

    /// What ssh says if the machine does not let the user in, or is not the one that it knows. It is never translated.
    private static let refusals = [
        "Permission denied", "Too many authentication failures", "Host key verification failed",
    ]

    private static func joined(_ reason: String, _ said: String) -> String {
        said.isEmpty ? reason : "\(reason): \(said)"
    }

    /// The error of ``DialStdio``, among what else was said.
    private static func replyOfLightctl(in said: String) -> ErrorReply? {
        guard let start = said.firstRange(of: "{\"error\":")?.lowerBound,
            let end = said[start...].lastIndex(of: "}")
        else { return nil }
        // What is not one is shown as it is.
        return try? JSONDecoder().decode(ErrorReply.self, from: Data(said[start...end].utf8))
    }
}
