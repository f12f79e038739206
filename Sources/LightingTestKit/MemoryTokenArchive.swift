import Khipu
public import Lighting
import Synchronization

/// An archive of access tokens in memory.
public final class MemoryTokenArchive: Sendable {
    private struct State {
        var tokens: [String: AccessToken] = [:]
        var notes: [(name: String, lastUsed: Timestamp)] = []
        var outcome = Outcome.succeeded
    }

    private let state = Mutex(State())

    public init() {}

    /// By name.
    public var tokens: [AccessToken] { state.withLock(\.tokens).values.sorted { $0.name < $1.name } }
    /// The tokens whose use was noted, in order.
    public var notes: [String] { state.withLock(\.notes).map(\.name) }

    /// Sets how calls end from now on. What fails changes nothing.
    public func end(with outcome: Outcome) { state.withLock { $0.outcome = outcome } }

    public var archive: TokenArchive {
        TokenArchive(
            keep: { token, reply in self.change(then: reply) { $0[token.name] = token } },
            drop: { digests, reply in
                self.change(then: reply) { tokens in tokens = tokens.filter { !digests.contains($1.digest) } }
            },
            note: { name, lastUsed in self.state.withLock { $0.notes.append((name, lastUsed)) } }
        )
    }

    private func change(then reply: Reply<Outcome>, _ change: (inout [String: AccessToken]) -> Void) {
        reply(
            state.withLock { state in
                if state.outcome == .succeeded { change(&state.tokens) }
                return state.outcome
            })
    }
}
