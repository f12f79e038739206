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
