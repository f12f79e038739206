import FoundationEssentials
import HueWire
import ServerSentEvents

/// Applies faults to frames of the event stream. A value; the time is a parameter.
struct EventFaultInjector: Sendable {
    private let derive: DerivedID
    /// A frame that is held back until the next one has been sent.
    private var held: ServerSentEvent?
    private var unknownResources = 0
    /// What a frame has left out of effects, for the next one.
    private var lateEffects: [JSONValue] = []

    /// Whether something waits for the next frame.
    var awaitsFrame: Bool { holdsFrame || !lateEffects.isEmpty }

    /// Whether a frame is held back. Its fault counts as triggered only when the next frame has been sent.
    var holdsFrame: Bool { held != nil }

    init(derive: DerivedID) { self.derive = derive }

    /// What is sent instead of a frame.
    struct Replacement {
        /// The frames, one after the other, and the pieces of each.
        var frames: [(frame: ServerSentEvent, pieces: [[UInt8]])] = []
        /// Whether the streams end after them.
        var isLast = false
    }

    mutating func apply(
        _ faults: inout FaultRegistry, to batch: EventHub.EventBatch, of home: SimulatedHome, at now: Duration
    ) -> Replacement {
        let injector = DocumentFaultInjector(home: home, derive: derive)
        var containers = faults.applying(.documents, to: batch.containers, .frame, at: now) { fault, containers in
            containers.compactMap { Self.apply(fault, to: $0, injector) }
        }
        guard !containers.isEmpty else { return Replacement() }
        let late = lateEffects
        lateEffects = []
        if faults.trigger(.lateEffects, .frame, at: now) != nil {
            (containers, lateEffects) = Self.withoutEffects(containers)
        }
        containers = late + containers
        guard !containers.isEmpty else { return Replacement() }
        if faults.trigger(.unknownIDs, .frame, at: now) != nil {
            containers += eventsOfUnknownResources(at: batch.time)
        }
        if faults.trigger(.errorEvent, .frame, at: now) != nil {
            containers.append(container("error", [["description": "Internal error"]], at: batch.time))
        }
        let frame = ServerSentEvent(batch.id, containers)
        var frames = [frame]
        if faults.trigger(.loseEvents, .frame, at: now) != nil {
            frames = []
        } else if held == nil, faults.concerns(.reorderEvents, .frame, at: now) {
            held = frame
            frames = []
        } else {
            if faults.trigger(.duplicateEvents, .frame, at: now) != nil { frames.append(frame) }
            if let earlier = release() {
                frames.append(earlier)
                faults.countStrike(.reorderEvents, at: now)
            }
        }
        var replacement = Replacement()
        for frame in frames { replacement.frames.append((frame, encode(frame.framed, by: &faults, at: now))) }
        replacement.isLast = faults.trigger(.streamEnds, .frame, at: now) != nil
        return replacement
    }

    /// Returns the frame that is held back, if any.
    mutating func release() -> ServerSentEvent? {
        defer { held = nil }
        return held
    }

    /// Encodes a text of the stream, with the line endings and in the pieces that the faults ask for.
    func encode(_ text: String, by faults: inout FaultRegistry, at now: Duration) -> [[UInt8]] {
        var bytes = Array(text.utf8)
        if faults.trigger(.trailingBlanks, .frame, at: now) != nil {
            bytes = bytes.flatMap { $0 == UInt8(ascii: "\n") ? [0x20, 0x20, $0] : [$0] }
        }
        if faults.trigger(.crlfStream, .frame, at: now) != nil {
            bytes = bytes.flatMap { $0 == UInt8(ascii: "\n") ? [0x0D, $0] : [$0] }
        }
        return faults.trigger(.splitStream, .frame, at: now) == nil ? [bytes] : bytes.map { [$0] }
    }

    private static func apply(_ fault: Fault, to container: JSONValue, _ injector: DocumentFaultInjector) -> JSONValue?
    {
        guard var members = container.object, let documents = members["data"]?.array else { return container }
        let isWhole = members["type"] == "add"
        let altered = injector.apply(fault, to: documents, isWhole ? .all : .changes)
        members["data"] = .array(altered)
        return altered.isEmpty ? nil : .object(members)
    }

    /// Updates without what they say of effects, and that as updates of its own.
    private static func withoutEffects(_ containers: [JSONValue]) -> (rest: [JSONValue], effects: [JSONValue]) {
        let features: Set = ["effects", "effects_v2", "timed_effects"]
        let names: Set = ["id", "id_v1", "owner", "type"]
        var (rest, effects): ([JSONValue], [JSONValue]) = ([], [])
        for container in containers {
            guard container["type"] == "update", var members = container.object, let data = members["data"]?.array
            else {
                rest.append(container)
                continue
            }
            /// The container with these members of its documents; `nil` if none has any.
            func part(_ isMeant: (String) -> Bool) -> JSONValue? {
                let documents = data.compactMap { document -> JSONValue? in
                    let kept = document.object?.filter { names.contains($0.key) || isMeant($0.key) } ?? [:]
                    return kept.keys.contains(where: isMeant) ? .object(kept) : nil
                }
                members["data"] = .array(documents)
                return documents.isEmpty ? nil : .object(members)
            }
            rest += [part { !names.contains($0) && !features.contains($0) }].compactMap(\.self)
            effects += [part(features.contains)].compactMap(\.self)
        }
        return (rest, effects)
    }

    /// An update and a deletion of resources that do not exist.
    private mutating func eventsOfUnknownResources(at time: Date) -> [JSONValue] {
        unknownResources += 1
        let lamp: JSONValue = [
            "type": "light", "id": .id(derive.uuid("nobody", "light/\(unknownResources)")), "on": ["on": true],
            "owner": .reference(derive.uuid("nobody", "device/\(unknownResources)"), .device),
        ]
        let room: JSONValue = ["type": "room", "id": .id(derive.uuid("nobody", "room/\(unknownResources)"))]
        return [container("update", [lamp], at: time), container("delete", [room], at: time)]
    }

    /// The last press of every button and the last turn of every ring, as an event reports them.
    static func lastPresses(in home: SimulatedHome) -> [JSONValue] {
        home.accessories.flatMap(\.documents).compactMap { document in
            guard let members = document.object else { return nil }
            let report = members["button"]?["button_report"] ?? members["relative_rotary"]?["rotary_report"]
            guard report != nil else { return nil }
            return .object(
                members.filter { ["id", "id_v1", "owner", "type", "button", "relative_rotary"].contains($0.key) })
        }
    }

    private func container(_ type: String, _ documents: [JSONValue], at time: Date) -> JSONValue {
        [
            "creationtime": .string(time.formatted(.iso8601)), "data": .array(documents),
            "id": .id(derive.uuid("nobody", "\(type)/\(time.timeIntervalSince1970)/\(unknownResources)")),
            "type": .string(type),
        ]
    }
}

extension ServerSentEvent {
    init(_ id: String, _ containers: [JSONValue]) {
        self.init(id: id, data: String(decoding: JSONValue.array(containers).wire, as: UTF8.self))
    }
}
