import ControlProtocol
import FoundationEssentials
import Glibc

/// Makes the checks of `lightctl doctor`: those of lightd, and around them what only the other side of the socket can
/// see.
struct Doctor {
    let session: Session
    let socket: String

    init(_ session: Session, socket: String) {
        (self.session, self.socket) = (session, socket)
    }

    /// - Returns: all checks in the order to print them, and what lightd answered, if it did.
    func examine() -> ([CheckBody], DiagnosisBody?) {
        do {
            let diagnosis: DiagnosisBody = try session.get(Routes.diagnosis)
            return ([Self.check(version: diagnosis.version)] + socketCheck + diagnosis.checks, diagnosis)
        } catch let error as ErrorReply where error.error.code == .noSuchPath {
            let older = CheckBody(
                "lightd", .warning, "answers, but is of another version than lightctl \(Release.version)",
                remedy: "install both from one release, then run 'systemctl restart lightd'")
            return ([older] + socketCheck + [Self.notMade("it does not know them")], nil)
        } catch {
            let reply = error as? ErrorReply ?? ErrorReply(.internalError, "\(error)")
            return ([unreachable(reply)] + socketCheck + Machine.checks + [Self.notMade("it does not answer")], nil)
        }
    }

    /// Why lightd cannot be asked.
    private func unreachable(_ reply: ErrorReply) -> CheckBody {
        let status = reply.error.code.exitCode
        switch SocketDiagnosis.find(at: socket) {
        case .missing?, .notListening?:
            return CheckBody(
                "lightd", .failure, "does not run: nothing answers at \(socket)",
                remedy: "start it with 'systemctl start lightd'; 'journalctl -u lightd' says why it ended",
                exitStatus: status)
        default:
            return CheckBody("lightd", .failure, reply.error.message, remedy: reply.error.hint, exitStatus: status)
        }
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

    private static func notMade(_ reason: String) -> CheckBody {
        CheckBody(
            "lightd's checks", .warning,
            "not made, because \(reason): bridges, configuration, state directory, disk, database, journal, descriptors"
        )
    }

    /// Who may use the socket; nothing if it is missing, or is a file of another kind.
    private var socketCheck: [CheckBody] {
        var status = stat()
        guard SocketDiagnosis.isSocket(socket), stat(socket, &status) == 0 else { return [] }
        return [Self.check(mode: status.st_mode & 0o777, of: socket)]
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

extension Session {
    static func socketPath(_ options: GlobalOptions) -> String {
        SocketPath(option: options.socket, environment: ProcessInfo.processInfo.environment) { access($0, F_OK) == 0 }
            .chosen
    }
}
