import ControlProtocol
import ControlSurface
import NIOCore
import ServerSentEvents
import Synchronization

/// The events that lead to the newest state, made once for all readers who show the same state: most of a thousand
/// readers are in step, and they share the bytes too, as long as some have not taken them.
final class SharedEvents: Sendable {
    /// Those who are behind by different numbers of states; more are not remembered.
    private static let maximum = 16

    private struct Memory {
        /// The newest state's id.
        var newest: Int64 = 0
        /// By the id of the state they begin at.
        var events: [Int64: ByteBuffer?] = [:]
    }

    private let memory = Mutex(Memory())

    /// The events of `state` for a reader who shows `shown`, framed; `nil` if nothing looks different.
    func events(from shown: LatestState.Snapshot, to state: LatestState.Snapshot) throws -> ByteBuffer? {
        guard shown.id != state.id else { return nil }
        // Made under the lock: others who want the same events wait for them instead of making them too.
        return try memory.withLock { memory in
            if memory.newest == state.id, let events = memory.events[shown.id] { return events }
            let events = try Self.framed(from: shown, to: state)
            if memory.newest < state.id { memory = Memory(newest: state.id) }
            if memory.newest == state.id, memory.events.count < Self.maximum {
                memory.events.updateValue(events, forKey: shown.id)
            }
            return events
        }
    }

    private static func framed(
        from shown: LatestState.Snapshot, to state: LatestState.Snapshot
    ) throws -> ByteBuffer? {
        let events = try state.home.events(since: shown.home)
        guard !events.isEmpty else { return nil }
        var bytes = ByteBuffer()
        for (place, event) in events.enumerated() {
            bytes.append(event, id: state.eventID(before: events.count - 1 - place))
        }
        return bytes
    }
}

extension ByteBuffer {
    init(_ event: HomeEvent, id: Int64) {
        self.init()
        append(event, id: id)
    }

    mutating func append(_ event: HomeEvent, id: Int64) {
        writeString(ServerSentEvent(id: String(id), name: event.name.rawValue, data: event.data).framed)
    }
}
