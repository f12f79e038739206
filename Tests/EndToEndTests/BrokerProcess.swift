import Foundation
import Synchronization
import TestSupport

/// Debian's Mosquitto at an address of its own, and its clients: what other programs see of lightd.
final class BrokerProcess: Sendable {
    let place: TemporaryDirectory
    let host: String
    /// Further options for its clients: who they are.
    private let identity: [String]
    private let run = Mutex<Program?>(nil)

    /// - Parameter host: of one that runs already, for somebody else's clients.
    init(at place: TemporaryDirectory, host: String = Loopback.next(), identity: [String] = []) {
        (self.place, self.host, self.identity) = (place, host, identity)
    }

    /// Starts it, and waits until it listens.
    ///
    /// - Parameter lines: of `mosquitto.conf`, besides the address.
    func start(_ lines: String = "allow_anonymous true\npersistence true") async throws {
        let configuration = try place.write(
            "mosquitto.conf",
            "listener 1883 \(host)\nuser root\npersistence_location \(place.path)/\nlog_dest stderr\n\(lines)\n")
        let broker = try Program(.at("/usr/sbin/mosquitto"), ["-c", configuration])
        try await until("the broker listens") {
            guard broker.isRunning else { throw TestError("the broker has ended: \(broker.errors)") }
            return broker.errors.contains(" running")
        }
        run.withLock { $0 = broker }
    }

    /// Ends it, so that it has written what it keeps.
    func stop() async throws {
        guard let broker = run.withLock({ $0 }) else { return }
        broker.signal(SIGTERM)
        try await broker.end()
    }

    func kill() { run.withLock { $0 }?.signal(SIGKILL) }

    private var options: [String] { ["-h", host] + identity }

    func publish(_ topic: String, _ payload: String, _ more: String...) async throws {
        let client = try Program(
            .at("/usr/bin/mosquitto_pub"), options + ["-V", "mqttv5", "-q", "1", "-t", topic, "-m", payload] + more)
        let end = try await client.end()
        guard end.status == 0 else { throw TestError("\(end)") }
    }

    /// What is answered on a topic to a message.
    func ask(_ topic: String, answer: String, _ more: [String]) async throws -> String {
        let client = try Program(
            .at("/usr/bin/mosquitto_rr"),
            options + ["-V", "mqttv5", "-q", "1", "-t", topic, "-e", answer, "-W", "30"] + more)
        let end = try await client.end()
        guard end.status == 0 else { throw TestError("\(end)") }
        return end.output
    }

    /// What is published from now on, a line for each message: the topic, a tab, and the payload.
    func follow(_ filter: String) throws -> Program {
        try Program(.at("/usr/bin/mosquitto_sub"), options + ["-V", "mqttv5", "-t", filter, "-F", "%t\t%p"])
    }

    /// What the broker keeps, by topics.
    func kept(_ filter: String) async throws -> [String: String] {
        let client = try Program(
            .at("/usr/bin/mosquitto_sub"), options + ["-t", filter, "-F", "%t\t%p", "--retained-only", "-W", "1"])
        let lines = try await client.end().output.split(separator: "\n")
        return Dictionary(
            lines.map { line in
                let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
                return (String(parts[0]), String(parts.last ?? ""))
            }
        ) { $1 }
    }
}
