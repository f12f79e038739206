import Khipu
public import Lighting
import Synchronization

/// An archive in memory.
public final class MemoryArchive: Sendable {
    private let kept = Mutex<[Archive.Item]>([])
    private let droppedBridges = Mutex<[Bridge.ID]>([])
    private let remembered = Mutex(Memory())
    private let outcome = Mutex(Outcome.succeeded)
    private let checkOutcome = Mutex(Outcome.succeeded)

    public init() {}

    public var items: [Archive.Item] { kept.withLock { $0 } }
    public var dropped: [Bridge.ID] { droppedBridges.withLock { $0 } }
    public var memory: Memory { remembered.withLock { $0 } }

    /// Sets how calls end from now on. What fails is not kept.
    ///
    /// - Parameter check: how a check ends; if `nil`, as all other calls.
    public func end(with outcome: Outcome, check: Outcome? = nil) {
        self.outcome.withLock { $0 = outcome }
        checkOutcome.withLock { $0 = check ?? outcome }
    }

    public var archive: Archive {
        Archive(
            keep: { item, reply in
                let outcome = self.outcome.withLock { $0 }
                if outcome == .succeeded { self.kept.withLock { $0.append(item) } }
                reply(outcome)
            },
            drop: { bridge, reply in
                let outcome = self.outcome.withLock { $0 }
                if outcome == .succeeded { self.droppedBridges.withLock { $0.append(bridge) } }
                reply(outcome)
            },
            check: { reply in reply(self.checkOutcome.withLock { $0 }) },
            remember: { memory in self.remembered.withLock { $0 = memory } }
        )
    }
}

/// An access log in memory.
public final class MemoryAccessLog: Sendable {
    private let recorded = Mutex<[AccessEvent]>([])

    public init() {}

    public var events: [AccessEvent] { recorded.withLock(\.self) }

    public var log: AccessLog {
        AccessLog(
            append: { event in self.recorded.withLock { $0.append(event) } },
            list: { filter, reply in
                reply(.success(Array(self.events.filter(filter.allows).suffix(filter.limit))))
            })
    }
}

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
            change: { changed, reply in
                self.change(then: reply) { tokens in
                    for token in changed {
                        guard let old = tokens.values.first(where: { $0.digest == token.digest }) else { continue }
                        tokens[old.name] = nil
                        tokens[token.name] = token
                    }
                }
            },
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
