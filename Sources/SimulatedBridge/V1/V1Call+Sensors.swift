import HueWire

/// `/sensors`: the bridge's own daylight sensor, the accessories, and CLIP sensors, which clients create.
extension V1Call {
    private typealias Sensor = (number: Int, document: JSONValue)

    var sensorList: JSONValue {
        .object(Dictionary(allSensors.map { ("\($0.number)", $0.document) }) { first, _ in first })
    }

    private var allSensors: [Sensor] {
        [(1, daylight)] + home.accessories.flatMap { $0.documentsV1(home.v1Objects.sensorSettings) }
            + home.v1Objects.clipSensors.map { ($0.number, V1Object.clipSensor($0.object).document) }
    }

    var sensorCount: (all: Int, clip: Int, zll: Int) {
        let clip = home.v1Objects.clipSensors.count
        let zll = home.accessories.reduce(0) { $0 + $1.kind.sensors }
        return (1 + clip + zll, clip, zll)
    }

    func sensors(_ path: [String]) throws(V1Failure) -> V1Outcome {
        switch (request.method, path.first, path.dropFirst().first, path.count) {
        case ("GET", nil, _, _): return .document(sensorList)
        case ("POST", nil, _, _):
            // A body that describes a sensor creates it; any other starts a search.
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
        let settings = home.v1Objects.sensorSettings(1)
        var config: [String: JSONValue] = ["on": true, "sunriseoffset": 30, "sunsetoffset": -30]
        config.merge(settings?.config ?? [:]) { $1 }
        let sun = Daylight(lat: config["lat"]?.string ?? "", long: config["long"]?.string ?? "")
        config["configured"] = .bool(sun != nil)
        // The bridge does not reveal its location.
        config["lat"] = nil
        config["long"] = nil
        let isDay = sun?.isDay(
            at: context.date, sunrise: config["sunriseoffset"]?.int ?? 0, sunset: config["sunsetoffset"]?.int ?? 0)
        return [
            "state": [
                "daylight": isDay.map { .bool($0) } ?? .null,
                "lastupdated": .string(sun == nil ? "none" : context.date.stampV1),
            ],
            "config": .object(config), "name": .string(settings?.name ?? "Daylight"), "type": "Daylight",
            "modelid": "PHDL00", "manufacturername": "Signify Netherlands B.V.", "swversion": "1.0",
        ]
    }

    // MARK: - CLIP sensors

    private func createSensor(_ body: V1Body) throws(V1Failure) -> V1Outcome {
        let sensor = try V1ClipSensor(body, V1BodyReader(address), date: context.date.stampV1)
        guard sensorCount.all < Capacity.sensors else {
            throw V1Failure(V1Error(502, address: address, "Sensor list is full."))
        }
        let taken = Set(allSensors.map(\.number))
        let number = (1...).first { !taken.contains($0) } ?? 0
        return .done([.success(id: "\(number)")], [.adding(.v1Object("/sensors/\(number)", .clipSensor(sensor)))])
    }

    private func clipSensor(_ number: Int) -> V1ClipSensor? {
        home.v1Objects.clipSensors.first { $0.number == number }?.object
    }

    // MARK: - Changing

    private func accessory(_ number: Int) -> Accessory? {
        home.accessories.first { ($0.number..<($0.number + $0.kind.sensors)).contains(number) }
    }

    /// Stores a CLIP sensor, or the settings of another sensor.
    private func storing(_ object: V1Object, _ sensor: Sensor) -> SimulatedHome.Change {
        let path = "/sensors/\(sensor.number)"
        return home.v1Objects[path] == nil ? .adding(.v1Object(path, object)) : .replacing(.v1Object(path, by: object))
    }

    /// Changes what only API v1 knows of a sensor.
    private func changing(_ sensor: Sensor, name: String? = nil, config: [String: JSONValue] = [:])
        -> SimulatedHome.Change
    {
        if var clip = clipSensor(sensor.number) {
            clip.name = name ?? clip.name
            clip.config.merge(config) { $1 }
            return storing(.clipSensor(clip), sensor)
        }
        var settings = home.v1Objects.sensorSettings(sensor.number) ?? V1SensorSettings()
        settings.name = name ?? settings.name
        if !config.isEmpty { settings.config = (settings.config ?? [:]).merging(config) { $1 } }
        return storing(.sensorSettings(settings), sensor)
    }

    private func attributes(of sensor: Sensor) throws(V1Failure) -> V1Outcome {
        let reader = V1BodyReader(address)
        var changes: [SimulatedHome.Change] = []
        let items = reader.items(of: try body()) { name, value throws(V1Failure) in
            guard name == "name" else {
                throw sensor.document[name] == nil ? reader.unknown(name) : reader.fixed(name)
            }
            let text = try reader.text(value, name)
            if let accessory = accessory(sensor.number), accessory.number == sensor.number {
                changes.append(.updating(.accessory(accessory.id, by: [.renaming(.it(to: text))])))
            } else {
                changes.append(changing(sensor, name: text))
            }
            return value
        }
        return .done(items, changes)
    }

    private func config(of sensor: Sensor) throws(V1Failure) -> V1Outcome {
        let reader = V1BodyReader(address)
        let accessory = accessory(sensor.number)
        let isClip = clipSensor(sensor.number) != nil
        var own: [Accessory.Change] = []
        var stored: [String: JSONValue] = [:]
        var timedTasks: [TimedTask] = []
        let items = reader.items(of: try body()) { name, value throws(V1Failure) in
            let known = sensor.document["config"]?[name]
            switch name {
            case "on" where accessory != nil:
                let service = accessory?.serviceV1(sensor.number) ?? .device
                own.append(.enabling(.service(service, try reader.bool(value, name))))
            case "usertest" where accessory != nil && known != nil:
                let isTest = try reader.bool(value, name)
                own.append(.testing(.it(isTest)))
                // It ends by itself, as in API v2.
                if isTest, let accessory { timedTasks = [.endTest(of: accessory.id, startedAt: context.now)] }
            case "sensitivity" where accessory != nil && known != nil:
                own.append(.setting(.sensitivity(to: try reader.int(value, name, 0...Accessory.highestSensitivity))))
            case "battery" where accessory != nil, "reachable" where !isClip, "configured", "pending", "sensitivitymax":
                throw reader.fixed(name)
            case "lat" where sensor.number == 1:
                guard value.string.flatMap({ Daylight.degrees($0, "N", "S", 90) }) != nil else {
                    throw reader.invalid(value, name)
                }
                stored[name] = value
            case "long" where sensor.number == 1:
                guard value.string.flatMap({ Daylight.degrees($0, "E", "W", 180) }) != nil else {
                    throw reader.invalid(value, name)
                }
                stored[name] = value
            case "sunriseoffset", "sunsetoffset":
                guard sensor.number == 1 else { throw reader.unknown(name) }
                stored[name] = .int(try reader.int(value, name, -120...120))
            case "tholddark", "tholdoffset":
                guard known != nil else { throw reader.unknown(name) }
                stored[name] = .int(try reader.int(value, name, 0...65534))
            case "alert": stored[name] = .string(try reader.word(value, name, of: ["none", "select", "lselect"]))
            case "on", "reachable", "ledindication":
                guard known != nil else { throw reader.unknown(name) }
                stored[name] = .bool(try reader.bool(value, name))
            case "battery" where isClip: stored[name] = .int(try reader.int(value, name, 0...100))
            case "url" where isClip: stored[name] = .string(try reader.text(value, name, 0...64))
            default: throw reader.unknown(name)
            }
            return value
        }
        var changes: [SimulatedHome.Change] = []
        if let accessory, !own.isEmpty { changes.append(.updating(.accessory(accessory.id, by: own))) }
        if !stored.isEmpty { changes.append(changing(sensor, config: stored)) }
        var outcome = V1Outcome.done(items, changes)
        outcome.timedTasks = timedTasks
        return outcome
    }

    /// Sets the state of a CLIP sensor; the state of other sensors is not modifiable.
    private func state(of sensor: Sensor) throws(V1Failure) -> V1Outcome {
        let reader = V1BodyReader(address)
        var clip = clipSensor(sensor.number)
        let items = reader.items(of: try body()) { name, value throws(V1Failure) in
            guard let type = clip?.type else {
                throw sensor.document["state"]?[name] == nil ? reader.unknown(name) : reader.fixed(name)
            }
            if name == "lastupdated" { throw reader.fixed(name) }
            guard V1ClipSensor.fields[type]?.contains(name) == true else { throw reader.unknown(name) }
            guard V1ClipSensor.takes(value, for: name) else { throw reader.invalid(value, name) }
            clip?.state[name] = value
            return value
        }
        let isChanged = items.contains { if case .success = $0 { true } else { false } }
        guard isChanged, var clip else { return .done(items) }
        clip.state["lastupdated"] = .string(context.date.stampV1)
        return .done(items, [storing(.clipSensor(clip), sensor)])
    }

    private func delete(_ sensor: Sensor) throws(V1Failure) -> V1Outcome {
        guard sensor.number != 1 else { throw notAllowed }
        guard let accessory = accessory(sensor.number) else {
            return .done([.deleted(address)], [.removing(.v1Object("/sensors/\(sensor.number)"))])
        }
        // One device: its other sensors are removed too.
        let numbers = accessory.number..<(accessory.number + accessory.kind.sensors)
        return .done(
            [.deleted(address)],
            [.removing(.accessory(accessory.id))] + numbers.map { .removing(.v1Object("/sensors/\($0)")) })
    }
}
