import ControlProtocol
import Foundation
import Synchronization
import TestSupport
import Testing

/// lightd with a socket that another process holds, as systemd does (`lightd.socket`). The test is that process.
@Suite(.timeLimit(.minutes(5)))
struct SocketActivationTests {
    /// The home in a box restarts it twenty times (Tests/System/test_restarts.py).
    @Test func `restarts lose no command, and carry none out twice`() async throws {
        try await HeldSocketFixture.with { held in
            var lightd = try held.start()
            let end = EndOfTyping()
            // Two people type one command after the other; more would keep all other tests from their work.
            async let typed = held.typeTimers(people: 2, until: end)
            for _ in 1...5 {
                let count = try await held.timers().count
                try await until("some commands have come") { try await held.timers().count > count }
                lightd.signal(SIGTERM)
                #expect(try await lightd.end().status == 0)
                lightd = try held.start()
            }
            end.come()
            let commands = try await typed
            let timers = try await held.timers()
            #expect(Set(timers).count == timers.count)
            let unknown = Set(commands.filter { !$0.isAnswered }.map(\.what))
            #expect(Set(timers).subtracting(unknown) == Set(commands.filter(\.isAnswered).map(\.what)))
            lightd.signal(SIGTERM)
            #expect(try await lightd.end().status == 0)
            // It belongs to the one who made it.
            #expect(FileManager.default.fileExists(atPath: held.socket))
        }
    }

    @Test func `a command that is typed while lightd does not run is carried out when it starts`() async throws {
        try await HeldSocketFixture.with { held in
            let command = try held.typed(["in", "10h", "turn", "on", "hall"])
            let lightd = try held.start()
            #expect(try await command.end().status == 0)
            #expect(try await held.timers() == ["turn on hall"])
            lightd.signal(SIGTERM)
            #expect(try await lightd.end().status == 0)
        }
    }

    @Test func `lightd serves the same socket when it begins anew with a backup`() async throws {
        try await HeldSocketFixture.with { held in
            let lightd = try held.start()
            let file = held.place.path + "/backup"
            for arguments in [
                ["in", "10h", "turn", "on", "hall"], ["backup", file], ["in", "10h", "turn", "on", "desk"],
            ] {
                #expect(try await held.lightctl(arguments).status == 0)
            }
            let restored = try await held.lightctl(["restore", file])
            #expect(restored.status == 0, "\(restored)")
            #expect(try await held.timers() == ["turn on hall"])
            lightd.signal(SIGTERM)
            #expect(try await lightd.end().status == 0)
        }
    }

    @Test(arguments: [
        ("another path", "both must be the same"), ("not a socket", "is not a unix stream socket that listens"),
        ("no file", "is gone"),
    ])
    func `a socket that clients would not find is refused with words`(what: String, words: String) async throws {
        try await HeldSocketFixture.with { held in
            let other = what == "another path" ? held.socket + "2" : held.socket
            if what == "no file" { unlink(held.socket) }
            let lightd = try held.start(at: other, passing: what == "not a socket" ? STDERR_FILENO : nil)
            let end = try await lightd.end()
            #expect(end.status == 6 && end.errors.contains(words) && end.errors.contains("lightd.socket"), "\(end)")
        }
    }
}

private final class EndOfTyping: Sendable {
    private let state = Mutex(false)

    var hasCome: Bool { state.withLock(\.self) }

    func come() { state.withLock { $0 = true } }
}

/// A listening socket and the state of the lightd that is to serve it.
private struct HeldSocketFixture: Sendable {
    let place: TemporaryDirectory
    let descriptor: CInt
    var socket: String { place.socket }

    static func with(_ body: (Self) async throws -> Void) async throws {
        try await withTemporaryDirectory { place in
            let descriptor = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: place.socket.utf8) }
            let code = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            #expect(code == 0 && listen(descriptor, 128) == 0)
            try await body(Self(place: place, descriptor: descriptor))
        }
    }

    /// Starts lightd as systemd does, without waiting for it.
    func start(at path: String? = nil, passing other: CInt? = nil) throws -> Program {
        try Program(
            .lightd, ["--socket", path ?? socket, "--state-dir", place.state],
            environment: ["HOME": place.path, "LIGHTD_DISCOVERY_MDNS": "false"], passing: other ?? descriptor)
    }

    /// Starts lightctl.
    func typed(_ arguments: [String]) throws -> Program { try Program(.lightctl, ["--socket", socket] + arguments) }

    func lightctl(_ arguments: [String]) async throws -> Program.End { try await typed(arguments).end() }

    /// Sets timers, each of its own, for lights that do not exist.
    ///
    /// - Returns: what they do.
    func typeTimers(people: Int, until end: EndOfTyping) async throws -> [(what: String, isAnswered: Bool)] {
        try await withThrowingTaskGroup(of: [(what: String, isAnswered: Bool)].self) { group in
            for person in 1...people {
                group.addTask {
                    var commands: [(what: String, isAnswered: Bool)] = []
                    while !end.hasCome {
                        let light = "lamp\(person)x\(commands.count)"
                        let result = try await lightctl(["in", "10h", "turn", "on", light])
                        // On a slow machine a command may still be under way when lightd gives up waiting for it: then
                        // it says that it does not know, which is no loss.
                        #expect([0, 5].contains(result.status), "\(result)")
                        commands.append(("turn on \(light)", result.status == 0))
                    }
                    return commands
                }
            }
            var all: [(what: String, isAnswered: Bool)] = []
            for try await commands in group { all += commands }
            return all
        }
    }

    /// What the timers do.
    func timers() async throws -> [String] {
        struct Timer: Decodable { let `do`: [String] }
        let end = try await lightctl(["timers", "--json"])
        guard end.status == 0 else { throw TestError("\(end)") }
        return try JSONDecoder().decode([Timer].self, from: Data(end.output.utf8)).flatMap(\.do)
    }
}
