import FoundationEssentials
import HueWire
import ServerSentEvents

/// Collects changes and sends them to event streams and long polls. As on a real bridge, the changes of one second
/// share a frame, which has only the last value of each property.
struct EventHub {
    private struct PendingUpdate {
        let kind: Kind
        var identity: [String: JSONValue]
        var features: [String: JSONValue]
    }

    /// The type of a container. Grouped lights have a container of their own, after that of their lamps
    /// (openhue/openhue-api, `eventstream.yaml`).
    private enum Kind: Int, Comparable {
        case add, update, groups, delete

        var word: String {
            switch self {
            case .add: "add"
            case .update, .groups: "update"
            case .delete: "delete"
            }
        }

        static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    private var pending: [String: PendingUpdate] = [:]
    /// The ids of the pending updates, the earliest first.
    private var pendingIDs: [String] = []
    /// Changes for the next frame: a second event of a button is another event, not another value.
    private var later: [Difference] = []
    private var replay: [ServerSentEvent] = []
    private(set) var readers: [Int: AsyncStream<[UInt8]>.Continuation] = [:]
    private(set) var polls: [AsyncStream<ServerSentEvent>.Continuation] = []
    private var nextReader = 0
    private var lastID = (second: Int64(0), index: 0)
    private var containerCount = 0
    /// A real bridge stores about fifteen frames (cyclux/huepy).
    private let replayLimit = 15
    /// How many pieces a slow reader may lag before its stream ends.
    private let backlog: Int
    private let derive: DerivedID

    init(backlog: Int = 4096, derive: DerivedID = DerivedID(seed: 1)) {
        self.backlog = backlog
        self.derive = derive
    }

    /// Records a change: a new document as a whole, of a changed one the members that differ, of a removed one its id
    /// and type.
    mutating func record(_ difference: Difference) {
        switch difference {
        case let .add(document):
            // For a client, a resource that was deleted and created again within a second has only changed.
            let isBack = pending[document["id"]?.string ?? ""]?.kind == .delete
            enter(isBack ? Self.updateKind(document) : .add, document, features: document.object ?? [:])
        case let .update(old, new):
            if Self.isEvent(new), pending[new["id"]?.string ?? ""] != nil {
                later.append(difference)
                return
            }
            guard let before = old.object, let after = new.object else { return }
            let changed = after.filter { before[$0.key] != $0.value }.map { name, value in
                (name, Self.part(name, before[name], value))
            }
            guard !changed.isEmpty else { return }
            enter(Self.updateKind(new), new, features: Dictionary(uniqueKeysWithValues: changed))
        case let .delete(document):
            // A resource that was created and deleted within a second is not reported.
            if let id = document["id"]?.string, pending[id]?.kind == .add {
                pending[id] = nil
                pendingIDs.removeAll { $0 == id }
            } else {
                enter(.delete, document, features: [:])
            }
        }
    }

    private static func updateKind(_ document: JSONValue) -> Kind {
        document["type"] == "grouped_light" ? .groups : .update
    }

    private static func isEvent(_ document: JSONValue) -> Bool {
        document["type"] == "button" || document["type"] == "relative_rotary"
    }

    /// Whether changes are left after the last ``flush(at:)``.
    var hasMore: Bool { !pending.isEmpty }

    private mutating func enter(_ kind: Kind, _ document: JSONValue, features: [String: JSONValue]) {
        guard let members = document.object, let id = members["id"]?.string else { return }
        let identity = members.filter { ["id", "id_v1", "type", "owner", "service_id"].contains($0.key) }
        if pending[id] == nil { pendingIDs.append(id) }
        let earlier = kind == .delete || pending[id]?.kind == .delete ? nil : pending[id]
        var update = earlier ?? PendingUpdate(kind: kind, identity: identity, features: [:])
        for (name, value) in features {
            if case let .object(new) = value, case let .object(old)? = update.features[name] {
                update.features[name] = .object(old.merging(new) { $1 })
            } else {
                update.features[name] = value
            }
        }
        pending[id] = update
    }

    /// The changed part of a feature: the level without the lamp's limits, the point without its gamut. `mirek_valid`
    /// always comes with `mirek`.
    private static func part(_ name: String, _ old: JSONValue?, _ new: JSONValue) -> JSONValue {
        guard case let .object(before)? = old, case let .object(after) = new else { return new }
        return .object(
            after.filter { key, value in
                name == "color_temperature" ? ["mirek", "mirek_valid"].contains(key) : before[key] != value
            })
    }

    /// The containers of one frame.
    struct EventBatch: Equatable {
        let id: String
        let time: Date
        let containers: [JSONValue]

        var frame: ServerSentEvent { ServerSentEvent(id, containers) }
    }

    /// Sends the collected changes as one frame, with one container for each type.
    mutating func flush(at time: Date) {
        if let batch = gather(at: time) { send(batch.frame) }
    }

    /// Sends a frame to every reader, and as the response to every long poll.
    ///
    /// - Parameter pieces: the pieces in which it is sent; the whole frame by default.
    mutating func send(_ frame: ServerSentEvent, in pieces: [[UInt8]]? = nil) {
        for piece in pieces ?? [Array(frame.framed.utf8)] { send(piece) }
        for poll in polls {
            poll.yield(frame)
            poll.finish()
        }
        polls = []
    }

    /// Removes and returns the collected changes, and stores the frame for clients that resume.
    mutating func gather(at time: Date) -> EventBatch? {
        guard !pending.isEmpty else { return nil }
        let updates = pendingIDs.compactMap { pending[$0] }
        pending = [:]
        pendingIDs = []
        let parts = Dictionary(grouping: updates, by: \.kind).sorted { $0.key < $1.key }.map { kind, updates in
            (kind.word, updates.map { JSONValue.object($0.identity.merging($0.features) { $1 }) })
        }
        let batch = batch(parts, at: time)
        let rest = later
        later = []
        for difference in rest { record(difference) }
        replay = (replay + [batch.frame]).suffix(replayLimit)
        return batch
    }

    /// Builds a frame with containers of these types, under the next id.
    mutating func batch(_ parts: [(type: String, documents: [JSONValue])], at time: Date) -> EventBatch {
        // Ids rise even if the clock is set back: clients that resume compare them.
        let second = max(Int64(time.timeIntervalSince1970), lastID.second)
        lastID = second == lastID.second ? (second, lastID.index + 1) : (second, 0)
        let containers = parts.map { type, documents in
            containerCount += 1
            return [
                "creationtime": .string(time.formatted(.iso8601)), "data": .array(documents),
                "id": .id(derive.uuid("event", "\(containerCount)")), "type": .string(type),
            ] as JSONValue
        }
        return EventBatch(id: "\(lastID.second):\(lastID.index)", time: time, containers: containers)
    }

    var hasReaders: Bool { !readers.isEmpty || !polls.isEmpty }

    /// Sends every reader a piece of its stream.
    private mutating func send(_ piece: [UInt8]) {
        for (number, reader) in readers {
            if case .enqueued = reader.yield(piece) { continue }
            // The client has disconnected, or is so slow that its buffer is full of outdated events.
            reader.finish()
            readers[number] = nil
        }
    }

    /// Opens a stream: a greeting, then the stored frames after `lastID`. Gaps are not reported: if the frame of that
    /// id is no longer stored, all stored frames follow.
    ///
    /// - Parameters:
    ///   - more: further frames, for this reader alone.
    ///   - pieces: splits a text into the pieces to send.
    mutating func open(
        after lastID: String?, more: [EventBatch] = [], in pieces: (String) -> [[UInt8]] = { [Array($0.utf8)] }
    ) -> EventReader {
        let (stream, continuation) = AsyncStream<[UInt8]>.makeStream(bufferingPolicy: .bufferingOldest(backlog))
        let number = nextReader
        nextReader += 1
        readers[number] = continuation
        var texts = [HueEventStream.greeting]
        if let last = lastID.flatMap(Self.stamp) {
            texts += replay.filter { $0.id.flatMap(Self.stamp).map { $0 > last } ?? false }.map(\.framed)
        }
        texts += more.map(\.frame.framed)
        for piece in texts.flatMap(pieces) { continuation.yield(piece) }
        return EventReader(pieces: stream) { continuation.finish() }
    }

    /// The long poll of early firmware: yields all stored frames after an id as one, or the next frame if there are
    /// none.
    mutating func poll(after id: String?) -> AsyncStream<ServerSentEvent> {
        let (frames, continuation) = AsyncStream<ServerSentEvent>.makeStream()
        let missed = id.flatMap(Self.stamp).map { last in
            replay.filter { $0.id.flatMap(Self.stamp).map { $0 > last } ?? false }
        }
        if let missed, let newest = missed.last {
            // Each frame is a list of containers, and so is the response.
            let containers = missed.map { $0.data.dropFirst().dropLast() }.joined(separator: ",")
            continuation.yield(ServerSentEvent(id: newest.id, data: "[\(containers)]"))
            continuation.finish()
        } else {
            polls.append(continuation)
        }
        return frames
    }

    /// The second and index of an id; `nil` if it is not an id of a frame.
    private static func stamp(_ id: String) -> (Int64, Int)? {
        let parts = id.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let second = Int64(parts[0]), let index = Int(parts[1]) else { return nil }
        return (second, index)
    }

    /// Ends every stream and drops the stored frames, as a reboot does.
    mutating func close() {
        endStreams()
        replay = []
    }

    /// Ends every stream; clients can resume.
    mutating func endStreams() {
        for reader in readers.values { reader.finish() }
        for poll in polls { poll.finish() }
        readers = [:]
        polls = []
    }

    /// Starts the ids again from the clock, which was set, and drops the stored frames.
    mutating func clockWasSet() {
        lastID = (0, -1)
        replay = []
    }
}

/// The event stream of one client.
struct EventReader: Sendable {
    let pieces: AsyncStream<[UInt8]>
    /// Ends the stream because the client has disconnected. Idempotent; any thread.
    let close: @Sendable () -> Void
}
