import FoundationEssentials
import HueWire
import Khipu
import Lighting

/// What a bridge has reported of one device with sensors or buttons so far, in the bridge's words. Each of its parts is a
/// resource of its own.
///
/// Whether something has just happened is decided here, by the bridge's own times: a bridge repeats what it reported
/// before after a reconnect or a restart, and a stream may repeat, hold back or lose a report.
struct SensorMirror: Equatable, Sendable {
    /// What brought a report.
    enum Occasion: Equatable, Sendable {
        /// An event, which the bridge made at this time of its clock.
        case event(created: ReportTime?)
        /// It was read, because the bridge has no event stream: what is new has happened since the last time.
        case poll
        /// It was read, to be on the safe side: what is new may have happened at any time.
        case read
    }

    /// What a report means.
    enum Meaning: Equatable, Sendable {
        /// It has just happened.
        case happened(Sensor.Report)
        /// It is so, and was not known.
        case differs
    }

    struct Part: Equatable, Sendable {
        let type: ResourceType
        let control: Int?
        var isEnabled: Bool
        var report: SensorReport?
        /// When it became so, as we know it.
        var since: Timestamp
        /// The last presses that were told, so that none is told again.
        var told: [SensorReport] = []
    }

    let device: ResourceID
    private(set) var parts: [ResourceID: Part] = [:]
    private var order: [ResourceID] = []
    var isReachable = true
    /// `nil` unless it is an area whose lamps notice who moves, and no device.
    var area: Area?

    /// Whether an area notices anything (home-assistant/core#152937: what it reports otherwise is old).
    struct Area: Equatable, Sendable {
        var isEnabled = true
        var isRunning = true
    }

    /// An event comes within a second or two of what it reports. What it reports is older if the bridge repeats it.
    static let delay = 10.0
    /// A report that is older than the known one has been overtaken by it; but not if it is much older: then the bridge's
    /// clock was set back.
    static let disorder = 60.0
    private static let maximumReported = 8

    init(_ device: ResourceID) { self.device = device }

    /// Whether it is something that people ask about, and not only the battery of a lamp.
    var isSensor: Bool { area != nil || parts.values.contains { $0.type != .devicePower } }

    /// What has to be told of it to let it report, or not: an area as a whole, of a device each part that notices or
    /// measures something.
    func parts(toEnable isEnabled: Bool) -> [(type: ResourceType, id: ResourceID)] {
        if let area { return area.isEnabled == isEnabled ? [] : [(.motionArea, device)] }
        let types: Set<ResourceType> = [.motion, .cameraMotion, .contact, .lightLevel, .temperature]
        return order.compactMap { id in parts[id].map { (id, $0) } }
            .filter { types.contains($1.type) && $1.isEnabled != isEnabled }.map { ($1.type, $0) }
    }

    // MARK: - What the bridge reports

    /// Takes in a part that was not known.
    ///
    /// - Parameter before: what was known of the device before everything was read anew.
    mutating func add(_ resource: SensorResource, knownBefore before: Self?, at time: Timestamp) {
        var part = Part(
            type: resource.type, control: resource.control, isEnabled: resource.isEnabled ?? true, report: nil,
            since: time)
        if let known = before?.parts[resource.id], known.type == part.type {
            (part.report, part.since, part.told) = (known.report, known.since, known.told)
        }
        if parts.updateValue(part, forKey: resource.id) == nil { order.append(resource.id) }
        _ = hear(resource, .read, at: time)
        // Nothing is known any more of a state that is not reported; a press stays one.
        if resource.report == nil, ![.button, .rotary].contains(resource.type) { parts[resource.id]?.report = nil }
    }

    mutating func remove(_ part: ResourceID) {
        parts[part] = nil
        order.removeAll { $0 == part }
    }

    /// Whether a report says something that has just happened.
    func isNews(_ resource: SensorResource, _ occasion: Occasion) -> Bool {
        guard let known = parts[resource.id], let report = resource.report, !known.knows(report) else { return false }
        return report.isFresh(occasion, after: known.report)
    }

    /// Takes in what an event or an answer says of a part.
    ///
    /// - Returns: `nil` if it says nothing new.
    mutating func hear(_ resource: SensorResource, _ occasion: Occasion, at time: Timestamp) -> Meaning? {
        // A switch whose bridge does not say how many buttons it has, as deCONZ: one is known when it is pressed.
        if parts[resource.id] == nil, resource.type == .button, occasion == .poll {
            parts[resource.id] = Part(
                type: .button, control: resource.control, isEnabled: resource.isEnabled ?? true, report: nil,
                since: time)
            order.append(resource.id)
        }
        guard var part = parts[resource.id] else { return nil }
        let seen = areaMotion
        defer { parts[resource.id] = part }
        var differs = false
        if let isEnabled = resource.isEnabled, isEnabled != part.isEnabled {
            part.isEnabled = isEnabled
            // What it reported before is old when it is enabled again.
            if !isEnabled, part.report?.isMomentary == false { part.report = nil }
            differs = true
        }
        let unchanged: Meaning? = differs ? .differs : nil
        guard let report = resource.report, !part.knows(report) else { return unchanged }
        // A bridge goes on to say what a disabled sensor reported last.
        guard part.isEnabled || report.isMomentary else { return unchanged }
        let isFresh = report.isFresh(occasion, after: part.report)
        let isOvertaken = report.isOvertaken(by: part.report)
        let (before, last) = (part.report?.value, part.report?.time)
        if !isOvertaken {
            part.report = report
            if report.value != before || report.isMomentary {
                part.since = isFresh ? time : min(report.time.flatMap(Timestamp.init) ?? time, time)
            }
        }
        if report.isMomentary {
            guard isFresh, let told = domainReport(report, of: resource.id, after: last) else {
                return unchanged ?? .differs
            }
            part.told = part.told.suffix(Self.maximumReported - 1) + [report]
            return .happened(told)
        }
        guard !isOvertaken, report.value != before else { return unchanged }
        if area != nil {
            parts[resource.id] = part
            // The other service may be the one that counts.
            guard let now = areaMotion else { return seen == nil ? unchanged : .differs }
            guard now.value != seen?.value else { return unchanged }
            return isFresh && !differs && now.part == resource.id
                ? .happened(Sensor.Report(motion: now.value)) : .differs
        }
        // What comes with the news that it is enabled may be older than that.
        guard isFresh, !differs, let told = domainReport(report, of: resource.id, after: last) else { return .differs }
        return .happened(told)
    }

    /// - Parameter last: the time of what the part reported before.
    private func domainReport(
        _ report: SensorReport, of part: ResourceID, after last: ReportTime?
    ) -> Sensor.Report? {
        switch report.value {
        case let .motion(isSeen): Sensor.Report(motion: isSeen)
        case let .contact(isClosed): Sensor.Report(contact: isClosed ? .closed : .open)
        case let .tampering(isTampered): Sensor.Report(tampering: isTampered)
        case let .lightLevel(lux): Sensor.Report(lightLevel: lux)
        case let .temperature(degrees): Sensor.Report(temperature: degrees)
        case let .battery(level): Sensor.Report(battery: level / 100)
        case let .rotation(steps): Sensor.Report(rotation: steps)
        case let .button(event):
            ButtonPress(event: event).flatMap { press in
                let seconds = last.flatMap { report.time?.seconds(since: $0) }
                let pause = seconds.flatMap { $0 < 0 ? nil : Duration.seconds($0) }
                return number(of: part).map {
                    Sensor.Report(press: Sensor.Report.Pressed($0, press, after: press.isRelease ? pause : nil))
                }
            }
        }
    }

    // MARK: - In the domain's words

    /// What an area has noticed: unknown unless it is switched on and its lamps are able to; else what the first service
    /// says that is switched on and has a valid report, that for convenience before that for security.
    private var areaMotion: (part: ResourceID, value: Bool, since: Timestamp)? {
        guard let area, area.isEnabled, area.isRunning else { return nil }
        let services = [ResourceType.convenienceMotion, .securityMotion].flatMap { type in
            order.filter { parts[$0]?.type == type && parts[$0]?.isEnabled == true }
        }
        return services.lazy.compactMap { id in
            guard let part = parts[id], case let .motion(isSeen)? = part.report?.value else { return nil }
            return (id, isSeen, part.since)
        }.first
    }

    /// The buttons in their order, each with its number from 1: the one that the bridge gives it, if it gives each its
    /// own.
    private var buttons: [(part: ResourceID, number: Int)] {
        let all = order.filter { parts[$0]?.type == .button }
        let controls = all.map { parts[$0]?.control ?? 0 }
        let isNumbered = controls.allSatisfy { $0 > 0 } && Set(controls).count == all.count
        return zip(all, isNumbered ? controls : Array(1...max(all.count, 1))).map { ($0, $1) }
            .sorted { $0.number < $1.number }
    }

    private func number(of button: ResourceID) -> Int? { buttons.first { $0.part == button }?.number }

    /// - Parameter name: the device's.
    func sensor(_ id: Sensor.ID, name: String, product: String?, in room: Room.ID?) -> Sensor {
        func reading<Value>(
            _ types: ResourceType..., value: (SensorReport.Value) -> Value?
        ) -> Sensor.Reading<Value>? {
            guard let part = order.lazy.compactMap({ parts[$0] }).first(where: { types.contains($0.type) }) else {
                return nil
            }
            return part.report.flatMap { value($0.value) }.map { Sensor.Reading($0, at: part.since) }
        }
        return Sensor(
            id: id, name: name, product: product, room: room,
            abilities: Set(parts.values.compactMap { Sensor.Ability($0.type) }),
            motion: area == nil
                ? reading(.motion, .cameraMotion) { if case let .motion(isSeen) = $0 { isSeen } else { nil } }
                : areaMotion.map { Sensor.Reading($0.value, at: $0.since) },
            contact: reading(.contact) {
                if case let .contact(isClosed) = $0 { isClosed ? .closed : .open } else { nil }
            },
            tampering: reading(.tamper) { if case let .tampering(isTampered) = $0 { isTampered } else { nil } },
            lightLevel: reading(.lightLevel) { if case let .lightLevel(lux) = $0 { lux } else { nil } },
            temperature: reading(.temperature) { if case let .temperature(degrees) = $0 { degrees } else { nil } },
            battery: reading(.devicePower) { if case let .battery(level) = $0 { level / 100 } else { nil } },
            buttons: buttons.map { part, number in
                guard let known = parts[part], case let .button(event)? = known.report?.value else {
                    return Sensor.Button(number)
                }
                return Sensor.Button(
                    number, last: ButtonPress(event: event).map { Sensor.Reading($0, at: known.since) })
            },
            dial: reading(.rotary) { if case let .rotation(steps) = $0 { steps } else { nil } },
            isEnabled: area?.isEnabled ?? parts.values.allSatisfy { $0.isEnabled || $0.type == .devicePower },
            isReachable: isReachable && area?.isRunning != false)
    }
}

extension SensorMirror.Part {
    /// Whether this is a report that came before. Without its time a press cannot be told from the last one.
    fileprivate func knows(_ report: SensorReport) -> Bool { report == self.report || told.contains(report) }
}

extension SensorReport {
    /// Whether it says what happened, not what is so.
    var isMomentary: Bool {
        switch value {
        case .button, .rotation: true
        case .motion, .contact, .tampering, .lightLevel, .temperature, .battery: false
        }
    }

    fileprivate func isOvertaken(by known: Self?) -> Bool {
        guard let time, let age = known?.time?.seconds(since: time) else { return false }
        return age > 0 && age < SensorMirror.disorder
    }

    fileprivate func isFresh(_ occasion: SensorMirror.Occasion, after known: Self?) -> Bool {
        // One that does not say when may be any press.
        if isMomentary, time == nil { return false }
        switch occasion {
        case let .event(created: created):
            guard let time, let delay = created?.seconds(since: time) else { return true }
            return abs(delay) < SensorMirror.delay
        case .poll:
            guard isMomentary, let time, let progress = known?.time.flatMap({ time.seconds(since: $0) }) else {
                return true
            }
            return progress >= 0
        case .read: return false
        }
    }
}

extension ButtonPress {
    /// By API v2's name; `nil` for a newer one.
    fileprivate init?(event: String) {
        switch event {
        case "initial_press": self = .pressed
        case "repeat": self = .held
        case "short_release": self = .released
        case "long_press": self = .longPressed
        case "long_release": self = .releasedLong
        case "double_short_release": self = .releasedTwice
        default: return nil
        }
    }
}

extension ButtonPress {
    fileprivate var isRelease: Bool {
        switch self {
        case .released, .releasedLong, .releasedTwice: true
        case .pressed, .held, .longPressed: false
        }
    }
}

extension Sensor.Ability {
    /// `nil` for a button.
    fileprivate init?(_ type: ResourceType) {
        switch type {
        case .motion, .cameraMotion, .convenienceMotion, .securityMotion: self = .motion
        case .contact: self = .contact
        case .tamper: self = .tampering
        case .lightLevel: self = .lightLevel
        case .temperature: self = .temperature
        case .devicePower: self = .battery
        case .rotary: self = .dial
        default: return nil
        }
    }
}

extension Timestamp {
    init?(_ time: ReportTime) {
        guard let date = time.date else { return nil }
        self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded()))
    }
}

/// Sensors and switches: each is a device, whose parts are resources of their own.
extension HomeResources {
    /// What its sensors tell when something happens, and not only measure.
    var sensorTypes: [ResourceType] {
        let all = Set(sensors.values.flatMap { $0.parts.values.map(\.type) })
        return [.motion, .cameraMotion, .convenienceMotion, .securityMotion, .contact, .button, .rotary]
            .filter(all.contains)
    }

    /// Whether a sensor has come or gone, by all of these types.
    func hasOtherSensors(than resources: [Resource], of types: [ResourceType]) -> Bool {
        let read = resources.compactMap {
            if case let .sensor(part) = $0, types.contains(part.type) { device(of: part) } else { nil }
        }
        let known = sensors.values.filter { $0.parts.values.contains { types.contains($0.type) } }.map(\.device)
        return Set(read) != Set(known)
    }

    /// The device that a resource is a part of.
    func device(of part: SensorResource) -> ResourceID? { part.owner?.rid ?? deviceOfPart[part.id] }

    /// Whether a person or a sensor has just done something, by what is reported of this part.
    func isNews(_ part: SensorResource, _ occasion: SensorMirror.Occasion) -> Bool {
        device(of: part).flatMap { sensors[$0] }?.isNews(part, occasion) ?? false
    }

    subscript(sensor device: ResourceID) -> Sensor.ID { Sensor.ID(bridge, device) }

    /// In the bridge's order.
    var allSensors: [Sensor] {
        var rooms: [ResourceID: Room.ID] = [:]
        for (id, group) in groups where group.kind == .room {
            for child in group.children { rooms[child.rid] = Room.ID(bridge, id) }
        }
        for area in areaRooms.keys { rooms[area] = room(of: area) }
        return sensorOrder.compactMap { sensor($0, in: rooms[$0]) }
    }

    /// `nil` if the device is none.
    func sensor(_ device: ResourceID) -> Sensor? { sensor(device, in: room(of: device)) }

    private func sensor(_ device: ResourceID, in room: Room.ID?) -> Sensor? {
        guard let known = sensors[device], known.isSensor else { return nil }
        return known.sensor(
            self[sensor: device], name: deviceName(device) ?? "Sensor", product: products[device], in: room)
    }

    /// The room that a device or an area is in; zones have no devices.
    private func room(of device: ResourceID) -> Room.ID? {
        if let room = areaRooms[device] { return groups[room]?.kind == .room ? Room.ID(bridge, room) : nil }
        return groups.first { $0.value.kind == .room && $0.value.children.contains { $0.rid == device } }
            .map { Room.ID(bridge, $0.key) }
    }
}
