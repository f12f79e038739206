import HueWire

/// What a PUT asks of a light or a grouped light, once it has passed the schema.
struct LampOrder: Equatable, Sendable {
    var on: Bool?
    /// Per cent.
    var brightness: Double?
    /// Points up or down.
    var step: Double?
    var mirek: Int?
    var mirekStep: Int?
    var xy: XY?
    var name: String?
    /// How long the change takes; 400 ms where nothing is said.
    var duration: Duration = .milliseconds(400)
    /// A running transition is to stop where it is.
    var stops = false

    /// Checks the body as a bridge does: the whole of it is refused where one property is unknown, of another type, or out of
    /// range (home-assistant/core#61584). Of several mistakes the first by name is told, so that two runs tell the same.
    init(_ body: JSONValue, for type: ResourceType = .light) throws(SchemaError) {
        guard let members = body.object else { throw SchemaError("Invalid Request: body is not an object") }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard type == .light || Self.forGroups.contains(name) else { throw .unknown(name) }
            switch name {
            case "on": on = try Self.need(value["on"]?.bool, "on.on")
            case "dimming":
                brightness = try Self.range(value["brightness"]?.double, 0...100, "dimming.brightness")
            case "dimming_delta":
                stops = stops || value["action"]?.string == "stop"
                let delta = value["action"]?.string == "stop" ? 0 : value["brightness_delta"]?.double
                let size = try Self.range(delta, 0...100, "dimming_delta.brightness_delta")
                step = value["action"]?.string == "down" ? -size : size
            case "color_temperature":
                // The schema of the API, not of the lamp: newer lamps go from 50 to 1000.
                mirek = Int(try Self.range(value["mirek"]?.double, 50...1000, "color_temperature.mirek"))
            case "color_temperature_delta":
                stops = stops || value["action"]?.string == "stop"
                let delta = value["action"]?.string == "stop" ? 0 : value["mirek_delta"]?.double
                let size = Int(try Self.range(delta, 0...950, "color_temperature_delta.mirek_delta"))
                mirekStep = value["action"]?.string == "down" ? -size : size
            case "color":
                let point = value["xy"]
                xy = XY(
                    x: try Self.range(point?["x"]?.double, 0...1, "color.xy.x"),
                    y: try Self.range(point?["y"]?.double, 0...1, "color.xy.y"))
            case "dynamics":
                if let duration = value["duration"] {
                    let milliseconds = try Self.range(duration.double, 0...6_000_000, "dynamics.duration")
                    self.duration = .milliseconds(Int64(milliseconds))
                }
            case "metadata": if let name = value["name"] { self.name = try Self.name(name) }
            case "type", "alert", "identify", "signaling", "effects", "effects_v2", "timed_effects", "gradient",
                "powerup":
                break  // taken, and without effect on what we show
            default:
                throw .unknown(name)
            }
        }
    }

    /// A group has a name, an effect or a start-up of its own as little as a broadcast has.
    private static let forGroups: Set<String> = [
        "type", "on", "dimming", "dimming_delta", "color_temperature", "color_temperature_delta", "color", "dynamics",
        "alert", "signaling",
    ]

    static func name(_ value: JSONValue) throws(SchemaError) -> String {
        guard let name = value.string, (1...32).contains(name.unicodeScalars.count) else {
            throw SchemaError("Invalid Request: metadata.name must be of 1 to 32 characters")
        }
        return name
    }

    private static func need<Value>(_ value: Value?, _ path: String) throws(SchemaError) -> Value {
        guard let value else { throw SchemaError("Invalid Request: \(path) is missing or of the wrong type") }
        return value
    }

    private static func range(_ value: Double?, _ range: ClosedRange<Double>, _ path: String) throws(SchemaError)
        -> Double
    {
        let value = try need(value, path)
        guard range.contains(value) else {
            throw SchemaError("Invalid Request: \(path) must be between \(range.lowerBound) and \(range.upperBound)")
        }
        return value
    }
}

struct SchemaError: Error, Equatable {
    let description: String

    init(_ description: String) { self.description = description }

    static func unknown(_ property: String) -> Self {
        Self("Invalid Request: Property [\(property)] cannot be specified for this request type")
    }
}

extension LampOrder {
    /// What the order does to one lamp, and what the bridge has to say about it. A colour wins over a white in the same body.
    func carriedOut(on lamp: Lamp, as resource: ResourceType = .light, _ id: ResourceID) -> (
        changes: [Lamp.Change], errors: [HueError]
    ) {
        var changes: [Lamp.Change] = []
        var errors: [HueError] = []
        var named: [String] = []
        func unsupported(_ attribute: String) {
            // A group passes over what some of its lamps lack.
            guard resource == .light else { return }
            errors.append(
                HueError("attribute (\(attribute)) is not supported by resource \(id)", code: "client_error"))
        }
        if let on {
            changes.append(.turning(.it(on: on)))
            named.append(".on.on")
        }
        if let percent = brightness ?? step.map({ min(max(lamp.percent + $0, 0), 100) }) {
            if lamp.kind.dims {
                changes.append(.setting(.level(to: Level.bri(percent: percent))))
                named.append(".dimming.brightness")
            } else {
                unsupported(".dimming.brightness")
            }
        }
        if let xy {
            if let gamut = lamp.kind.gamut {
                changes.append(.setting(.tint(to: .color(gamut.triangle.nearest(to: xy).rounded))))
                named.append(".color.xy")
            } else {
                unsupported(".color.xy")
            }
        } else if let mirek = mirek ?? mirekStep.map({ lamp.tone + $0 }) {
            if let whites = lamp.kind.whites {
                changes.append(.setting(.tint(to: .white(mirek: min(max(mirek, whites.minimum), whites.maximum)))))
                named.append(".color_temperature.mirek")
            } else {
                unsupported(".color_temperature.mirek")
            }
        }
        if let name { changes.append(.renaming(.it(to: name))) }
        if !lamp.hasMains {
            errors += named.map { Self.unreached(resource, id, $0) }
        } else if !lamp.isOn, on == nil, resource == .light {
            errors += named.map { Self.softOff(id, $0) }
        }
        return (changes, errors)
    }

    private static func unreached(_ type: ResourceType, _ id: ResourceID, _ attribute: String) -> HueError {
        HueError(
            "device (\(type)) \(id) has communication issues, command (\(attribute)) may not have effect",
            code: "communication_error")
    }

    private static func softOff(_ id: ResourceID, _ attribute: String) -> HueError {
        HueError(
            "device (light) \(id) is \"soft off\", command (\(attribute)) may not have effect",
            code: "attribute_may_have_no_effect")
    }
}

extension Lamp {
    /// Its white, or the white that comes nearest to its colour.
    fileprivate var tone: Int {
        switch tint {
        case let .white(mirek): mirek
        case .color, .shade: Whites.mirek(tint.point)
        case .none: 366
        }
    }
}
