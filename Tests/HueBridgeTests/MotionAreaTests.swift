import Foundation
import HueWire
import Khipu
import Lighting
import Testing

@testable import HueBridge

/// MotionAware areas: what counts of what they report, and when it is unknown (home-assistant/core#152937).
struct MotionAreaTests {
    private static let bridge = Bridge.ID("b")
    private static let now = Timestamp(milliseconds: 1_790_000_100_000)
    private static let id = Sensor.ID(bridge: bridge, resource: "area")

    private static func resource(_ json: String) throws -> Resource {
        try JSONDecoder().decode(Resource.self, from: Data(json.utf8))
    }

    private static func area(_ rest: String) -> String {
        #"{"id":"area","type":"motion_area_configuration",\#(rest)}"#
    }

    /// - Parameter seen: `nil` for a report that is not valid.
    private static func service(_ kind: String, enabled: Bool = true, _ seen: Bool?, second: Int = 0) -> String {
        let motion =
            seen.map {
                #"{"motion":\#($0),"motion_report":{"changed":"2026-09-21T14:00:0\#(second).000Z","motion":\#($0)}}"#
            }
            ?? #"{"motion":true,"motion_valid":false}"#
        return
            #"{"id":"\#(kind)","type":"\#(kind)_area_motion","owner":{"rid":"area","rtype":"motion_area_configuration"},"#
            + #""enabled":\#(enabled),"motion":\#(motion)}"#
    }

    private static let whole = area(
        #""name":"Presence","enabled":true,"health":"healthy","group":{"rid":"living","rtype":"room"},"services":["#
            + #"{"rid":"convenience","rtype":"convenience_area_motion"},{"rid":"security","rtype":"security_area_motion"}]"#
    )

    private static func mirror(_ json: String...) throws -> HomeMirror {
        let room = #"{"id":"living","type":"room","metadata":{"name":"Living"},"children":[],"services":[]}"#
        var mirror = HomeMirror(bridge, OfflineCommands.Policy())
        _ = mirror.load(try ([room] + json).map(resource), askedAt: .zero, at: now, .zero)
        return mirror
    }

    private static func hear(_ mirror: inout HomeMirror, _ json: String..., second: Int = 0) throws -> [BridgeUpdate] {
        let created = ReportTime("2026-09-21T14:00:0\(second).500Z")
        let event = EventContainer(.update, try json.map(resource), created: created)
        return mirror.apply([event], at: now, .seconds(second)).updates
    }

    @Test func `an area is a sensor of its room that reports motion`() throws {
        // In any order.
        for parts in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            let all = [Self.whole, Self.service("convenience", false), Self.service("security", true)]
            let mirror = try Self.mirror(all[parts[0]], all[parts[1]], all[parts[2]])
            let sensor = try #require(mirror.resources.sensor("area"))
            #expect(sensor.name == "Presence" && sensor.room == Room.ID(Self.bridge, "living"))
            #expect(sensor.abilities == [.motion] && sensor.isEnabled && sensor.isReachable)
            #expect(sensor.motion?.value == false, "what is for convenience goes first")
            #expect(mirror.resources.allSensors == [sensor])
        }
    }

    @Test(arguments: [
        (true, "healthy", true, false as Bool?, true as Bool?, false as Bool?),
        (true, "healthy", true, nil, true, true),
        (true, "healthy", false, false, true, true),
        (true, "healthy", true, nil, nil, nil),
        (true, "unhealthy", true, true, false, true),
        (true, "not_running", true, true, true, nil),
        (false, "healthy", true, true, true, nil),
    ])
    func `an area knows of nobody unless it is on and running, and then by its first valid service`(
        enabled: Bool, health: String, convenienceOn: Bool, convenience: Bool?, security: Bool?, known: Bool?
    ) throws {
        var mirror = try Self.mirror(
            Self.whole, Self.service("convenience", enabled: convenienceOn, convenience),
            Self.service("security", security))
        _ = try Self.hear(&mirror, Self.area(#""enabled":\#(enabled),"health":"\#(health)""#))
        let sensor = try #require(mirror.resources.sensor("area"))
        #expect(sensor.motion?.value == known)
        #expect(sensor.isEnabled == enabled && sensor.isReachable == (health != "not_running"))
    }

    @Test func `what an area notices is told once, by the service that counts`() throws {
        var mirror = try Self.mirror(Self.whole, Self.service("convenience", false), Self.service("security", false))
        let seen = [Self.service("security", true, second: 2), Self.service("convenience", true, second: 2)]
        let told = try Self.hear(&mirror, seen[0], seen[1], second: 2)
        #expect(told == [.sensor(Self.id, Sensor.Report(motion: true))])
        // It says again what the other has said.
        #expect(try Self.hear(&mirror, Self.service("security", false, second: 4), second: 4) == [])
        #expect(try #require(mirror.resources.sensor("area")).motion?.value == true)
    }

    @Test func `an area that is switched off in an app is unknown at once, and what it reports then is not told`()
        throws
    {
        var mirror = try Self.mirror(Self.whole, Self.service("convenience", true), Self.service("security", true))
        let off = try Self.hear(&mirror, Self.area(#""enabled":false"#), second: 1)
        let sensor = try #require(mirror.resources.sensor("area"))
        #expect(off == [.changed(.sensor(sensor))] && sensor.motion == nil && !sensor.isEnabled)
        #expect(try Self.hear(&mirror, Self.service("convenience", false, second: 2), second: 2) == [])
        let on = try Self.hear(&mirror, Self.area(#""enabled":true"#), second: 3)
        #expect(on.count == 1 && mirror.resources.sensor("area")?.motion?.value == false)
        let gone = mirror.apply(
            [EventContainer(.delete, [try Self.resource(Self.whole)])], at: Self.now, .seconds(4)
        ).updates
        #expect(gone == [.removed(.sensor(Self.id))] && mirror.resources.allSensors.isEmpty)
    }

    @Test func `a camera's motion is a sensor's`() throws {
        let device =
            #"{"id":"cam","type":"device","metadata":{"name":"Door camera"},"services":[{"rid":"m","rtype":"camera_motion"}]}"#
        let motion =
            #"{"id":"m","type":"camera_motion","owner":{"rid":"cam","rtype":"device"},"enabled":true,"motion":{"motion":true}}"#
        let sensor = try #require(try Self.mirror(device, motion).resources.sensor("cam"))
        #expect(sensor.name == "Door camera" && sensor.motion?.value == true && sensor.abilities == [.motion])
    }
}
