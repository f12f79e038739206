import Curl
import Foundation
import LightDaemon
import Synchronization
import TestSupport

/// lightd as a program that is stopped, killed and started again.
final class DaemonProcess: Sendable {
    let client: ControlClient
    private let state: String
    private let host: Configuration.Host
    private let environment: [String: String]
    private let configuration: String
    private let runs = Mutex<[Program]>([])
    /// How many runs were told to end.
    private let ends = Mutex(0)

    /// - Parameters:
    ///   - path: a directory for its socket and its state.
    ///   - environment: further settings.
    ///   - configuration: its `lightd.yaml`.
    ///
    /// - Throws: if the configuration cannot be written.
    init(
        at path: String, _ host: Configuration.Host, environment: [String: String] = [:], configuration: String = ""
    ) throws {
        self.configuration = "\(path)/lightd.yaml"
        try configuration.write(toFile: self.configuration, atomically: true, encoding: .utf8)
        client = ControlClient(socket: "\(path)/lightd.sock")
        state = "\(path)/state"
        self.host = host
        self.environment = environment
    }

    /// How often it was started.
    var starts: Int { runs.withLock(\.count) }

    /// The log lines of all its runs.
    var lines: [Substring] { runs.withLock { $0.flatMap { $0.errors.split(separator: "\n") } } }

    var isRunning: Bool { runs.withLock { $0.last?.isRunning ?? false } }

    /// Whether the last run was told to end: it may leave requests unanswered, also in the moment before it has ended.
    var isEnding: Bool { ends.withLock { $0 } == starts }

    /// Starts it, without waiting until it listens.
    func start() throws {
        let program = try Program(
            .lightd, ["--config", configuration, "--socket", client.socket, "--state-dir", state],
            environment: [
                "HOME": state, "LIGHTD_DISCOVERY_MDNS": "false",
                "LIGHTD_DISCOVERY_HOSTS": "\(host.host):\(host.port)",
            ].merging(environment) { $1 })
        runs.withLock { $0.append(program) }
    }

    /// Makes it read another configuration, as `systemctl reload` does.
    func reload(_ configuration: String) throws {
        try configuration.write(toFile: self.configuration, atomically: true, encoding: .utf8)
        signal(SIGHUP)
    }

    func signal(_ number: Int32) { runs.withLock(\.last)?.signal(number) }

    /// Ends it by a signal, and waits for its end. Like systemd, it lets one that stands still go on.
    func end(by signal: Int32) async throws {
        guard let program = runs.withLock(\.last) else { return }
        ends.withLock { [starts] in $0 = starts }
        program.signal(signal)
        program.signal(SIGCONT)
        try await program.end()
    }

    /// Waits until it answers.
    func answers() async throws {
        try await until("lightd answers") {
            guard isRunning else { throw TestError("lightd has ended: \(lines.suffix(3))") }
            // Until it listens, the connection fails.
            let request = HTTPRequest(.get, "http://lightd/health/live", unixSocket: client.socket)
            return (try? await client.http.send(request))?.status == 200
        }
    }
}
