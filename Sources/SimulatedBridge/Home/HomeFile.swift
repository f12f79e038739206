import Yams

/// A home as its file tells it: `Config/homes/*.yaml`.
public struct HomeFile: Codable, Equatable, Sendable {
    public var bridge: Bridge?
    public var rooms: [Room]
    public var zones: [Zone]?
    public var scenes: [Scene]?

    public struct Bridge: Codable, Equatable, Sendable {
        public var name: String?
        /// "BSB002" (the default) or "BSB003".
        public var model: String?
    }

    public struct Room: Codable, Equatable, Sendable {
        public var name: String
        public var archetype: String?
        public var lights: [Light]
    }

    public struct Light: Codable, Equatable, Sendable {
        public var name: String
        public var kind: LampKind
        /// How it is at the start; off, at full level, where nothing is said.
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
        /// What each light does; a light of the group that is not named is switched off.
        public var lights: [String: Look]
    }

    public struct Look: Codable, Equatable, Sendable {
        public var on: Bool?
        public var brightness: Double?
        public var mirek: Int?
        /// [x, y] in CIE 1931.
        public var xy: [Double]?
    }

}

extension HomeFile {
    /// Reads YAML. What is wrong is said with its place; ``path`` only names the file in the message.
    public init(yaml: String, path: String) throws(HomeFileError) {
        do {
            self = try YAMLDecoder().decode(HomeFile.self, from: yaml)
        } catch let error as YamlError {
            throw HomeFileError("\(path): \(error)")
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

    /// Names are what everything else in the file, and the ids, hang on.
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
                throw HomeFileError("\(path): scene '\(scene.name)' names a group '\(scene.group)' that is not there")
            }
            for light in scene.lights.keys where !lights.contains(light) {
                throw HomeFileError("\(path): scene '\(scene.name)' names a light '\(light)' that is in no room")
            }
        }
        for name in lights + groups where !(1...32).contains(name.unicodeScalars.count) {
            throw HomeFileError("\(path): '\(name)' is no name: bridges take 1 to 32 characters")
        }
    }

    private static func unique(_ names: [String], _ what: String, _ path: String) throws(HomeFileError) {
        var seen: Set<String> = []
        for name in names where !seen.insert(name).inserted {
            throw HomeFileError("\(path): two of one name: \(what) '\(name)'")
        }
    }
}

public struct HomeFileError: Error, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}

extension [any CodingKey] {
    fileprivate var words: String {
        isEmpty ? "the file" : map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
    }
}
