import FoundationEssentials
import HueWire

/// Entertainment configurations: the positions of lamps, and the client that streams to them. Sessions start and stop
/// as on a real bridge, but nothing listens on UDP port 2100: no frame ever arrives, so a session that no client stops
/// ends after ten seconds.
enum EntertainmentArea {
    static let type = ResourceType(rawValue: "entertainment_configuration")
    /// How long a session runs without a frame (docs/quirks.md).
    static let timeout: Duration = .seconds(10)
    static let kinds = ["screen", "monitor", "music", "3dspace", "other"]

    /// The place of one lamp: one position, or several along a gradient.
    struct Placement {
        let lamp: Lamp
        /// `{"x":…,"y":…,"z":…}`, at least one.
        let positions: [JSONValue]
        var equalizationFactor = 1.0
    }

    /// Only lamps with colours take part.
    static func canRender(_ lamp: Lamp) -> Bool { lamp.kind.gamut != nil }

    /// A position in a row of `count` lamps from left (-1) to right (1).
    static func position(_ index: Int, of count: Int, y: JSONValue = 0) -> JSONValue {
        let x = count < 2 ? 0 : 2 * Double(index) / Double(count - 1) - 1
        return ["x": .number(x), "y": y, "z": 0]
    }

    /// A new configuration without its id, its lamps and its proxy.
    static func document(_ name: String, kind: String, number: Int) -> JSONValue {
        [
            "id_v1": .string("/groups/\(number)"), "metadata": ["name": .string(name)], "name": .string(name),
            "configuration_type": .string(kind), "status": "inactive",
        ]
    }

    /// `locations`, `light_services`, and `channels`: one for each position of each lamp.
    static func members(of placements: [Placement]) -> [String: JSONValue] {
        var (places, channels): ([JSONValue], [JSONValue]) = ([], [])
        for placement in placements {
            let service = JSONValue.reference(placement.lamp.ids.entertainment, .entertainment)
            places.append([
                "service": service, "positions": .array(placement.positions), "position": placement.positions[0],
                "equalization_factor": .number(placement.equalizationFactor),
            ])
            for (index, position) in placement.positions.enumerated() {
                channels.append([
                    "channel_id": .int(channels.count), "position": position,
                    "members": [["service": service, "index": .int(index)]],
                ])
            }
        }
        return [
            "locations": ["service_locations": .array(places)], "channels": .array(channels),
            "light_services": .array(placements.map { .reference($0.lamp.id, .light) }),
        ]
    }

    // MARK: - Sessions

    /// Another session is running, of this configuration or of another one.
    struct IsStreaming: Error { let area: ResourceID }

    /// Starts a session. Only one can run at a time; its own client may start it again.
    static func started(_ id: ResourceID, _ document: JSONValue, by key: String, in context: DecisionContext)
        throws(IsStreaming) -> HomeUpdate
    {
        let streamer = JSONValue.reference(context.derive.uuid("application", key), ResourceType(rawValue: "auth_v1"))
        for (other, area) in context.home.storedResources where area["type"]?.string == type.rawValue {
            guard area["status"] == "active" else { continue }
            guard other == id, area["active_streamer"] == streamer else { throw IsStreaming(area: other) }
        }
        let active = document.merging(["status": "active", "active_streamer": streamer])
        return HomeUpdate(
            changes: [.replacing(.stored(id, by: active))]
                + lamps(of: document).map { .updating(.lamp($0, by: [.streaming(.begins)])) })
    }

    /// The configurations with a running session, whichever API started it.
    static func active(in home: SimulatedHome) -> Set<ResourceID> {
        Set(home.storedResources.filter { $0.document["status"] == "active" }.map(\.id))
    }

    /// Ends a session: the lamps return to the light state that the bridge has stored. Does nothing if none runs.
    static func stopped(_ id: ResourceID, _ document: JSONValue, in home: SimulatedHome) -> HomeUpdate {
        guard document["status"] == "active" else { return HomeUpdate() }
        let lamps = lamps(of: document).filter { home.lamp($0)?.isStreaming == true }
        return HomeUpdate(
            changes: [.replacing(.stored(id, by: document.with("status", "inactive").with("active_streamer", nil)))]
                + lamps.map { .updating(.lamp($0, by: [.streaming(.ends)])) },
            radio: lamps.isEmpty ? [] : [.broadcast(lamps, over: .milliseconds(400))])
    }

    static func lamps(of document: JSONValue) -> [ResourceID] {
        (document["light_services"]?.array ?? []).compactMap(\.rid)
    }
}
