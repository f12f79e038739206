import ControlProtocol
import FoundationEssentials
import Glibc

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
