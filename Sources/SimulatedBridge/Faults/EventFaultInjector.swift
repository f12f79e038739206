import FoundationEssentials
import HueWire

/// Makes the event stream what faults have it be. A value; the time is handed in.
struct EventFaultInjector: Sendable {
    private let derive: DerivedID
    /// A frame that waits for the next one to overtake it.
    private var held: EventFrame?
    private var strangers = 0

    init(derive: DerivedID) { self.derive = derive }

    /// What becomes of a frame.
    struct Outcome {
        /// What is to be told, one after the other, and in which pieces.
        var frames: [(frame: EventFrame, pieces: [[UInt8]])] = []
        /// Whether streams end after them.
        var isLast = false
    }

    mutating func bend(
        _ batch: EventHub.EventBatch, by faults: inout FaultRegistry, of home: SimulatedHome, at now: Duration
    ) -> Outcome {
        let injector = DocumentFaultInjector(home: home, derive: derive)
        var containers = faults.bend(batch.containers, .documents, .frame, at: now) { fault, containers in
            containers.compactMap { Self.bend($0, by: fault, with: injector) }
        }
        guard !containers.isEmpty else { return Outcome() }
        if faults.strike(.unknownIDs, .frame, at: now) != nil { containers += nobody(at: batch.time) }
        if faults.strike(.errorEvent, .frame, at: now) != nil {
            containers.append(container("error", [["description": "Internal error"]], at: batch.time))
        }
        let frame = EventFrame(batch.id, containers)
        var frames = [frame]
        if faults.strike(.loseEvents, .frame, at: now) != nil {
            frames = []
        } else if held == nil, faults.strike(.reorderEvents, .frame, at: now) != nil {
            held = frame
            frames = []
        } else {
            if faults.strike(.duplicateEvents, .frame, at: now) != nil { frames.append(frame) }
            if let earlier = held {
                frames.append(earlier)
                held = nil
            }
        }
        var outcome = Outcome()
        for frame in frames { outcome.frames.append((frame, encode(frame.framed, by: &faults, at: now))) }
        outcome.isLast = faults.strike(.streamEnds, .frame, at: now) != nil
        return outcome
    }

    /// Gives a held frame free.
    mutating func release() -> EventFrame? {
        defer { held = nil }
        return held
    }

    /// A text of the stream as it goes out: how lines end, and in how many pieces it comes.
    func encode(_ text: String, by faults: inout FaultRegistry, at now: Duration) -> [[UInt8]] {
        var bytes = Array(text.utf8)
        if faults.strike(.trailingBlanks, .frame, at: now) != nil {
            bytes = bytes.flatMap { $0 == UInt8(ascii: "\n") ? [0x20, 0x20, $0] : [$0] }
        }
        if faults.strike(.crlfStream, .frame, at: now) != nil {
            bytes = bytes.flatMap { $0 == UInt8(ascii: "\n") ? [0x0D, $0] : [$0] }
        }
        return faults.strike(.splitStream, .frame, at: now) == nil ? [bytes] : bytes.map { [$0] }
    }

    private static func bend(_ container: JSONValue, by fault: Fault, with injector: DocumentFaultInjector)
        -> JSONValue?
    {
        guard var members = container.object, let documents = members["data"]?.array else { return container }
        let isWhole = members["type"] == "add"
        let bent = injector.bend(documents, by: fault, isWhole ? .list : .news)
        members["data"] = .array(bent)
        return bent.isEmpty ? nil : .object(members)
    }

    /// News of a lamp and a room that nobody has heard of.
    private mutating func nobody(at time: Date) -> [JSONValue] {
        strangers += 1
        let lamp: JSONValue = [
            "type": "light", "id": .id(derive.uuid("nobody", "light/\(strangers)")), "on": ["on": true],
            "owner": .reference(derive.uuid("nobody", "device/\(strangers)"), .device),
        ]
        let room: JSONValue = ["type": "room", "id": .id(derive.uuid("nobody", "room/\(strangers)"))]
        return [container("update", [lamp], at: time), container("delete", [room], at: time)]
    }

    private func container(_ type: String, _ documents: [JSONValue], at time: Date) -> JSONValue {
        [
            "creationtime": .string(time.formatted(.iso8601)), "data": .array(documents),
            "id": .id(derive.uuid("nobody", "\(type)/\(time.timeIntervalSince1970)/\(strangers)")),
            "type": .string(type),
        ]
    }
}

extension EventFrame {
    init(_ id: String, _ containers: [JSONValue]) {
        self.init(id: id, data: String(decoding: JSONValue.array(containers).wire, as: UTF8.self))
    }
}
