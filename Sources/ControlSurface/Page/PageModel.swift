public import ControlProtocol
import Lighting

/// What the page shows: a view model, made by ``Directory/page(for:)``. Everything about lights is decided and worded
/// here; a browser paints it.
///
/// `{at}` and `{clock}` in a text stand for the `at` beside it, which the browser words in its reader's own time zone:
/// `{at}` as "2 min ago" or "Fri 19:42"; `{clock}`, which follows "at" or "since", never as the former. lightd
/// sends nothing because time has passed. In such a text a name's `{` is followed by U+2060, so that none is taken for
/// a mark. A field without a value is null, not absent.
public struct PageModel: Encodable, Equatable, Sendable {
    public let frame: PageFrame
    /// By their keys: all that the sections name, and no others.
    public let tiles: [String: PageTile]

    private enum CodingKeys: String, CodingKey { case tiles }

    /// One object: the frame's fields and the tiles.
    public func encode(to encoder: any Encoder) throws {
        try frame.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(tiles, forKey: .tiles)
    }
}

/// The page without its tiles.
public struct PageFrame: Encodable, Equatable, Sendable {
    /// The bridge's name if there is one bridge, else "Home".
    public var title: String
    /// "4 of 9 on"
    public var summary: String
    /// What the page may do. Below `control` it has no controls.
    public var access: TokenAccess
    public var notices: [PageNotice]
    /// What goes on, and what comes next: at most 24.
    public var upcoming: [PageUpcoming]
    /// What is pinned, then rooms, zones and other lights. Every light is in one section besides the pinned ones.
    public var sections: [PageSection]
    public var bridges: [PageBridge]
    public var allOff: AllOff

    /// What the button "All off" does: it leaves on what the home excludes.
    public struct AllOff: Encodable, Equatable, Sendable {
        /// Whether anything that it turns off is on, or may be.
        public var possible: Bool
        /// "Fish tank stays on."; empty if nothing does.
        public var spared: String
    }
}

/// Something that a person should know, above everything else.
public struct PageNotice: Encodable, Equatable, Sendable {
    public enum Kind: String, Encodable, Sendable { case warning, info }

    public var id: String
    public var kind: Kind
    public var title: String
    public var text: String
    @OrNull public var at: String?
    /// What it is about: who has put it away sees it again if it is about something else, too. Empty if it cannot be put
    /// away.
    public var causes: [String] = []
}

public struct PageSection: Encodable, Equatable, Sendable {
    public enum Kind: String, Encodable, Sendable { case pinned, room, zone, others }

    /// "pinned", "room/BRIDGE/RESOURCE" (of a zone too) or "others".
    public var id: String
    public var kind: Kind
    public var title: String
    /// "3 of 5 on"; empty for what is pinned.
    public var summary: String
    /// What its sensors say; null if it has none that do.
    @OrNull public var sensed: PageSensed?
    /// The key of the tile of the whole room or zone.
    @OrNull public var whole: String?
    public var scenes: [PageScene]
    /// Keys. None for a zone: its lamps are in their rooms.
    public var tiles: [String]
}

public struct PageScene: Encodable, Equatable, Sendable {
    /// What a smart scene does: while it is active, its bridge recalls other scenes as their times come.
    public enum Smart: String, Encodable, Sendable, CaseIterable { case active, resting }

    public var id: String
    public var title: String
    /// The colours, "#rrggbb", that it gives its lights, of strips from end to end, at most eight; empty if they are not
    /// known. Of a bridge with API v1, they are known only while its lights show the scene.
    public var look: [String]
    /// Whether its lights are as it has set them.
    public var active: Bool
    /// Whether it was the last one here, and something else has changed one of its lights since.
    public var changed: Bool
    /// Whether it moves its lights through the colours of its palette.
    public var moves: Bool
    /// "dynamic" while it moves its lights, "changed" if somebody has changed one of them, "through the day" for a smart
    /// scene; else empty.
    public var detail: String
    /// Whether it can be recalled so, or so that it moves none. Bridges with API v1 know only the latter.
    public var canBeDynamic: Bool
    /// Null unless it is a smart scene, which stores nothing itself.
    @OrNull public var smart: Smart?
    /// How fast it moves its lights, in per cent. Null unless it does, and they say it.
    @OrNull public var speed: Double?
}

public struct PageBridge: Encodable, Equatable, Sendable {
    public enum State: String, Encodable, Sendable, CaseIterable {
        case connected, lost, connecting
        case notPaired = "not_paired"
    }

    public var id: String
    public var title: String
    public var state: State
    public var text: String
    @OrNull public var at: String?
}

/// A field that is null if it has no value. A view model's fields are always all there.
@propertyWrapper public struct OrNull<Value> {
    public var wrappedValue: Value?

    public init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }
}

extension OrNull: Encodable where Value: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
    }
}

extension OrNull: Equatable where Value: Equatable {}
extension OrNull: Sendable where Value: Sendable {}

/// Where lights are on the page: a room, a zone, or what is in no room. It follows from names and rooms alone, so that it
/// is made once for many states.
struct PagePlace: Sendable {
    let id: String
    let kind: PageSection.Kind
    let name: String
    /// `nil` for what is in no room.
    let room: Room.ID?
    let whole: String?
    let lights: [Light.ID]
    /// The keys of its lamps; none for a zone.
    let tiles: [String]
}

extension PagePlace {
    /// `nil` if no light is left.
    func without(_ hidden: Set<Light.ID>) -> Self? {
        let shown = lights.filter { !hidden.contains($0) }
        guard !shown.isEmpty else { return nil }
        return Self(
            id: id, kind: kind, name: name, room: room, whole: whole, lights: shown,
            tiles: kind == .zone ? [] : shown.map { Target.light($0).key })
    }
}

extension Directory {
    /// Rooms, zones and the rest, in reading order. Without rooms and zones that have no lights.
    var places: [PagePlace] {
        tables.pagePlaces.value {
            let roomOf = roomOfLight
            var members: [Room.ID?: [Light.ID]] = [:]
            for light in lights { members[roomOf[light.id]?.id, default: []].append(light.id) }
            // If a bridge says that a lamp is in two rooms, one of them has it.
            let groups = rooms.compactMap { room -> PagePlace? in
                let lights = room.kind == .room ? members[room.id] ?? [] : self.lights(of: .room(room.id)).map(\.id)
                guard !lights.isEmpty else { return nil }
                let key = Target.room(room.id).key
                return PagePlace(
                    id: key, kind: room.kind == .room ? .room : .zone, name: room.name, room: room.id,
                    whole: key, lights: lights, tiles: room.kind == .room ? lights.map { Target.light($0).key } : [])
            }
            guard let others = members[nil] else { return groups }
            return groups + [
                PagePlace(
                    id: "others", kind: .others, name: "", room: nil,
                    whole: nil, lights: others, tiles: others.map { Target.light($0).key })
            ]
        }
    }
}
