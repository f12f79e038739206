import HueWire

/// A sensor that a client creates, and whose state clients write.
public struct V1ClipSensor: Codable, Equatable, Sendable {
    var name: String
    var type: String
    var modelid: String
    var swversion: String
    var uniqueid: String
    var manufacturername: String
    var state: [String: JSONValue]
    var config: [String: JSONValue]
    var recycle: Bool

    /// The members of `state`, by type.
    static let fields: [String: [String]] = [
        "CLIPGenericStatus": ["status"], "CLIPGenericFlag": ["flag"], "CLIPSwitch": ["buttonevent"],
        "CLIPOpenClose": ["open"], "CLIPPresence": ["presence"], "CLIPTemperature": ["temperature"],
        "CLIPHumidity": ["humidity"], "CLIPLightLevel": ["lightlevel", "dark", "daylight"], "Geofence": ["presence"],
    ]

    /// Whether a member of `state` takes a value.
    static func takes(_ value: JSONValue, for field: String) -> Bool {
        switch field {
        case "flag", "open", "presence", "dark", "daylight": value.bool != nil
        default: value.int != nil
        }
    }

    /// A new sensor from a body.
    ///
    /// - Parameter date: the time of its first state.
    init(_ body: V1Body, _ reader: V1BodyReader, date: String) throws(V1Failure) {
        var texts: [String: String] = [:]
        var sentState: [String: JSONValue]?
        var sentConfig: [String: JSONValue] = [:]
        recycle = false
        for (name, value) in body.members {
            switch name {
            case "name", "modelid", "swversion", "uniqueid", "manufacturername":
                texts[name] = try reader.text(value, name)
            case "type":
                let type = try reader.text(value, name)
                guard Self.fields[type] != nil else {
                    throw V1Failure(
                        V1Error(501, address: "\(reader.address)/type", "Not allowed to create sensor type, \(type)"))
                }
                texts[name] = type
            case "state": sentState = try reader.object(value, name)
            case "config": sentConfig = try reader.object(value, name)
            case "recycle": recycle = try reader.bool(value, name)
            default: throw reader.unknown(name)
            }
        }
        func required(_ name: String) throws(V1Failure) -> String {
            guard let text = texts[name] else { throw V1Failure(.missing(reader.address)) }
            return text
        }
        name = try required("name")
        modelid = try required("modelid")
        swversion = try required("swversion")
        type = try required("type")
        uniqueid = try required("uniqueid")
        manufacturername = try required("manufacturername")
        let fields = Self.fields[type] ?? []
        for name in (sentState ?? [:]).keys.sorted() where !fields.contains(name) {
            throw V1Failure(.unknown(name, "\(reader.address)/state"))
        }
        state = Dictionary(fields.map { ($0, .null) }) { first, _ in first }
        state.merge(sentState ?? [:]) { $1 }
        state["lastupdated"] = .string(sentState == nil ? "none" : date)
        config = ["on": true, "reachable": true]
        config.merge(sentConfig) { $1 }
    }
}

/// The name and settings that API v1 gave to a sensor that is not a CLIP sensor.
public struct V1SensorSettings: Codable, Equatable, Sendable {
    var name: String?
    var config: [String: JSONValue]?
}
