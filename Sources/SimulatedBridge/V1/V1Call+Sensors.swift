import HueWire

/// `/sensors`: the bridge's own daylight sensor, the accessories, and sensors that only exist in the bridge.
extension V1Call {
    /// Real bridges take no more.
    static let mostSensors = 250

    var sensorList: JSONValue {
        .object(Dictionary(allSensors.map { ("\($0.number)", $0.document) }) { first, _ in first })
    }

    /// What API v1 knows of a sensor besides, or the whole of it where the sensor is only in the bridge.
    private func overlay(_ number: Int) -> JSONValue? { home.v1Object("/sensors/\(number)") }

    private var allSensors: [(number: Int, document: JSONValue)] {
        [(1, daylight)] + home.accessories.flatMap { $0.documentsV1(overlay) }
            + home.v1Objects.compactMap { path, value in
                path.hasPrefix("/sensors/") && value["type"] != nil ? Int(path.dropFirst(9)).map { ($0, value) } : nil
            }
    }

    var sensorCount: (all: Int, clip: Int, zll: Int) {
        let clip = home.v1Objects.filter { $0.path.hasPrefix("/sensors/") && $0.value["type"] != nil }.count
        let zll = home.accessories.reduce(0) { $0 + $1.kind.sensors }
        return (1 + clip + zll, clip, zll)
    }

    func sensors(_ path: [String]) throws(V1Failure) -> V1Outcome {
        switch (request.method, path.first, path.dropFirst().first, path.count) {
        case ("GET", nil, _, _): return .document(sensorList)
        case ("POST", nil, _, _):
            // With a body that describes a sensor it makes one, otherwise it looks for them.
            if request.body.isEmpty { return try search("/sensors") }
            let body = try V1Body(request.body, at: address)
            return body.members.allSatisfy { $0.name == "deviceid" } ? try search("/sensors") : try createSensor(body)
        case ("GET", "new", _, 1): return .document(lastScan)
        case (_, nil, _, _), (_, "new", _, 1): throw notAllowed
        case let (method, number?, part, count):
            guard count <= 2, let sensor = allSensors.first(where: { "\($0.number)" == number }) else { throw absent }
            switch (method, part) {
            case ("GET", nil): return .document(sensor.document)
            case ("PUT", nil): return try attributes(of: sensor)
            case ("DELETE", nil): return try delete(sensor)
            case ("PUT", "config"): return try config(of: sensor)
            case ("PUT", "state"): return try state(of: sensor)
            case (_, nil), (_, "config"), (_, "state"): throw notAllowed
            default: throw absent
            }
        }
    }

    // MARK: - Daylight

    private var daylight: JSONValue {
        let overlay = overlay(1)
        var config: [String: JSONValue] = ["on": true, "sunriseoffset": 30, "sunsetoffset": -30]
        config.merge(overlay?["config"]?.object ?? [:]) { $1 }
        let sun = Daylight(lat: config["lat"]?.string ?? "", long: config["long"]?.string ?? "")
        config["configured"] = .bool(sun != nil)
        // Where the bridge is, it keeps to itself.
        config["lat"] = nil
        config["long"] = nil
        let isDay = sun?.isDay(
            at: context.date, sunrise: config["sunriseoffset"]?.int ?? 0, sunset: config["sunsetoffset"]?.int ?? 0)
        return [
            "state": [
                "daylight": isDay.map { .bool($0) } ?? .null,
                "lastupdated": .string(sun == nil ? "none" : context.date.stampV1),
            ],
            "config": .object(config), "name": overlay?["name"] ?? "Daylight", "type": "Daylight",
            "modelid": "PHDL00", "manufacturername": "Signify Netherlands B.V.", "swversion": "1.0",
        ]
    }

    // MARK: - Sensors in the bridge

    private func createSensor(_ body: V1Body) throws(V1Failure) -> V1Outcome {
        let reading = V1BodyReader(address)
        var members: [String: JSONValue] = ["recycle": false]
        for (name, value) in body.members {
            switch name {
            case "name", "modelid", "swversion", "uniqueid", "manufacturername":
                members[name] = .string(try reading.text(value, name))
            case "type":
                let type = try reading.text(value, name)
                guard V1ClipSensor.fields[type] != nil else {
                    throw V1Failure(
                        V1Error(501, address: "\(address)/type", "Not allowed to create sensor type, \(type)"))
                }
                members[name] = value
            case "state", "config": members[name] = .object(try reading.object(value, name))
            case "recycle": members[name] = .bool(try reading.bool(value, name))
            default: throw reading.unknown(name)
            }
        }
        for name in ["name", "modelid", "swversion", "type", "uniqueid", "manufacturername"] where members[name] == nil
        {
            throw V1Failure(.missing(address))
        }
        let fields = V1ClipSensor.fields[members["type"]?.string ?? ""] ?? []
        for name in (members["state"]?.object ?? [:]).keys.sorted() where !fields.contains(name) {
            throw V1Failure(.unknown(name, "\(address)/state"))
        }
        guard sensorCount.all < Self.mostSensors else {
            throw V1Failure(V1Error(502, address: address, "Sensor list is full."))
        }
        var state: [String: JSONValue] = Dictionary(fields.map { ($0, .null) }) { first, _ in first }
        state.merge(members["state"]?.object ?? [:]) { $1 }
        state["lastupdated"] = .string(members["state"] == nil ? "none" : context.date.stampV1)
        members["state"] = .object(state)
        members["config"] = (["on": true, "reachable": true] as JSONValue).merging(members["config"]?.object ?? [:])
        let taken = Set(allSensors.map(\.number))
        let number = (1...).first { !taken.contains($0) } ?? 0
        return .done([.success(id: "\(number)")], [.adding(.v1Object("/sensors/\(number)", .object(members)))])
    }

    // MARK: - Changing

    private typealias Sensor = (number: Int, document: JSONValue)

    private func accessory(_ number: Int) -> Accessory? {
        home.accessories.first { ($0.number..<($0.number + $0.kind.sensors)).contains(number) }
    }

    /// Keeps what only API v1 knows of a sensor.
    private func keeping(_ sensor: Sensor, _ members: [String: JSONValue]) -> SimulatedHome.Change {
        let path = "/sensors/\(sensor.number)"
        guard let stored = home.v1Object(path) else { return .adding(.v1Object(path, .object(members))) }
        return .replacing(.v1Object(path, by: stored.merging(members)))
    }

    private func attributes(of sensor: Sensor) throws(V1Failure) -> V1Outcome {
        let reading = V1BodyReader(address)
        var changes: [SimulatedHome.Change] = []
        let items = reading.items(of: try body()) { name, value throws(V1Failure) in
            guard name == "name" else {
                throw sensor.document[name] == nil ? reading.unknown(name) : reading.fixed(name)
            }
            let text = try reading.text(value, name)
            if let thing = accessory(sensor.number), thing.number == sensor.number {
                changes.append(.updating(.accessory(thing.id, by: [.renaming(.it(to: text))])))
            } else {
                changes.append(keeping(sensor, [name: value]))
            }
            return value
        }
        return .done(items, changes)
    }

    private func config(of sensor: Sensor) throws(V1Failure) -> V1Outcome {
        let reading = V1BodyReader(address)
        let thing = accessory(sensor.number)
        let isClip = overlay(sensor.number)?["type"] != nil
        var own: [Accessory.Change] = []
        var stored: [String: JSONValue] = [:]
        var timedTasks: [TimedTask] = []
        let items = reading.items(of: try body()) { name, value throws(V1Failure) in
            let known = sensor.document["config"]?[name]
            switch name {
            case "on" where thing != nil:
                let service = thing?.serviceV1(sensor.number) ?? .device
                own.append(.enabling(.service(service, try reading.bool(value, name))))
            case "usertest" where thing != nil && known != nil:
                let isTest = try reading.bool(value, name)
                own.append(.testing(.it(isTest)))
                // It ends by itself, as API v2's identification of a sensor does.
                if isTest, let thing { timedTasks = [TimedTask(.endTest(thing.id), at: context.now + .seconds(120))] }
            case "sensitivity" where thing != nil && known != nil:
                own.append(.setting(.sensitivity(to: try reading.int(value, name, 0...4))))
            case "battery" where thing != nil, "reachable" where !isClip, "configured", "pending", "sensitivitymax":
                throw reading.fixed(name)
            case "lat" where sensor.number == 1:
                guard value.string.flatMap({ Daylight.degrees($0, "N", "S", 90) }) != nil else {
                    throw reading.invalid(value, name)
                }
                stored[name] = value
            case "long" where sensor.number == 1:
                guard value.string.flatMap({ Daylight.degrees($0, "E", "W", 180) }) != nil else {
                    throw reading.invalid(value, name)
                }
                stored[name] = value
            case "sunriseoffset", "sunsetoffset":
                guard sensor.number == 1 else { throw reading.unknown(name) }
                stored[name] = .int(try reading.int(value, name, -120...120))
            case "tholddark", "tholdoffset":
                guard known != nil else { throw reading.unknown(name) }
                stored[name] = .int(try reading.int(value, name, 0...65534))
            case "alert": stored[name] = .string(try reading.word(value, name, of: ["none", "select", "lselect"]))
            case "on", "reachable", "ledindication":
                guard known != nil else { throw reading.unknown(name) }
                stored[name] = .bool(try reading.bool(value, name))
            case "battery" where isClip: stored[name] = .int(try reading.int(value, name, 0...100))
            case "url" where isClip: stored[name] = .string(try reading.text(value, name, 0...64))
            default: throw reading.unknown(name)
            }
            return value
        }
        var changes: [SimulatedHome.Change] = []
        if let thing, !own.isEmpty { changes.append(.updating(.accessory(thing.id, by: own))) }
        if !stored.isEmpty {
            let config = (overlay(sensor.number)?["config"] ?? [:]).merging(stored)
            changes.append(keeping(sensor, ["config": config]))
        }
        var outcome = V1Outcome.done(items, changes)
        outcome.timedTasks = timedTasks
        return outcome
    }

    /// Only sensors in the bridge take a state: the others sense for themselves.
    private func state(of sensor: Sensor) throws(V1Failure) -> V1Outcome {
        let reading = V1BodyReader(address)
        let clip = overlay(sensor.number).flatMap { $0["type"]?.string }
        var state = sensor.document["state"]?.object ?? [:]
        var isTaken = false
        let items = reading.items(of: try body()) { name, value throws(V1Failure) in
            guard let clip else { throw state[name] == nil ? reading.unknown(name) : reading.fixed(name) }
            if name == "lastupdated" { throw reading.fixed(name) }
            guard V1ClipSensor.fields[clip]?.contains(name) == true else { throw reading.unknown(name) }
            guard V1ClipSensor.takes(value, for: name) else { throw reading.invalid(value, name) }
            state[name] = value
            isTaken = true
            return value
        }
        guard isTaken else { return .done(items) }
        state["lastupdated"] = .string(context.date.stampV1)
        return .done(items, [keeping(sensor, ["state": .object(state)])])
    }

    private func delete(_ sensor: Sensor) throws(V1Failure) -> V1Outcome {
        guard sensor.number != 1 else { throw notAllowed }
        guard let thing = accessory(sensor.number) else {
            return .done([.deleted(address)], [.removing(.v1Object("/sensors/\(sensor.number)"))])
        }
        // One device: its other sensors go with it.
        let numbers = thing.number..<(thing.number + thing.kind.sensors)
        return .done(
            [.deleted(address)],
            [.removing(.accessory(thing.id))] + numbers.map { .removing(.v1Object("/sensors/\($0)")) })
    }
}

/// Sensors that clients make: they sense what a client writes.
enum V1ClipSensor {
    /// The members of `state` by type.
    static let fields: [String: [String]] = [
        "CLIPGenericStatus": ["status"], "CLIPGenericFlag": ["flag"], "CLIPSwitch": ["buttonevent"],
        "CLIPOpenClose": ["open"], "CLIPPresence": ["presence"], "CLIPTemperature": ["temperature"],
        "CLIPHumidity": ["humidity"], "CLIPLightLevel": ["lightlevel", "dark", "daylight"], "Geofence": ["presence"],
    ]

    static func takes(_ value: JSONValue, for field: String) -> Bool {
        switch field {
        case "flag", "open", "presence", "dark", "daylight": value.bool != nil
        default: value.int != nil
        }
    }
}
