import FoundationEssentials
import HueWire

/// What the event stream has to say. A first change goes out at once; those of the next second are gathered, and of each property
/// only the last value is told, as on a real bridge.
struct EventHub {
    private struct Entry {
        var identity: [String: JSONValue]
        var features: [String: JSONValue]
    }

    private var waiting: [String: Entry] = [:]
    private var order: [String] = []
    private var replay: [EventFrame] = []
    private(set) var readers: [Int: AsyncStream<[UInt8]>.Continuation] = [:]
    private var nextReader = 0
    private var lastID = (second: Int64(0), index: 0)
    /// A real bridge remembers about fifteen frames (cyclux/huepy).
    private let memory = 15
    /// How many pieces a reader may fall behind before its stream ends.
    private let backlog: Int
    var isSilent = false

    init(backlog: Int = 4096) { self.backlog = backlog }

    /// Notes what changed in a document: its identity, and the members that differ.
    mutating func note(_ old: JSONValue, _ new: JSONValue) {
        guard let before = old.object, let after = new.object, let id = after["id"]?.string else { return }
        var changed: [String: JSONValue] = [:]
        for (name, value) in after where before[name] != value { changed[name] = Self.part(name, before[name], value) }
        guard !changed.isEmpty else { return }
        let identity = after.filter { ["id", "id_v1", "type", "owner", "service_id"].contains($0.key) }
        if waiting[id] == nil { order.append(id) }
        var entry = waiting[id] ?? Entry(identity: identity, features: [:])
        for (name, value) in changed {
            if case let .object(news) = value, case let .object(olds)? = entry.features[name] {
                entry.features[name] = .object(olds.merging(news) { $1 })
            } else {
                entry.features[name] = value
            }
        }
        waiting[id] = entry
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

    /// Sends what was gathered, as one frame.
    mutating func flush(at time: Date) {
        guard !waiting.isEmpty else { return }
        let data = order.compactMap { waiting[$0] }.map { JSONValue.object($0.identity.merging($0.features) { $1 }) }
        waiting = [:]
        order = []
        // Never back, also where the clock is set back: whoever resumes compares.
        let second = max(Int64(time.timeIntervalSince1970), lastID.second)
        lastID = second == lastID.second ? (second, lastID.index + 1) : (second, 0)
        let container: JSONValue = [
            "creationtime": .string(time.formatted(.iso8601)), "data": .array(data),
            "id": .string(UUID().uuidString.lowercased()), "type": "update",
        ]
        // Cannot fail: documents hold no number that is none.
        guard let text = try? JSONEncoder.wire.encode([container]) else { return }
        let frame = EventFrame(id: "\(lastID.second):\(lastID.index)", data: String(decoding: text, as: UTF8.self))
        replay = (replay + [frame]).suffix(memory)
        guard !isSilent else { return }
        for (number, reader) in readers {
            if case .enqueued = reader.yield(Array(frame.framed.utf8)) { continue }
            // Gone, or so slow that what it would read is old.
            reader.finish()
            readers[number] = nil
        }
    }

    /// Opens a stream: a greeting at once, then what came after `lastID` as far as it is remembered, without a word about gaps:
    /// after an id that has been forgotten comes all that is left.
    mutating func open(after lastID: String?) -> AsyncStream<[UInt8]> {
        let (pieces, slot) = AsyncStream<[UInt8]>.makeStream(bufferingPolicy: .bufferingOldest(backlog))
        let number = nextReader
        nextReader += 1
        readers[number] = slot
        slot.yield(Array(EventFrame.greeting.utf8))
        if let last = lastID.flatMap(Self.stamp) {
            for frame in replay where frame.id.flatMap(Self.stamp).map({ $0 > last }) ?? false {
                slot.yield(Array(frame.framed.utf8))
            }
        }
        return pieces
    }

    /// The second and index of an id; `nil` where it is none of ours.
    private static func stamp(_ id: String) -> (Int64, Int)? {
        let parts = id.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let second = Int64(parts[0]), let index = Int(parts[1]) else { return nil }
        return (second, index)
    }

    /// Ends every stream, and forgets the replay as a reboot does.
    mutating func close() {
        for reader in readers.values { reader.finish() }
        readers = [:]
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
