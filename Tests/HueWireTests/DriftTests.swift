import Foundation
import HueWire
import Testing

/// Finds members that bridges send and we do not read. A member counts as read if the decoded resource changes without
/// it. Each list below is a decision: a new member in a fixture must be added to a list, or be read (the idea is
/// aiohue's `scripts/schema_drift.py`).
@Suite struct DriftTests {
    private static let knowinglyDropped: [ResourceType: Set<String>] = [
        .bridge: ["import", "time_zone"],
        .bridgeHome: ["id_v1"],
        .device: [
            "id_v1", "identify", "product_data.certified", "product_data.hardware_platform_type",
            "product_data.manufacturer_name", "product_data.product_archetype",
        ],
        .groupedLight: [
            "alert", "color", "color_temperature", "color_temperature_delta", "dimming_delta", "dynamics", "id_v1",
            "signaling",
        ],
        .light: [
            "alert", "color_temperature_delta", "content_configuration", "dimming.curve", "dimming_delta",
            "dynamics.speed", "dynamics.status_values", "id_v1", "identify", "metadata.function", "on.why",
            "owner.since",
            "powerup.color", "powerup.configured", "powerup.dimming", "powerup.on", "product_data", "scent",
            "service_id", "signaling.signal_values",
            // Each is read if the others are missing.
            "effects.effect_values", "effects.status_values", "effects_v2.action", "effects_v2.status.effect_values",
            "timed_effects.effect_values", "timed_effects.status_values",
        ],
        // Each is read if the others are missing.
        .motion: ["motion.motion", "motion.motion_report.motion", "motion.motion_valid"],
        .room: ["id_v1"],
        .scene: [
            "auto_dynamic", "id_v1", "last_actions_update", "mapping", "metadata.appdata",
            "metadata.image", "palette", "recall", "speed", "status.last_recall",
        ],
        .connectivity: ["channel", "extended_pan_id", "id_v1", "mac_address"],
        .zone: ["geometry", "id_v1"],
    ]

    private static let knowinglyUnspoken: Set<String> = [
        "clip", "entertainment", "grouped_motion", "hologram_projector", "matter", "wifi_connectivity",
        "zigbee_device_discovery",
    ]

    @Test func `exactly the listed members are not read`() throws {
        var dropped: [ResourceType: Set<String>] = [:]
        var read: [ResourceType: Set<String>] = [:]
        for element in try Fixture.allCases.flatMap({ try $0.elements() }) {
            guard let whole = try? Resource(element) else { continue }
            if case .unknown = whole { continue }
            for way in element.memberPaths {
                let isRead = (try? Resource(element.putting(nil, at: way))) != whole
                if isRead {
                    read[whole.name, default: []].insert(way.text)
                } else {
                    dropped[whole.name, default: []].insert(way.text)
                }
            }
        }
        for (type, paths) in dropped {
            // A member that is `null` in one lamp is read in another; the members of a dropped object are dropped too.
            let never = paths.subtracting(read[type] ?? [])
            dropped[type] = never.filter { path in
                !never.contains { path != $0 && (path.hasPrefix($0 + ".") || path.hasPrefix($0 + "[]")) }
            }
        }
        for (type, paths) in dropped.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            #expect(paths == Self.knowinglyDropped[type] ?? [], "\(type): \(paths.sorted())")
        }
    }

    @Test func `exactly the listed types are not read`() throws {
        let unspoken = try Fixture.allCases.flatMap { try $0.read().data }.compactMap {
            if case let .unknown(type, _) = $0 { type.rawValue } else { nil }
        }
        #expect(Set(unspoken) == Self.knowinglyUnspoken)
    }
}
