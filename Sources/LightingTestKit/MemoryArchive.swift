public import Lighting
import Synchronization

/// An archive that remembers what it was asked to keep.
public final class MemoryArchive: Sendable {
    private let kept = Mutex<[Archive.Item]>([])
    private let dropped = Mutex<[Bridge.ID]>([])
    private let outcome = Mutex(Outcome.succeeded)

    public init() {}

    public var keepsakes: [Archive.Item] { kept.withLock { $0 } }
    public var drops: [Bridge.ID] { dropped.withLock { $0 } }

    /// How it ends from now on; what fails is not kept.
    public func end(with outcome: Outcome) { self.outcome.withLock { $0 = outcome } }

    public var archive: Archive {
        Archive(
            keep: { keepsake, reply in
                let outcome = self.outcome.withLock { $0 }
                if outcome == .succeeded { self.kept.withLock { $0.append(keepsake) } }
                reply(outcome)
            },
            drop: { bridge, reply in
                let outcome = self.outcome.withLock { $0 }
                if outcome == .succeeded { self.dropped.withLock { $0.append(bridge) } }
                reply(outcome)
            }
        )
    }
}
