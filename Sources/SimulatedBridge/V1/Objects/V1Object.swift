import FoundationEssentials
import HueWire
import OrderedCollections

/// An object that only API v1 knows. Its document is what API v1 shows and what saved state holds.
public enum V1Object: Equatable, Sendable {
    case schedule(V1Schedule)
    case rule(V1Rule)
    case resourceLink(V1ResourceLink)
    case lightGroup(V1LightGroup)
    case clipSensor(V1ClipSensor)
    /// The name and settings that API v1 gave to a sensor of an accessory, or to the bridge's daylight sensor.
    case sensorSettings(V1SensorSettings)

    var document: JSONValue {
        switch self {
        case let .schedule(schedule): JSONValue(encoding: schedule)
        case let .rule(rule): JSONValue(encoding: rule)
        case let .resourceLink(link): JSONValue(encoding: link)
        case let .lightGroup(group): JSONValue(encoding: group)
        case let .clipSensor(sensor): JSONValue(encoding: sensor)
        case let .sensorSettings(settings): JSONValue(encoding: settings)
        }
    }

    /// Reads an object of saved state; `nil` if the document does not belong at that path.
    fileprivate init?(path: String, document: JSONValue) {
        let object: Self? =
            switch path.split(separator: "/").first {
            case "schedules": document.decoded().map { .schedule($0) }
            case "rules": document.decoded().map { .rule($0) }
            case "resourcelinks": document.decoded().map { .resourceLink($0) }
            case "groups": document.decoded().map { .lightGroup($0) }
            case "sensors" where document["type"] != nil: document.decoded().map { .clipSensor($0) }
            case "sensors": document.decoded().map { .sensorSettings($0) }
            default: nil
            }
        guard let object else { return nil }
        self = object
    }
}

/// The objects of API v1 by path: "/schedules/1", "/sensors/8".
struct V1Objects: Equatable, Sendable {
    private var objects: OrderedDictionary<String, V1Object> = [:]

    var paths: [String] { Array(objects.keys) }

    subscript(_ path: String) -> V1Object? { objects[path] }

    func with(_ object: V1Object, at path: String) -> Self {
        var copy = self
        copy.objects[path] = object
        return copy
    }

    func without(_ path: String) -> Self {
        var copy = self
        copy.objects[path] = nil
        return copy
    }

    /// All objects of one kind with their numbers, oldest first.
    func all<Object>(_ pick: (V1Object) -> Object?) -> [(number: Int, object: Object)] {
        objects.compactMap { path, object in
            guard let picked = pick(object), let number = path.split(separator: "/").last.flatMap({ Int($0) }) else {
                return nil
            }
            return (number, picked)
        }
    }

    var lightGroups: [(number: Int, object: V1LightGroup)] {
        all { if case let .lightGroup(group) = $0 { group } else { nil } }
    }

    var clipSensors: [(number: Int, object: V1ClipSensor)] {
        all { if case let .clipSensor(sensor) = $0 { sensor } else { nil } }
    }

    /// The settings of a sensor that is not a CLIP sensor.
    func sensorSettings(_ number: Int) -> V1SensorSettings? {
        if case let .sensorSettings(settings)? = objects["/sensors/\(number)"] { settings } else { nil }
    }
}

extension V1Objects: Codable {
    init(from decoder: any Decoder) throws {
        for (path, document) in try OrderedDictionary<String, JSONValue>(from: decoder) {
            guard let object = V1Object(path: path, document: document) else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "'\(path)' is not an object of API v1"))
            }
            objects[path] = object
        }
    }

    func encode(to encoder: any Encoder) throws { try objects.mapValues(\.document).encode(to: encoder) }
}

/// A list of lights that is neither a room nor a zone. API v2 does not know it.
public struct V1LightGroup: Codable, Equatable, Sendable {
    var name: String
    /// Numbers of lights.
    var lights: [String]
    /// The last command to the group.
    var action: LightState

    init(_ name: String, _ lamps: [Lamp], action: LightState = LightState(tint: .white(mirek: 366))) {
        self.name = name
        lights = lamps.map { "\($0.number)" }
        self.action = action
    }
}

extension JSONValue {
    init(encoding value: some Encodable) {
        // Encoding fails only for NaN and infinities, which no object holds.
        self = (try? JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))) ?? .null
    }

    fileprivate func decoded<Value: Decodable>() -> Value? {
        try? JSONDecoder().decode(Value.self, from: Data(wire))
    }
}
