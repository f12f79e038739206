import ControlProtocol
import ControlSurface
import Foundation
import HashTreeCollections
import Lighting
import LightingTestKit
import MQTT
import TestSupport
import Testing

@testable import MQTTSurface

/// What is published when, against a broker made of a dictionary.
struct BrokerSessionTests {
    private static let topics = Topics(site: "home", discoveryPrefix: "homeassistant")
    private static let publisher = Publisher(
        topics: topics, discovery: .device, include: Set(MQTTSurfaceSettings.DiscoverySettings.Kind.allCases),
        plug: .light, allows: .full)
    private static let info = SiteInfo(version: "1", site: "home", started: "", tags: [], bridges: [], lights: 0)

    /// Keeps what is retained, and sends it to a session that looks.
    private struct Broker {
        var kept: [String: [UInt8]] = [:]
        var sent: [MQTTMessage] = []

        mutating func take(_ messages: [MQTTMessage]) {
            sent += messages
            for message in messages where message.isRetained {
                kept[message.topic] = message.payload.isEmpty ? nil : message.payload
            }
        }
    }

    /// A session that has looked at the broker, and is live.
    private static func connected(
        to broker: inout Broker, in state: AppState, mayClear: (String) -> Bool = { _ in true }
    ) throws -> BrokerSession {
        var session = BrokerSession(topics, sentinel: "s")
        let home = Directory(state)
        func all() throws -> [Publication] { try publisher.everything(in: home, info) }
        var steps = session.begin()
        var inbox: [MQTTMessage] = []
        while !steps.isEmpty || !inbox.isEmpty {
            if steps.isEmpty {
                steps += try session.hear(inbox.removeFirst(), all, mayClear)
                continue
            }
            switch steps.removeFirst() {
            case let .publish(messages):
                broker.take(messages)
                inbox += messages.filter { $0.topic == topics.sweep }
            case let .subscribe(filters), let .look(filters):
                if filters == topics.kept {
                    inbox += broker.kept.sorted { $0.key < $1.key }.map {
                        MQTTMessage($0.key, $0.value, isRetained: true)
                    }
                }
                steps += try session.subscribed(filters, refused: [], all, mayClear)
            case .unsubscribe, .tell, .perform, .repeatSoon: break
            }
        }
        #expect(session.isLive)
        return session
    }

    private static let desk = Light.make()
    private static let state = AppState.make(
        lights: [desk, .make("sofa", name: "Sofa")], rooms: [.make(lights: [desk])],
        scenes: [.make(room: Room.make().id)],
        sensors: [.make(), .dimmer()])

    @Test func `a broker that keeps nothing gets all, and one that keeps all gets nothing but that lightd is there`()
        throws
    {
        var broker = Broker()
        _ = try Self.connected(to: &broker, in: Self.state)
        #expect(broker.kept["lightd/home/status"] == Array("online".utf8))
        #expect(broker.kept["lightd/home/light/ecb5fafffe010203-desk"] != nil)
        #expect(broker.kept["homeassistant/device/lightd_home/lightd_ecb5fafffe010203-desk/config"] != nil)
        broker.sent = []
        _ = try Self.connected(to: &broker, in: Self.state)
        #expect(broker.sent.map(\.topic) == ["lightd/home/status", "lightd/home/sweep"])
    }

    @Test func `what is no longer there is cleared away, and nothing of others`() throws {
        var broker = Broker()
        _ = try Self.connected(to: &broker, in: Self.state)
        let others = [
            "homeassistant/light/zigbee2mqtt_0x1/light/config", "zigbee2mqtt/lamp",
            "homeassistant/device/lightd_other/x/config",
        ]
        for topic in others { broker.kept[topic] = [1] }
        broker.kept["lightd/home/light/ecb5fafffe010203-desk/set"] = Array("ON".utf8)
        broker.sent = []
        _ = try Self.connected(
            to: &broker, in: Self.state.alter(by: .removing(.light(Self.desk.id)), .adding(.room(.make()))))
        #expect(!broker.kept.keys.contains { $0.contains("desk") && !$0.hasSuffix("/set") })
        #expect(
            broker.kept["lightd/home/light/ecb5fafffe010203-desk/set"] != nil, "a command that somebody has retained")
        for topic in others { #expect(broker.kept[topic] == [1]) }
        #expect(broker.kept["lightd/home/light/ecb5fafffe010203-sofa"] != nil)
    }

    @Test func `what may still be there is kept`() throws {
        var broker = Broker()
        _ = try Self.connected(to: &broker, in: Self.state)
        let before = broker.kept
        let bridge = Bridge.ID.sample
        _ = try Self.connected(to: &broker, in: .make(bridges: [])) { !Self.topics.isAbout(bridge, $0) }
        let gone = Set(before.keys).subtracting(broker.kept.keys)
        #expect(gone.isEmpty, "\(gone.sorted())")
    }

    @Test func `a command that is retained is not carried out, and that is said`() throws {
        var session = BrokerSession(Self.topics, sentinel: "s")
        let retained = MQTTMessage("lightd/home/light/a/set", "ON", isRetained: true)
        let first = session.hear(retained, { [] }, { _ in true })
        #expect(first == [.tell(.retainedCommand(topic: retained.topic))])
        let live = MQTTMessage("lightd/home/light/a/set", "ON")
        let steps = session.hear(live, { [] }, { _ in true })
        #expect(steps == [.perform(.light("a"), live)])
    }

    /// Whether a broker sends what is on a topic to who has subscribed to a filter (MQTT 5, 4.7).
    private static func matches(_ topic: String, _ filter: String) -> Bool {
        let (parts, wanted) = (topic.split(separator: "/"), filter.split(separator: "/"))
        guard wanted.last != "#" else { return zip(parts, wanted).allSatisfy { $1 == "+" || $1 == "#" || $0 == $1 } }
        return parts.count == wanted.count && zip(parts, wanted).allSatisfy { $1 == "+" || $0 == $1 }
    }

    @Test(arguments: MQTTSurfaceSettings.DiscoverySettings.Form.allCases)
    func `all that is published is looked at again, each once, and neither commands nor what is of others`(
        form: MQTTSurfaceSettings.DiscoverySettings.Form
    ) throws {
        let publisher = Publisher(
            topics: Self.topics, discovery: form, include: Self.publisher.include, plug: .light, allows: .full)
        let state = AppState.make(
            lights: [Self.desk.alter(by: .configuring(.it(as: LightConfiguration(powerup: .safety)))), .plug()],
            rooms: [.make(lights: [Self.desk]), .make("z", kind: .zone)], scenes: [.make(room: Room.make().id)],
            sensors: [.make(abilities: Set(Sensor.Ability.allCases), buttons: 4)],
            bridges: [.make(firmware: .init(version: "1", update: .ready))])
        for publication in try publisher.everything(in: Directory(state), Self.info) {
            #expect(Self.topics.kept.filter { Self.matches(publication.topic, $0) }.count == 1, "\(publication.topic)")
            #expect(!Self.topics.commands.contains { Self.matches(publication.topic, $0) }, "\(publication.topic)")
            #expect(Self.topics.isPublished(publication.topic))
        }
        let others = [
            "zigbee2mqtt/lamp", "homeassistant/light/0x1/light/config", "homeassistant/device/lightd_cabin/x/config",
            "lightd/cabin/status", "lightd/cabin/light/a", "tele/plug/STATE", "lightd/home/light/a/set",
            "lightd/home/room/a/scene/set", "lightd/home/light/a/powerup/set",
        ]
        for topic in others { #expect(!Self.topics.kept.contains { Self.matches(topic, $0) }, "\(topic)") }
    }

    @Test func `an update of a bridge is told as it changes, and cleared once nobody knows`() throws {
        let topic = "lightd/home/bridge/ecb5fafffe010203/update"
        func home(_ update: FirmwareUpdate?) -> Directory {
            Directory(.make(bridges: [.make(name: "Flat", firmware: .init(version: "1.78", update: update))]))
        }
        func kept(_ update: FirmwareUpdate?) throws -> String? {
            try Self.publisher.everything(in: home(update), Self.info).first { $0.topic == topic }
                .map { String(decoding: $0.payload, as: UTF8.self) }
        }
        func json(_ latest: String, _ isInstalling: Bool = false) -> String {
            #"{"in_progress":\#(isInstalling),"installed_version":"1.78","latest_version":"\#(latest)","#
                + #""title":"Firmware of Flat"}"#
        }
        #expect(try kept(.upToDate) == json("1.78"))
        #expect(try kept(.pending) == json("newer than 1.78") && kept(.ready) == json("newer than 1.78"))
        #expect(try kept(.installing) == json("newer than 1.78", true))
        #expect(try kept(nil) == nil)
        // Everything is told anew.
        #expect(try Self.publisher.changes(in: home(.ready), since: home(.upToDate)) == nil)

        var broker = Broker()
        _ = try Self.connected(to: &broker, in: home(.ready).state)
        let config = try #require(broker.kept["homeassistant/device/lightd_home/lightd_ecb5fafffe010203/config"])
        let text = String(decoding: config, as: UTF8.self)
        #expect(text.contains(#""p":"update""#) && text.contains(#""stat_t":"\#(topic)""#) && !text.contains("cmd_t"))
        #expect(broker.kept[topic] != nil)
        _ = try Self.connected(to: &broker, in: home(nil).state)
        #expect(broker.kept[topic] == nil)
    }

    @Test func `an entity that a device no longer has says farewell first`() throws {
        var broker = Broker()
        let scenes = [Scene.make(room: Room.make().id), .make("night", name: "Say \"cmps\":{", room: Room.make().id)]
        let state = AppState.make(rooms: [.make()], scenes: scenes)
        var session = try Self.connected(to: &broker, in: state)
        broker.sent = []
        let left = Directory(state.alter(by: .removing(.scene(scenes[0].id))))
        broker.take(session.publish(try Self.publisher.everything(in: left, Self.info), clearing: { _ in true }))
        let config = "homeassistant/device/lightd_home/lightd_ecb5fafffe010203-kitchen/config"
        let sent = broker.sent.filter { $0.topic == config }.map { String(decoding: $0.payload, as: UTF8.self) }
        try #require(sent.count == 2)
        #expect(sent[0].contains(#""scene_ecb5fafffe010203-relax":{"p":"scene"},"#) && !sent[1].contains("-relax"))
        for text in sent { #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(text.utf8)) } }
    }

    /// Whatever happens in a home, the broker keeps in the end what it would keep of the home as it is.
    @Test(arguments: seeds(10 as UInt64))
    func `the broker follows the home`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        var state = Self.state
        var broker = Broker()
        var session = try Self.connected(to: &broker, in: state)
        for _ in 0..<60 {
            let before = state
            let light = state.lights.values.sorted { $0.id < $1.id }.randomElement(using: &random)
            switch random.next() % 7 {
            case 0: state = state.alter(by: .adding(.light(.make("new \(random.next() % 4)", name: "N"))))
            case 1: if let light { state = state.alter(by: .removing(.light(light.id))) }
            case 2:
                if let light {
                    state = state.alter(
                        by: .updating(.light(light.id, by: [.renaming(.it(to: "X\(random.next() % 9)"))])))
                }
            case 3:
                if let light {
                    state = state.alter(by: .updating(.light(light.id, by: [.losing(.contact(at: .sample))])))
                }
            case 4: state = state.alter(by: .adding(.sensor(.make(motion: random.next() % 2 == 0))))
            default:
                if let light {
                    let report = Light.Report(
                        power: random.next() % 2 == 0 ? .on : .off, brightness: Double(random.next() % 100) / 100)
                    state = state.alter(by: .updating(.light(light.id, by: [.reporting(.it(report, at: .sample))])))
                }
            }
            let (home, old) = (Directory(state), Directory(before))
            if let changes = try Self.publisher.changes(in: home, since: old) {
                broker.take(session.publish(changes))
            } else {
                broker.take(
                    session.publish(try Self.publisher.everything(in: home, Self.info), clearing: { _ in true }))
            }
            var fresh = Broker()
            _ = try Self.connected(to: &fresh, in: state)
            #expect(broker.kept == fresh.kept)
            guard broker.kept == fresh.kept else { return }
        }
    }
}
