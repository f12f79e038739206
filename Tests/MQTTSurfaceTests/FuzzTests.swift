import ControlProtocol
import ControlSurface
import Lighting
import LightingTestKit
import MQTT
import TestSupport
import Testing

@testable import MQTTSurface

/// Topics and payloads come from anybody on the broker.
struct FuzzTests {
    private static let home = Directory(
        .make(
            lights: [.make()], rooms: [.make(lights: [.make()])], scenes: [.make(room: Room.make().id)],
            sensors: [.make()]))
    private static let topics = Topics(site: "home", discoveryPrefix: "homeassistant")

    @Test func `whatever is sent on a topic of commands, a valid command or a reason comes of it`() async throws {
        let light = Topics.part(Light.make().id)
        let samples = [
            #"{"state":"ON","brightness":254,"color_temp":2700,"transition":2}"#,
            #"{"color":{"x":0.5,"y":0.4},"effect":"candle"}"#, "ON", "127",
            #"{"color":{"r":255,"g":0,"b":0},"flash":10}"#, #"{"brightness_step":-20}"#, #"{"flash":1e300}"#,
            #"{"transition":1e300,"brightness":1e300,"color":{"r":1e300,"g":-1e300,"b":1e300}}"#, "recall", "Relax",
            #"{"transition":2,"dynamic":true,"speed":50}"#,
        ]
        let addresses: [Topics.Address] = [
            .light(light), .room(Topics.part(Room.make().id)), .scene(Topics.part(Scene.make().id)),
            .sceneOfRoom(Topics.part(Room.make().id)), .property(.powerup, of: light),
            .enabled(Topics.part(Sensor.make().id)),
        ]
        try await Fuzzing("mqtt-payloads").inputs(samples.map { Array($0.utf8) }, batches: 3) { bytes in
            for address in addresses {
                let message = MQTTMessage("t", bytes)
                // A reason is as good.
                guard let request = try Self.command(address, message) else { continue }
                do { try request.validate() } catch { continue }
                guard request.command.neededRole <= .full else { throw TestError("\(request)") }
            }
        }
    }

    private static func command(_ address: Topics.Address, _ message: MQTTMessage) throws -> CommandRequest? {
        do { return try topics.request(for: address, message, in: home) } catch is ErrorReply { return nil }
    }

    @Test func `no topic of others is taken for one of ours`() async throws {
        let samples = [
            "lightd/home/light/a-b/set", "lightd/home/room/a/scene/set", "homeassistant/device/lightd_home/x/config",
            "lightd/home/light/a/powerup/set", "lightd/other/light/a/set", "lightd/home/status",
        ]
        try await Fuzzing("mqtt-topics").inputs(samples.map { Array($0.utf8) }, batches: 3) { bytes in
            let topic = String(decoding: bytes, as: UTF8.self)
            let isOurs = topic.hasPrefix("lightd/home/")
            if Self.topics.address(of: topic) != nil {
                guard isOurs, !Self.topics.isPublished(topic) else { throw TestError(topic) }
            }
            guard !Self.topics.isPublished(topic) || isOurs || topic.hasPrefix("homeassistant/") else {
                throw TestError(topic)
            }
        }
    }
}
