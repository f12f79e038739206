import Foundation
import HueWire
import Khipu
import Lighting
import Testing

@testable import HueBridge

/// Smart scenes, from the bridge's words to the domain's.
struct SmartSceneTests {
    private static let bridge = Bridge.ID("ecb5fafffe010203")
    private static let time = Timestamp(milliseconds: 1000)

    private static func resource(_ json: String) throws -> Resource {
        try JSONDecoder().decode(Resource.self, from: Data(json.utf8))
    }

    private static func scene(_ id: String, _ light: String) -> String {
        #"{"id":"\#(id)","type":"scene","metadata":{"name":"\#(id)"},"group":{"rid":"hall","rtype":"zone"},"#
            + #""actions":[{"target":{"rid":"\#(light)","rtype":"light"},"action":{"on":{"on":true}}}]}"#
    }

    private static func smart(_ rest: String) -> String {
        #"{"id":"day","type":"smart_scene",\#(rest)}"#
    }

    private static let week = #"""
        "metadata":{"name":"Day"},"group":{"rid":"hall","rtype":"zone"},"transition_duration":60000,"state":"inactive",
        "week_timeslots":[
          {"timeslots":[
            {"start_time":{"kind":"time","time":{"hour":6,"minute":45,"second":0}},"target":{"rid":"bright","rtype":"scene"}},
            {"start_time":{"kind":"sunset"},"target":{"rid":"calm","rtype":"scene"}},
            {"start_time":{"kind":"time","time":{"hour":99,"minute":0,"second":0}},"target":{"rid":"calm","rtype":"scene"}},
            {"start_time":{"kind":"moonrise"},"target":{"rid":"calm","rtype":"scene"}}],
           "recurrence":["monday","tuesday"]},
          {"timeslots":[{"start_time":{"kind":"sunrise"},"target":{"rid":"calm","rtype":"scene"}}],
           "recurrence":["caturday"]}]
        """#

    private static func home() throws -> HomeMirror {
        let lights = ["a", "b", "c"].map { id in
            #"{"id":"\#(id)","type":"light","metadata":{"name":"\#(id)"},"on":{"on":true},"dimming":{"brightness":50}}"#
        }
        let zone =
            #"{"id":"hall","type":"zone","metadata":{"name":"Hall"},"children":["#
            + ["a", "b", "c"].map { #"{"rid":"\#($0)","rtype":"light"}"# }.joined(separator: ",") + "]}"
        var mirror = HomeMirror(bridge, OfflineCommands.Policy())
        // Before the scenes that it recalls, as a bridge may list them.
        let all = [smart(week)] + lights + [zone, scene("bright", "a"), scene("calm", "b")]
        _ = mirror.load(try all.map(resource), askedAt: .zero, at: time, .zero)
        return mirror
    }

    private static let id = Scene.ID(bridge, "day")
    private static let (bright, calm) = (Scene.ID(bridge, "bright"), Scene.ID(bridge, "calm"))

    @Test func `what a bridge tells of a smart scene is known, and what cannot be read of it is left out`() throws {
        let scene = try #require(try Self.home().resources.scene("day"))
        let slots = [
            SmartScene.Slot(.time(TimeOfDay(hour: 6, minute: 45)), Self.bright),
            SmartScene.Slot(.sun(.sunset), Self.calm),
        ]
        #expect(scene.smart == SmartScene(week: [.init([.monday, .tuesday], slots)], transition: 60_000))
        #expect(scene.name == "Day" && scene.room == Room.ID(Self.bridge, "hall"))
        #expect(try Self.home().resources.lights(ofScene: "day") == ["a", "b"], "not c, which none of its scenes sets")
    }

    @Test func `a slot that begins is known, and is the doing of the smart scene`() throws {
        let light = #"{"id":"a","type":"light","dimming":{"brightness":80}}"#
        let recalled = #"{"id":"bright","type":"scene","status":{"active":"static"}}"#
        let began = Self.smart(#""state":"active","active_timeslot":{"timeslot_id":0,"weekday":"monday"}"#)
        // Their order in a frame means nothing.
        for parts in [[began, recalled, light], [recalled, light, began], [light, began, recalled]] {
            var mirror = try Self.home()
            let event = EventContainer(.update, try parts.map(Self.resource))
            let effects = mirror.apply([event], at: Self.time, .seconds(10))
            let source = effects.updates.compactMap { update -> Cause.Kind? in
                if case let .light(_, report) = update { report.source } else { nil }
            }
            #expect(source == [.scene(Self.id, by: nil)])
            let smart = mirror.resources.scene("day")?.smart
            #expect(smart?.isActive == true && smart?.current?.scene == Self.bright)
            #expect(mirror.attribution.count == 2)
            let ended = try Self.resource(Self.smart(#""state":"inactive""#))
            let after = mirror.apply([EventContainer(.update, [ended])], at: Self.time, .seconds(20))
            let resting = try #require(mirror.resources.scene("day"))
            #expect(after.updates == [.changed(.scene(resting))])
            #expect(resting.smart?.isActive == false && resting.smart?.current == nil)
        }
    }

    @Test func `what a bridge says again of a smart scene is no change`() throws {
        var mirror = try Self.home()
        let again = EventContainer(.update, [try Self.resource(Self.smart(#""state":"inactive""#))])
        #expect(mirror.apply([again], at: Self.time, .seconds(10)).updates == [])
        let gone = EventContainer(.delete, [try Self.resource(Self.smart(#""state":"inactive""#))])
        #expect(mirror.apply([gone], at: Self.time, .seconds(11)).updates == [.removed(.scene(Self.id))])
        #expect(mirror.resources.scene("day") == nil)
    }

    /// `timeslot_id` of another week, or of none.
    @Test(arguments: [#"{"timeslot_id":7,"weekday":"monday"}"#, #"{"timeslot_id":0,"weekday":"sunday"}"#, "{}", "null"])
    func `an active slot that the week does not have is none`(slot: String) throws {
        var mirror = try Self.home()
        let part = try Self.resource(Self.smart(#""state":"active","active_timeslot":\#(slot)"#))
        _ = mirror.apply([EventContainer(.update, [part])], at: Self.time, .seconds(10))
        let smart = mirror.resources.scene("day")?.smart
        #expect(smart?.isActive == true && smart?.current == nil)
    }
}
