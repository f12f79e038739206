import Yams

/// A home file: `Config/homes/*.yaml`.
public struct HomeFile: Codable, Equatable, Sendable {
    public var bridge: Bridge?
    public var rooms: [Room]
    public var zones: [Zone]?
    public var scenes: [Scene]?
    public var areas: [Area]?
    public var motionAreas: [MotionArea]?

    private enum CodingKeys: String, CodingKey {
        case bridge, rooms, zones, scenes, areas
        case motionAreas = "motion_areas"
    }

    public struct Bridge: Codable, Equatable, Sendable {
        public var name: String?
        /// Defaults to "BSB002".
        public var model: BridgeModel?
    }

    public struct Room: Codable, Equatable, Sendable {
        public var name: String
        public var archetype: String?
        /// May be empty.
        public var lights: [Light]
        public var accessories: [Accessory]?
    }

    /// A sensor or a switch.
    public struct Accessory: Codable, Equatable, Sendable {
        public var name: String
        public var kind: AccessoryKind
    }

    public struct Light: Codable, Equatable, Sendable {
        public var name: String
        public var kind: LampKind
        /// Its state at the start; by default off, at full level.
        public var on: Bool?
        /// Per cent, 0…100.
        public var brightness: Double?
        public var mirek: Int?
    }

    public struct Zone: Codable, Equatable, Sendable {
        public var name: String
        public var archetype: String?
        /// Names of lights.
        public var lights: [String]
    }

    public struct Scene: Codable, Equatable, Sendable {
        public var name: String
        /// The name of a room or zone.
        public var group: String
        /// The state of each light; lights of the group that are not named are switched off.
        public var lights: [String: LightState]
        /// Whether a recall plays its palette.
        public var dynamic: Bool?
        /// Points in CIE 1931, at most nine.
        public var palette: [[Double]]?
    }

    public struct LightState: Codable, Equatable, Sendable {
        public var on: Bool?
        public var brightness: Double?
        public var mirek: Int?
        /// [x, y] in CIE 1931.
        public var xy: [Double]?
        /// Two to five points, from one end of the lamp to the other.
        public var gradient: [[Double]]?
        /// "candle", "fire" …
        public var effect: String?
    }

    /// Lamps that stand around a screen or in a room, for entertainment.
    public struct Area: Codable, Equatable, Sendable {
        public var name: String
        /// Defaults to "screen".
        public var kind: String?
        /// Names of lights that show colours.
        public var lights: [String]
    }

    /// Lamps of a room that notice who moves: MotionAware.
    public struct MotionArea: Codable, Equatable, Sendable {
        public var name: String
        /// The name of a room.
        public var room: String
    }
}

extension HomeFile {
    /// Reads YAML.
    ///
    /// - Parameter path: the name of the file in errors.
    /// - Throws: for malformed YAML, an unknown key, a missing or wrong value, and names that do not fit together.
    public init(yaml: String, path: String) throws(HomeFileError) {
        let node: Node
        do {
            // Values stay text: the model says what each is to be.
            node = try Yams.compose(yaml: yaml, .basic.appending(.merge)) ?? ""
        } catch let error as YamlError {
            throw HomeFileError("\(path), \(error.words)")
        } catch {
            throw HomeFileError("\(path): not YAML: \(error)")
        }
        try HomeFileKeys.all.check(node, path)
        do {
            self = try YAMLDecoder().decode(HomeFile.self, from: node)
        } catch let DecodingError.keyNotFound(key, context) {
            throw HomeFileError("\(path): '\(key.stringValue)' is missing in \(context.codingPath.words)")
        } catch let DecodingError.typeMismatch(_, context), let DecodingError.valueNotFound(_, context),
            let DecodingError.dataCorrupted(context)
        {
            throw HomeFileError("\(path): \(context.codingPath.words): \(context.debugDescription)")
        } catch {
            throw HomeFileError("\(path): \(error)")
        }
        try check(path)
    }

    /// Checks the names, on which the rest of the file and the ids depend, and the values.
    private func check(_ path: String) throws(HomeFileError) {
        let lights = rooms.flatMap(\.lights).map(\.name)
        try Self.unique(lights, "light", path)
        let groups = rooms.map(\.name) + (zones ?? []).map(\.name)
        try Self.unique(groups, "room or zone", path)
        for zone in zones ?? [] {
            for light in zone.lights where !lights.contains(light) {
                throw HomeFileError("\(path): zone '\(zone.name)' names a light '\(light)' that is in no room")
            }
        }
        for scene in scenes ?? [] {
            guard groups.contains(scene.group) else {
                throw HomeFileError("\(path): scene '\(scene.name)' names a group '\(scene.group)' that does not exist")
            }
            let members = members(of: scene.group)
            for (light, lightState) in scene.lights.sorted(by: { $0.key < $1.key }) {
                guard lights.contains(light) else {
                    throw HomeFileError("\(path): scene '\(scene.name)' names a light '\(light)' that is in no room")
                }
                guard members.contains(light) else {
                    throw HomeFileError(
                        "\(path): scene '\(scene.name)' names a light '\(light)' that is not in '\(scene.group)'")
                }
                let place = "\(path): light '\(light)' in scene '\(scene.name)'"
                try Self.check(lightState.brightness, lightState.mirek, place)
                if let xy = lightState.xy, !xy.isPoint {
                    throw HomeFileError("\(place): xy is two numbers from 0 to 1")
                }
                if let points = lightState.gradient, !(2...5).contains(points.count) || !points.allSatisfy(\.isPoint) {
                    throw HomeFileError("\(place): gradient is two to five points, each two numbers from 0 to 1")
                }
                let kind = rooms.flatMap(\.lights).first { $0.name == light }?.kind
                if let effect = lightState.effect, let kind, !kind.effects.contains(effect) {
                    throw HomeFileError("\(place): it has no effect '\(effect)'")
                }
            }
            if let palette = scene.palette, palette.count > 9 || !palette.allSatisfy(\.isPoint) {
                throw HomeFileError(
                    "\(path): scene '\(scene.name)': palette is up to nine points, each two numbers from 0 to 1")
            }
        }
        try Self.unique((areas ?? []).map(\.name), "area", path)
        for area in areas ?? [] {
            for light in area.lights {
                guard let kind = rooms.flatMap(\.lights).first(where: { $0.name == light })?.kind else {
                    throw HomeFileError("\(path): area '\(area.name)' names a light '\(light)' that is in no room")
                }
                guard kind.gamut != nil else {
                    throw HomeFileError("\(path): area '\(area.name)' names a light '\(light)' that shows no colours")
                }
            }
            guard EntertainmentArea.kinds.contains(area.kind ?? "screen"), !area.lights.isEmpty else {
                let kinds = EntertainmentArea.kinds.joined(separator: ", ")
                throw HomeFileError("\(path): area '\(area.name)' must have lights, and a kind out of \(kinds)")
            }
        }
        try Self.unique((motionAreas ?? []).map(\.name), "motion area", path)
        for area in motionAreas ?? [] where !rooms.contains(where: { $0.name == area.room }) {
            throw HomeFileError("\(path): motion area '\(area.name)' names a room '\(area.room)' that does not exist")
        }
        for group in groups {
            try Self.unique((scenes ?? []).filter { $0.group == group }.map(\.name), "scene of '\(group)'", path)
        }
        for light in rooms.flatMap(\.lights) {
            try Self.check(light.brightness, light.mirek, "\(path): light '\(light.name)'")
        }
        let accessories = rooms.flatMap { $0.accessories ?? [] }.map(\.name)
        try Self.unique(accessories, "accessory", path)
        for name in lights + accessories + groups + (scenes ?? []).map(\.name) + (areas ?? []).map(\.name)
            + (motionAreas ?? []).map(\.name)
        where !(1...32).contains(name.unicodeScalars.count) {
            throw HomeFileError("\(path): '\(name)' is not a valid name: bridges take 1 to 32 characters")
        }
    }

    private func members(of group: String) -> Set<String> {
        Set(
            rooms.filter { $0.name == group }.flatMap(\.lights).map(\.name)
                + (zones ?? []).filter { $0.name == group }.flatMap(\.lights))
    }

    private static func check(_ brightness: Double?, _ mirek: Int?, _ place: String) throws(HomeFileError) {
        if let brightness, !(0...100).contains(brightness) {
            throw HomeFileError("\(place): brightness is a number from 0 to 100, not \(brightness)")
        }
        if let mirek, !(50...1000).contains(mirek) {
            throw HomeFileError("\(place): mirek is a number from 50 to 1000, not \(mirek)")
        }
    }

    private static func unique(_ names: [String], _ what: String, _ path: String) throws(HomeFileError) {
        var seen: Set<String> = []
        for name in names where !seen.insert(name).inserted {
            throw HomeFileError("\(path): duplicate name: \(what) '\(name)'")
        }
    }
}

public struct HomeFileError: Error, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}

extension [Double] {
    fileprivate var isPoint: Bool { count == 2 && allSatisfy((0...1).contains) }
}

extension YamlError {
    /// The error in one line; the library's own text has several.
    fileprivate var words: String {
        switch self {
        case let .scanner(_, problem, mark, _), let .parser(_, problem, mark, _), let .composer(_, problem, mark, _):
            "line \(mark.line): \(problem)"
        case let .duplicatedKeysInMapping(duplicates, context):
            "line \(context.mark.line): duplicate keys: \(duplicates.sorted().joined(separator: ", "))"
        default: "not YAML: \(description.prefix { !$0.isNewline })"
        }
    }
}

extension [any CodingKey] {
    fileprivate var words: String {
        isEmpty ? "the file" : map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
    }
}

extension HomeFile {
    /// The default home, equal to `Config/homes/flat.yaml`.
    public static let flat = HomeFile(
        bridge: Bridge(name: "Flat", model: nil),
        rooms: [
            Room(
                name: "Kitchen", archetype: "kitchen",
                lights: [
                    Light(name: "Stove", kind: .ambiance, on: true, brightness: 80, mirek: 250),
                    Light(name: "Counter", kind: .dimmable),
                ]),
            Room(
                name: "Living", archetype: "living_room",
                lights: [
                    Light(name: "Desk", kind: .color),
                    Light(name: "Sofa", kind: .ambiance, mirek: 400),
                    Light(name: "Fan", kind: .plug),
                ]),
        ],
        zones: [Zone(name: "Downstairs", archetype: "downstairs", lights: ["Stove", "Counter", "Desk", "Sofa"])],
        scenes: [
            Scene(
                name: "Bright", group: "Kitchen",
                lights: ["Stove": LightState(brightness: 100, mirek: 230), "Counter": LightState(brightness: 100)]),
            Scene(
                name: "Evening", group: "Living",
                lights: [
                    "Desk": LightState(brightness: 40, xy: [0.561, 0.4042]),
                    "Sofa": LightState(brightness: 30, mirek: 447),
                ]),
            Scene(name: "Reading", group: "Living", lights: ["Sofa": LightState(brightness: 100, mirek: 300)]),
        ]
    )
}

/// The keys of a home file, level by level. Decoding takes no notice of others, so a misspelt one would be lost in
/// silence.
indirect enum HomeFileKeys: Equatable, Sendable {
    /// A value, or a list of values.
    case value
    case list(of: Self)
    /// Keys that the file's writer chooses, each with the same below it.
    case names(Self)
    case keys([String: Self])

    static let all = Self.keys([
        "bridge": .keys(["name": .value, "model": .value]),
        "rooms": .list(
            of: .keys([
                "name": .value, "archetype": .value, "lights": .list(of: light), "accessories": .list(of: accessory),
            ])),
        "zones": .list(of: .keys(["name": .value, "archetype": .value, "lights": .value])),
        "scenes": .list(
            of: .keys([
                "name": .value, "group": .value, "lights": .names(lightState), "dynamic": .value, "palette": .value,
            ])),
        "areas": .list(of: .keys(["name": .value, "kind": .value, "lights": .value])),
        "motion_areas": .list(of: .keys(["name": .value, "room": .value])),
    ])

    private static let accessory = Self.keys(["name": .value, "kind": .value])
    private static let light = Self.keys([
        "name": .value, "kind": .value, "on": .value, "brightness": .value, "mirek": .value,
    ])
    private static let lightState = Self.keys([
        "on": .value, "brightness": .value, "mirek": .value, "xy": .value, "gradient": .value, "effect": .value,
    ])

    /// Refuses the first key that is not one of these. What is not of the expected shape is left to the decoder.
    func check(_ node: Node, _ path: String) throws(HomeFileError) {
        switch (self, node) {
        case let (.list(of: keys), .sequence(nodes)):
            for node in nodes { try keys.check(node, path) }
        case let (.names(keys), .mapping(mapping)):
            for (name, node) in mapping { try name.isMerge ? check(node, path) : keys.check(node, path) }
        case let (.keys(keys), .mapping(mapping)):
            for (name, node) in mapping {
                if name.isMerge {
                    for node in node.sequence.map(Array.init) ?? [node] { try check(node, path) }
                } else if let inner = keys[name.string ?? ""] {
                    try inner.check(node, path)
                } else {
                    let place = name.mark.map { "\(path), line \($0.line)" } ?? path
                    let known = keys.keys.sorted().joined(separator: ", ")
                    throw HomeFileError("\(place): unknown key '\(name.string ?? "")'; known keys: \(known)")
                }
            }
        default: break
        }
    }
}

extension Node {
    /// Whether it is YAML's merge key, below which are more keys of the same level.
    fileprivate var isMerge: Bool { string == "<<" }
}
