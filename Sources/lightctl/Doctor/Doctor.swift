import ControlProtocol
import FoundationEssentials
import Glibc

/// Makes the checks of `lightctl doctor`: those of lightd, and around them what only the other side of the connection
/// can see.
struct Doctor {
    private let session: Session
    private let endpoint: Endpoint

    init(_ session: Session) { (self.session, endpoint) = (session, session.client.endpoint) }

    /// - Returns: all checks in the order to print them, and what lightd answered, if it did.
    func examine() -> ([CheckBody], DiagnosisBody?) {
        do {
            let diagnosis: DiagnosisBody = try session.get(Routes.diagnosis)
            return ([Self.check(version: diagnosis.version)] + wayChecks + diagnosis.checks, diagnosis)
        } catch let error as ErrorReply where error.error.code == .noSuchPath {
            let older = CheckBody(
                "lightd", .warning, "answers, but is of another version than lightctl \(Release.version)",
                remedy: "install both from one release, then run 'systemctl restart lightd'")
            return ([older] + wayChecks + [Self.notMade("it does not know them")], nil)
        } catch {
            let reply = error as? ErrorReply ?? ErrorReply(.internalError, "\(error)")
            let isAllowed = reply.error.code != .notAllowed
            let reason = isAllowed ? "it does not answer" : "it does not allow them"
            // On another machine it would be another lightd's configuration.
            let isHere = if case .socket = endpoint { true } else { false }
            let remedy = isAllowed && isHere ? "'lightd --check-config' checks the configuration" : nil
            return ([unreachable(reply)] + ownChecks + [Self.notMade(reason, remedy: remedy)], nil)
        }
    }

    /// How lightd was reached.
    private var wayChecks: [CheckBody] {
        switch endpoint {
        case let .socket(path): Self.socketCheck(path.chosen)
        case let .tcp(url, token):
            [
                CheckBody(
                    "connection", .ok,
                    "over TCP, not encrypted, to \(url)" + (token.map { " with the token of \($0.source)" } ?? ""))
            ]
        case let .ssh(location, _): [CheckBody("connection", .ok, "by ssh, to \(location)")]
        case let .site(site, _): [CheckBody("connection", .ok, "by MQTT, to site '\(site)'")]
        }
    }

    /// What can be seen here. What there is to see of lightd's machine cannot be seen from another one.
    private var ownChecks: [CheckBody] {
        switch endpoint {
        case let .socket(path): Self.socketCheck(path.chosen) + Machine.checks
        case .tcp, .ssh, .site: []
        }
    }

    /// Why lightd cannot be asked.
    private func unreachable(_ reply: ErrorReply) -> CheckBody {
        let status = reply.error.code.exitCode
        if case let .socket(path) = endpoint,
            [.missing, .notListening].contains(SocketDiagnosis.find(at: path.chosen))
        {
            return CheckBody(
                "lightd", .failure, "does not run: nothing answers at \(path.chosen)",
                remedy: "start it with 'systemctl start lightd'; 'journalctl -u lightd' says why it ended",
                exitStatus: status)
        }
        return CheckBody("lightd", .failure, reply.error.message, remedy: reply.error.hint, exitStatus: status)
    }

    /// Whether the lightd that answers belongs to this lightctl.
    static func check(version: String) -> CheckBody {
        guard version == Release.version else {
            return CheckBody(
                "lightd", .warning, "answers as version \(version), but this is lightctl \(Release.version)",
                remedy: "install both from one release, then run 'systemctl restart lightd'")
        }
        return CheckBody("lightd", .ok, "answers, version \(version)")
    }

    private static func notMade(_ reason: String, remedy: String? = nil) -> CheckBody {
        CheckBody(
            "lightd's checks", .warning,
            "not made, because \(reason): bridges, configuration, state directory, disk, database, journal, descriptors, "
                + "system clock",
            remedy: remedy)
    }

    /// Who may use the socket; nothing if it is missing, or is a file of another kind.
    private static func socketCheck(_ socket: String) -> [CheckBody] {
        var status = stat()
        guard SocketDiagnosis.isSocket(socket), stat(socket, &status) == 0 else { return [] }
        return [check(mode: status.st_mode & 0o777, of: socket)]
    }

    static func check(mode: mode_t, of socket: String) -> CheckBody {
        guard mode & 0o007 == 0 else {
            return CheckBody(
                "socket", .failure, "every user may control lights by \(socket) (mode \(String(mode, radix: 8)))",
                remedy: "run 'systemctl restart lightd.socket lightd', or 'chmod 660 \(socket)'",
                exitStatus: .notAllowed)
        }
        return CheckBody("socket", .ok, "\(socket), for its owner and group (mode \(String(mode, radix: 8)))")
    }
}
