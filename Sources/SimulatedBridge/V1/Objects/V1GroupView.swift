import HueWire

/// A group as API v1 shows it: a room, a zone, an entertainment configuration, or a light group, which API v2 does not
/// know.
struct V1GroupView: Sendable {
    enum Origin: Sendable {
        case group(SimulatedHome.Group)
        /// An entertainment configuration.
        case area(ResourceID, JSONValue)
        case list(V1LightGroup)
    }

    let origin: Origin
    let number: Int
    let name: String
    /// The lamps that the bridge still has.
    let lamps: [Lamp]
    /// The last command to the group.
    let action: LightState

    var path: String { "/groups/\(number)" }

    /// "Room", "Zone", "LightGroup" or "Entertainment".
    var type: String {
        switch origin {
        case let .group(group): group.kind == .room ? "Room" : group.kind == .zone ? "Zone" : "LightGroup"
        case .area: "Entertainment"
        case .list: "LightGroup"
        }
    }

    init(_ group: SimulatedHome.Group, in home: SimulatedHome) {
        origin = .group(group)
        number = group.number
        name = group.kind == .bridgeHome ? "Group 0" : group.name
        lamps = group.kind == .bridgeHome ? home.lamps : home.lamps(of: group)
        action = group.action
    }

    init?(area id: ResourceID, _ document: JSONValue, in home: SimulatedHome) {
        guard document["type"] == "entertainment_configuration",
            let number = document["id_v1"]?.string?.groupNumber
        else { return nil }
        origin = .area(id, document)
        self.number = number
        name = document["metadata"]?["name"]?.string ?? ""
        let places = document["locations"]?["service_locations"]?.array ?? []
        let services = Set(places.compactMap { $0["service"]?["rid"]?.string })
        lamps = home.lamps.filter { services.contains($0.ids.entertainment.description) }
        action = lamps.first?.lightState ?? LightState(tint: .none)
    }

    init(list: V1LightGroup, number: Int, in home: SimulatedHome) {
        origin = .list(list)
        self.number = number
        name = list.name
        lamps = list.lights.compactMap { Int($0) }.compactMap { home.lamp(number: $0) }
        action = list.action
    }
}

extension V1GroupView {
    func document(in home: SimulatedHome) -> JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(name), "lights": .array(lamps.map { .string("\($0.number)") }),
            "sensors": .array(sensors(in: home).map { .string("\($0)") }), "type": .string(type), "recycle": false,
            "state": [
                "all_on": .bool(!lamps.isEmpty && lamps.allSatisfy(\.isOn)),
                "any_on": .bool(lamps.contains(where: \.isOn)),
            ],
            "action": .object(shownAction),
        ]
        switch origin {
        case let .group(group) where group.kind != .bridgeHome:
            members["class"] = .string(RoomClass.name(of: group.archetype))
        case let .area(_, document):
            members["class"] = "TV"
            members["stream"] = .object(stream(document, home))
            members["locations"] = .object(locations(document, home))
        case .group, .list: break
        }
        return .object(members)
    }

    private func sensors(in home: SimulatedHome) -> [Int] {
        guard case let .group(group) = origin else { return [] }
        return group.accessories.compactMap { home.accessory($0) }.filter { $0.kind.sensors > 0 }.map(\.number)
    }

    /// The last command, with the members that at least one of its lamps supports.
    private var shownAction: [String: JSONValue] {
        var action = self.action.v1(.all)
        let capabilities = lamps.map { V1StateUpdate.Capabilities($0.kind) }
        for field in action.keys
        where !["on", "colormode"].contains(field) && !capabilities.contains(where: { $0.has(field) }) {
            action[field] = nil
        }
        if !capabilities.contains(where: { $0.gamut != nil || $0.whites != nil }) { action["colormode"] = nil }
        action["alert"] = .string(lamps.first?.alert ?? "none")
        return action
    }

    private func stream(_ document: JSONValue, _ home: SimulatedHome) -> [String: JSONValue] {
        let proxy = document["stream_proxy"]?["node"]?["rid"]?.string
        let node = home.lamps.first { $0.ids.entertainment.description == proxy }
        return [
            "proxymode": document["stream_proxy"]?["mode"] ?? "auto",
            "proxynode": .string(node.map { "/lights/\($0.number)" } ?? "/bridge"),
            "active": .bool(document["status"] == "active"),
            "owner": document["active_streamer"]?["rid"] ?? .null,
        ]
    }

    private func locations(_ document: JSONValue, _ home: SimulatedHome) -> [String: JSONValue] {
        let places = document["locations"]?["service_locations"]?.array ?? []
        return Dictionary(
            places.compactMap { place -> (String, JSONValue)? in
                let service = place["service"]?["rid"]?.string
                guard let lamp = lamps.first(where: { $0.ids.entertainment.description == service }) else { return nil }
                let position = place["positions"]?.array?.first ?? place["position"]
                return ("\(lamp.number)", .array(["x", "y", "z"].map { position?[$0] ?? 0 }))
            }
        ) { first, _ in first }
    }
}

extension SimulatedHome {
    /// All groups but the whole home, which no list shows.
    var v1Groups: [V1GroupView] {
        groups.filter { $0.kind != .bridgeHome }.map { V1GroupView($0, in: self) }
            + storedResources.compactMap { V1GroupView(area: $0.id, $0.document, in: self) }
            + v1Objects.lightGroups.map { V1GroupView(list: $0.object, number: $0.number, in: self) }
    }

    func v1Group(_ number: String) -> V1GroupView? {
        if number == "0" { return whole.map { V1GroupView($0, in: self) } }
        return v1Groups.first { "\($0.number)" == number }
    }
}

extension String {
    /// 7 of "/groups/7".
    var groupNumber: Int? { hasPrefix("/groups/") ? Int(dropFirst(8)) : nil }
}

/// The classes of rooms in API v1, and the archetypes of API v2: "Living room" is "living_room".
enum RoomClass {
    static let all = [
        "Living room", "Kitchen", "Dining", "Bedroom", "Kids bedroom", "Bathroom", "Nursery", "Recreation", "Office",
        "Gym", "Hallway", "Toilet", "Front door", "Garage", "Terrace", "Garden", "Driveway", "Carport", "Other", "Home",
        "Downstairs", "Upstairs", "Top floor", "Attic", "Guest room", "Staircase", "Lounge", "Man cave", "Computer",
        "Studio", "Music", "TV", "Reading", "Closet", "Storage", "Laundry room", "Balcony", "Porch", "Barbecue", "Pool",
    ]

    private static let names = Dictionary(all.map { (archetype(of: $0), $0) }) { first, _ in first }

    static func archetype(of name: String) -> String {
        String(name.lowercased().map { $0 == " " ? "_" : $0 })
    }

    /// "Other" for an archetype that API v1 does not have.
    static func name(of archetype: String) -> String { names[archetype] ?? "Other" }
}
