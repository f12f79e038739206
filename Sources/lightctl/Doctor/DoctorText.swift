import ControlProtocol
import FoundationEssentials
import Glibc

/// The checks of `lightctl doctor`, one line each, on a terminal with the remedy below.
enum DoctorText {
    static func text(_ checks: [CheckBody], on terminal: Terminal) -> String {
        guard terminal.isTerminal else {
            return Table.plain(checks.map { [$0.result.rawValue, $0.name, $0.subject, $0.text, $0.remedy] })
        }
        let width = min(checks.map { columns(title($0)) }.max() ?? 0, terminal.columns / 2)
        return checks.map { check in
            let title = cut(title(check), to: width)
            let gap = String(repeating: " ", count: width - columns(title) + 2)
            let line = wrapped(
                [mark(check.result, terminal), StyledText(" \(title)\(gap)\(printable(check.text))")],
                for: terminal, indent: width + 4)
            guard let remedy = check.remedy else { return line }
            let words = StyledText("\(terminal.unicode ? "→" : ">") \(printable(remedy))", .strong)
            return line + "\n" + wrapped([StyledText("  "), words], for: terminal)
        }.joined(separator: "\n")
    }

    private static func title(_ check: CheckBody) -> String {
        printable(check.subject.map { "\($0): \(check.name)" } ?? check.name)
    }

    private static func mark(_ result: CheckBody.Result, _ terminal: Terminal) -> StyledText {
        switch result {
        case .ok: StyledText(terminal.unicode ? "✓" : "+", .good)
        case .warning: StyledText("!", .warning)
        case .failure: StyledText(terminal.unicode ? "✗" : "x", .alarm)
        }
    }
}

/// The file of `lightctl doctor --bundle`. It has what lightd shows to everybody who may use its socket, which is never
/// a key or a token.
struct DoctorReport: Encodable {
    var written = WallClock.local().now.iso
    var lightctl = Release.version
    var kernel = Machine.kernel
    var distribution = Machine.distribution
    var checks: [CheckBody]
    /// This and what follows is absent if lightd does not answer.
    var configuration: [String: String]?
    var status: StatusBody?
    var lights: [LightBody]?
    var rooms: [RoomBody]?
    var scenes: [SceneBody]?
    var dashboard: [PinBody]?
    /// The newest entries, oldest first.
    var journal: [LogBody]?

    init(checks: [CheckBody], configuration: [String: String]?, _ session: Session) {
        self.checks = checks
        self.configuration = configuration
        guard configuration != nil else { return }
        // Each is left out if lightd cannot answer: a report is wanted when something is broken.
        status = try? session.get(Routes.status)
        lights = try? session.get(Routes.lights)
        rooms = try? session.get(Routes.rooms)
        scenes = try? session.get(Routes.scenes)
        dashboard = try? session.get(Routes.dashboard)
        journal = try? session.get(Routes.log, [(.limit, "1000")])
    }

    /// Writes a new file that only its owner can read.
    ///
    /// - Throws: ``ErrorReply`` if it exists or cannot be written.
    func write(to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw errno == EEXIST
                ? ErrorReply(.refused, "'\(path)' exists already", hint: "name another file: it is never overwritten")
                : ErrorReply(.refused, "cannot write '\(path)': \(String(cString: strerror(errno)))")
        }
        defer { close(file) }
        var bytes = Array((Console.json(self, pretty: true) + "\n").utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if written >= 0 {
                bytes = bytes.dropFirst(written)
            } else if errno != EINTR {
                let reason = String(cString: strerror(errno))
                unlink(path)
                throw ErrorReply(.refused, "cannot write '\(path)': \(reason)")
            }
        }
    }
}
