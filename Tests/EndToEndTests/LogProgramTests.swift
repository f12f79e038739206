import ControlProtocol
import Curl
import Foundation
import TestSupport
import Testing

/// `lightctl log` with the real programs.
@Suite(.timeLimit(.minutes(5)))
struct LogProgramTests {
    @Test func `a follower misses nothing that happens after a kill -9 of lightd`() async throws {
        try await withTemporaryDirectory { place in
            @Sendable func start() async throws -> (Program, ControlClient) {
                // Of the journal nothing is saved before the kill, only what bounds its numbers.
                let program = try Program(
                    .lightd, ["--socket", place.socket, "--state-dir", place.state],
                    environment: ["LIGHTD_DISCOVERY_MDNS": "false", "LIGHTD_JOURNAL_FLUSH": "1h", "HOME": place.path])
                try await until("lightd is ready") {
                    guard program.isRunning else { throw TestError("\(try await program.end())") }
                    return program.errors.contains(" ready ")
                }
                return (program, ControlClient(socket: place.socket))
            }
            let (first, before) = try await start()
            defer { first.signal(SIGKILL) }
            let told = try await pinAndUnpin(5, before)
            let follower = try Program(
                .lightctl, ["--socket", place.socket, "log", "--follow", "--limit", "100", "--json"])
            defer { follower.signal(SIGKILL) }
            try await until("the follower has seen all so far") { try has(follower, told) }

            // It sleeps while lightd is killed, comes back and does fewer things than before.
            follower.signal(SIGSTOP)
            first.signal(SIGKILL)
            try await first.end()
            before.http.shutdown()
            let (second, after) = try await start()
            defer { second.signal(SIGKILL) }
            defer { after.http.shutdown() }
            let missed = try await pinAndUnpin(2, after)
            follower.signal(SIGCONT)
            try await until("the follower has seen what it missed; \(follower.output)") { try has(follower, missed) }
            let numbers = try entries(of: follower).map(\.number)
            #expect(numbers == Set(numbers).sorted())
        }
    }

    /// Sends commands, and returns their tickets.
    private func pinAndUnpin(_ count: Int, _ client: ControlClient) async throws -> [UInt64] {
        var tickets: [UInt64] = []
        for _ in 1...count {
            tickets.append(try await client.post(.pin(target: "all")).ticket)
            tickets.append(try await client.post(.unpin(target: "all")).ticket)
        }
        return tickets
    }

    /// Whether it has printed each of these commands with its outcome.
    private func has(_ follower: Program, _ tickets: [UInt64]) throws -> Bool {
        let printed = try entries(of: follower).compactMap(\.ticket)
        return tickets.allSatisfy { ticket in printed.count { $0 == ticket } == 2 }
    }

    private func entries(of follower: Program) throws -> [LogBody] {
        let whole = follower.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return try whole.map { try JSONDecoder().decode(LogBody.self, from: Data($0.utf8)) }
    }
}
