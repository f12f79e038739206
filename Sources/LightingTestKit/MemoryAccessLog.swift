public import Lighting
import Synchronization

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
