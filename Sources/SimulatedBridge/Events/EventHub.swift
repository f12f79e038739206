import FoundationEssentials
import HueWire

/// What the event stream has to say. A first change goes out at once; those of the next second are gathered, and of each property
/// only the last value is told, as on a real bridge.
struct EventHub {
    private struct PendingUpdate {
        let kind: Kind
        var identity: [String: JSONValue]
        var features: [String: JSONValue]
    }

    /// What a container holds. The grouped lights come in one of their own, behind that of their lamps (openhue/openhue-api,
    /// `eventstream.yaml`).
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

    private var waiting: [String: PendingUpdate] = [:]
    private var order: [String] = []
    /// For the next frames: a second event of one button is another event, not another value.
    private var later: [Difference] = []
    private var replay: [EventFrame] = []
    private(set) var readers: [Int: AsyncStream<[UInt8]>.Continuation] = [:]
    private(set) var polls: [AsyncStream<EventFrame>.Continuation] = []
    private var nextReader = 0
    private var lastID = (second: Int64(0), index: 0)
    private var told = 0
    /// A real bridge remembers about fifteen frames (cyclux/huepy).
    private let memory = 15
    /// How many pieces a reader may fall behind before its stream ends.
    private let backlog: Int
    private let derive: DerivedID

    init(backlog: Int = 4096, derive: DerivedID = DerivedID(seed: 1)) {
        self.backlog = backlog
        self.derive = derive
    }

    /// Notes what became of a document: all of a new one, of another the members that differ, of one that is gone its identity.
    mutating func note(_ difference: Difference) {
        switch difference {
        case let .add(document):
            enter(.add, document, features: document.object ?? [:])
        case let .update(old, new):
            if Self.isEvent(new), waiting[new["id"]?.string ?? ""] != nil {
                later.append(difference)
                return
            }
            guard let before = old.object, let after = new.object else { return }
            let changed = after.filter { before[$0.key] != $0.value }.map { name, value in
                (name, Self.part(name, before[name], value))
            }
            guard !changed.isEmpty else { return }
            enter(
                new["type"] == "grouped_light" ? .groups : .update, new,
                features: Dictionary(uniqueKeysWithValues: changed))
        case let .delete(document):
            // What came and went within a second was never there.
            if let id = document["id"]?.string, waiting[id]?.kind == .add {
                waiting[id] = nil
                order.removeAll { $0 == id }
            } else {
                enter(.delete, document, features: [:])
            }
        }
    }

    private static func isEvent(_ document: JSONValue) -> Bool {
        document["type"] == "button" || document["type"] == "relative_rotary"
    }

    /// Whether there is something to tell that was not told by the last ``flush(at:)``.
    var hasMore: Bool { !waiting.isEmpty }

    private mutating func enter(_ kind: Kind, _ document: JSONValue, features: [String: JSONValue]) {
        guard let members = document.object, let id = members["id"]?.string else { return }
        let identity = members.filter { ["id", "id_v1", "type", "owner", "service_id"].contains($0.key) }
        if waiting[id] == nil { order.append(id) }
        let earlier = kind == .delete ? nil : waiting[id]
        var update = earlier ?? PendingUpdate(kind: kind, identity: identity, features: [:])
        for (name, value) in features {
            if case let .object(news) = value, case let .object(olds)? = update.features[name] {
                update.features[name] = .object(olds.merging(news) { $1 })
            } else {
                update.features[name] = value
            }
        }
        waiting[id] = update
    }

    /// Of a feature only what moved is told: the level without the lamp's limits, the point without its gamut. The validity of a
    /// white tone always comes with it.
    private static func part(_ name: String, _ old: JSONValue?, _ new: JSONValue) -> JSONValue {
        guard case let .object(before)? = old, case let .object(after) = new else { return new }
        return .object(
            after.filter { key, value in
                name == "color_temperature" ? ["mirek", "mirek_valid"].contains(key) : before[key] != value
            })
    }

    /// What there is to tell at one time, before it is written.
    struct EventBatch: Equatable {
        let id: String
        let time: Date
        let containers: [JSONValue]

        var frame: EventFrame { EventFrame(id, containers) }
    }

    /// Sends what was gathered, as one frame of one container a kind.
    mutating func flush(at time: Date) {
        if let batch = gather(at: time) { tell(batch.frame) }
    }

    /// Gives every reader a frame, and every long poll its answer.
    ///
    /// - Parameter pieces: how it goes out; whole where nothing is said.
    mutating func tell(_ frame: EventFrame, in pieces: [[UInt8]]? = nil) {
        for piece in pieces ?? [Array(frame.framed.utf8)] { tell(piece) }
        for poll in polls {
            poll.yield(frame)
            poll.finish()
        }
        polls = []
    }

    /// Takes what was gathered; whoever resumes is told of it from now on.
    mutating func gather(at time: Date) -> EventBatch? {
        guard !waiting.isEmpty else { return nil }
        let updates = order.compactMap { waiting[$0] }
        waiting = [:]
        order = []
        let parts = Dictionary(grouping: updates, by: \.kind).sorted { $0.key < $1.key }.map { kind, updates in
            (kind.word, updates.map { JSONValue.object($0.identity.merging($0.features) { $1 }) })
        }
        let batch = batch(parts, at: time)
        let rest = later
        later = []
        for difference in rest { note(difference) }
        replay = (replay + [batch.frame]).suffix(memory)
        return batch
    }

    /// Writes containers of these types, under the next id.
    mutating func batch(_ parts: [(type: String, documents: [JSONValue])], at time: Date) -> EventBatch {
        // Never back, also where the clock is set back: whoever resumes compares.
        let second = max(Int64(time.timeIntervalSince1970), lastID.second)
        lastID = second == lastID.second ? (second, lastID.index + 1) : (second, 0)
        let containers = parts.map { type, documents in
            told += 1
            return [
                "creationtime": .string(time.formatted(.iso8601)), "data": .array(documents),
                "id": .id(derive.uuid("event", "\(told)")), "type": .string(type),
            ] as JSONValue
        }
        return EventBatch(id: "\(lastID.second):\(lastID.index)", time: time, containers: containers)
    }

    var hasReaders: Bool { !readers.isEmpty || !polls.isEmpty }

    /// Gives every reader a piece of its stream.
    mutating func tell(_ piece: [UInt8]) {
        for (number, reader) in readers {
            if case .enqueued = reader.yield(piece) { continue }
            // Gone, or so slow that what it would read is old.
            reader.finish()
            readers[number] = nil
        }
    }

    /// Opens a stream: a greeting at once, then what came after `lastID` as far as it is remembered, without a word about gaps:
    /// after an id that has been forgotten comes all that is left.
    ///
    /// - Parameters:
    ///   - more: what only this reader is told, behind that.
    ///   - pieces: how a text goes out.
    mutating func open(
        after lastID: String?, more: [EventBatch] = [], in pieces: (String) -> [[UInt8]] = { [Array($0.utf8)] }
    ) -> EventReader {
        let (stream, slot) = AsyncStream<[UInt8]>.makeStream(bufferingPolicy: .bufferingOldest(backlog))
        let number = nextReader
        nextReader += 1
        readers[number] = slot
        var texts = [EventFrame.greeting]
        if let last = lastID.flatMap(Self.stamp) {
            texts += replay.filter { $0.id.flatMap(Self.stamp).map { $0 > last } ?? false }.map(\.framed)
        }
        texts += more.map(\.frame.framed)
        for piece in texts.flatMap(pieces) { slot.yield(piece) }
        return EventReader(pieces: stream) { slot.finish() }
    }

    /// The long poll of early firmware: all that came after an id in one answer, at once where there is something, else the next
    /// frame when it comes.
    mutating func poll(after id: String?) -> AsyncStream<EventFrame> {
        let (frames, slot) = AsyncStream<EventFrame>.makeStream()
        let missed = id.flatMap(Self.stamp).map { last in
            replay.filter { $0.id.flatMap(Self.stamp).map { $0 > last } ?? false }
        }
        if let missed, let newest = missed.last {
            // Each frame is a list of containers, and so is the answer.
            let containers = missed.map { $0.data.dropFirst().dropLast() }.joined(separator: ",")
            slot.yield(EventFrame(id: newest.id, data: "[\(containers)]"))
            slot.finish()
        } else {
            polls.append(slot)
        }
        return frames
    }

    /// The second and index of an id; `nil` where it is none of ours.
    private static func stamp(_ id: String) -> (Int64, Int)? {
        let parts = id.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let second = Int64(parts[0]), let index = Int(parts[1]) else { return nil }
        return (second, index)
    }

    /// Ends every stream, and forgets the replay as a reboot does.
    mutating func close() {
        endStreams()
        replay = []
    }

    /// Ends every stream; whoever comes back is told what was missed.
    mutating func endStreams() {
        for reader in readers.values { reader.finish() }
        for poll in polls { poll.finish() }
        readers = [:]
        polls = []
    }

    /// Ids begin anew with the clock, which was set; what was told before has no place among them.
    mutating func clockWasSet() {
        lastID = (0, -1)
        replay = []
    }
}

extension JSONEncoder {
    static var wire: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
