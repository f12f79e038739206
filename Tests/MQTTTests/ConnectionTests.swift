import Foundation
import Synchronization
import TestSupport
import Testing

@testable import MQTT

/// Against brokers that a test plays, byte by byte.
@Suite(.timeLimit(.minutes(2)))
struct ConnectionTests {
    private final class Log: Sendable {
        private let heard = Mutex<[MQTTConnection.Event]>([])
        var events: [MQTTConnection.Event] { heard.withLock(\.self) }
        func take(_ event: MQTTConnection.Event) { heard.withLock { $0.append(event) } }
    }

    /// What came first over each connection.
    private final class FirstPackets: Sendable {
        private let packets = Mutex<[[UInt8]]>([])
        var all: [[UInt8]] { packets.withLock(\.self) }
        func add(_ packet: [UInt8]) { packets.withLock { $0.append(packet) } }
    }

    /// Accepts connections and answers the first packet of each with these bytes; then it only listens, or hangs up.
    private static func broker(
        _ answers: [[UInt8]], hangsUp: Bool = false,
        _ body: @Sendable (MQTTSettings, FirstPackets) async throws -> Void
    ) async throws {
        let listener = try BlockingSocket.listening(at: .ip())
        defer { close(listener) }
        let first = FirstPackets()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await onOwnThread {
                    var open: [CInt] = []
                    for answer in answers {
                        let connection = accept(listener, nil, nil)
                        guard connection >= 0 else { break }
                        open.append(connection)
                        var bytes = [UInt8](repeating: 0, count: 1000)
                        let count = read(connection, &bytes, bytes.count)
                        first.add(Array(bytes.prefix(max(count, 0))))
                        _ = write(connection, answer, answer.count)
                        if hangsUp { shutdown(connection, CInt(SHUT_RDWR)) }
                    }
                    // Until the other side has gone.
                    for connection in open {
                        var rest = [UInt8](repeating: 0, count: 1000)
                        while read(connection, &rest, rest.count) > 0 {}
                        close(connection)
                    }
                }
            }
            try await body(
                MQTTSettings(host: "127.0.0.1", port: BlockingSocket.port(of: listener), clientID: "test"), first)
            // Wakes one that still waits for a connection.
            if let descriptor = try? BlockingSocket.connected(to: .ip(port: BlockingSocket.port(of: listener))) {
                close(descriptor)
            }
            try await group.waitForAll()
        }
    }

    private static let accepted5: [UInt8] = [0x20, 3, 0, 0, 0]
    private static let accepted3: [UInt8] = [0x20, 2, 0, 0]

    @Test func `a broker that knows only MQTT 3 is spoken to in that`() async throws {
        // "Unacceptable protocol version", in the form of MQTT 3.1.1.
        try await Self.broker([[0x20, 2, 0, 1], Self.accepted3]) { settings, first in
            let log = Log()
            let connection = try MQTTConnection(settings, hear: log.take)
            try connection.start()
            try await until("it is connected") { log.events.contains(.connected(isVersion5: false)) }
            await connection.stop()
            // The level of the protocol comes after the name "MQTT".
            let levels = first.all.compactMap { $0.count > 8 ? $0[8] : nil }
            #expect(levels == [5, 4])
        }
    }

    @Test func `a broker that acknowledges nothing is given up after a time, and nothing piles up`() async throws {
        try await Self.broker([Self.accepted5]) { settings, _ in
            var settings = settings
            settings.patience = .milliseconds(300)
            let log = Log()
            let connection = try MQTTConnection(settings, hear: log.take)
            try connection.start()
            try await until("it is connected") { log.events.contains(.connected(isVersion5: true)) }
            for number in 0..<10_000 {
                connection.publish([MQTTMessage("topic \(number % 50)", "\(number)", isRetained: true)])
            }
            try await until("it is given up") {
                log.events.contains {
                    if case let .lost(loss) = $0 { loss.description.contains("acknowledged nothing") } else { false }
                }
            }
            #expect(
                !connection.publish([MQTTMessage("topic", "x")]), "nothing waits for a connection that there is not")
            await connection.stop()
        }
    }

    @Test func `a password that is refused is said, and is no reason to ask again soon`() async throws {
        // 0x86: bad user name or password.
        try await Self.broker([[0x20, 3, 0, 0x86, 0]]) { settings, _ in
            let log = Log()
            let connection = try MQTTConnection(settings, hear: log.take)
            try connection.start()
            try await until("it is said") { !log.events.isEmpty }
            guard case let .lost(loss)? = log.events.first else {
                Issue.record("\(log.events)")
                return
            }
            #expect(loss.isFinal && loss.description.contains("refuses us"), "\(loss)")
            await connection.stop()
        }
    }
}
