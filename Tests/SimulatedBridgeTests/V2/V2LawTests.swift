import Foundation
import HueWire
import ServerSentEvents
import TestSupport
import Testing

@testable import SimulatedBridge

/// Laws of API v2.
@Suite struct V2LawTests {
    @Test(arguments: seeds(2)) func `every reference names a resource, whatever is created, changed and deleted`(
        seed: UInt64
    )
        throws
    {
        var random = SplitMix(seed: seed)
        var fixture = V2Fixture()
        for step in 0..<120 {
            let request = random.request(for: fixture.home)
            let status = fixture.send(request).status
            #expect(status != 500, "\(request.method) \(request.type) \(String(decoding: request.body, as: UTF8.self))")
            let lost = fixture.lost
            #expect(lost.isEmpty, "step \(step): \(request.method) \(request.type): \(lost)")
        }
    }

    /// In an event an absent member means unchanged. So a client may still have members that are gone, but no wrong
    /// values.
    @Test(arguments: seeds(2)) func `a client that merges all events has the bridge's documents`(seed: UInt64) async throws
    {
        var random = SplitMix(seed: seed &+ 100)
        var fixture = V2Fixture()
        var known = Dictionary(uniqueKeysWithValues: try fixture.home.documents.asRead.map { ($0["id"]!.string!, $0) })
        var hub = EventHub()
        let stream = hub.open(after: nil).pieces
        for _ in 0..<120 {
            let before = fixture.home
            _ = fixture.send(random.request(for: fixture.home))
            for difference in SimulatedHome.differences(from: before, to: fixture.home) { hub.record(difference) }
            if Bool.random(using: &random) { hub.flush(at: fixture.context.date) }
        }
        while hub.hasMore { hub.flush(at: fixture.context.date) }
        hub.close()
        var parser = HueEventStream.parser
        for await piece in stream {
            for frame in parser.read(piece) {
                for container in try frame.containers { known.take(container) }
            }
        }
        let documents = try fixture.home.documents.asRead
        #expect(Set(known.keys) == Set(documents.compactMap { $0["id"]?.string }))
        for document in documents {
            let told = try #require(known[document["id"]!.string!])
            #expect(told.holds(document) == true, "\(document["type"]!) \(document["id"]!)")
        }
    }

    @Test(arguments: [
        "room", "zone", "scene", "smart_scene", "entertainment_configuration", "behavior_instance", "geofence_client",
        "service_group",
    ])
    func `creating and deleting a resource leaves the home as it was`(type: String) throws {
        var fixture = V2Fixture()
        let before = Set(fixture.home.documents)
        let body = try #require(fixture.home.example(of: type))
        let made = fixture.send("POST", type, body)
        #expect(made.status == 200 && made.errors.isEmpty, "\(made)")
        let id = try #require(made.data.first?.rid)
        #expect(made.data == [.reference(id, ResourceType(rawValue: type))])
        let document = try #require(fixture.home.documents.first { $0["id"] == .id(id) })
        #expect(document["type"] == .string(type))
        #expect(Set(fixture.home.documents) != before)
        #expect(fixture.send("DELETE", type, id: id).status == 200)
        // A new room takes devices out of their old room, and does not give them back.
        if type != "room" { #expect(Set(fixture.home.documents) == before) }
        #expect(fixture.home.documents.count == before.count)
        // No id is given twice.
        #expect(fixture.send("POST", type, body).data.first?.rid != id)
    }

    @Test(arguments: [
        #"{"on":{"on":false}}"#, #"{"dimming":{"brightness":33}}"#, #"{"effects":{"effect":"candle"}}"#,
        #"{"powerup":{"preset":"powerfail"}}"#, #"{"metadata":{"function":"decorative"}}"#,
        #"{"signaling":{"signal":"on_off","duration":5000}}"#, #"{"metadata":{"archetype":"hue_go"}}"#,
    ]) func `a PUT leaves alone what it does not name`(body: String) throws {
        var fixture = V2Fixture()
        let lamp = try #require(fixture.home.lamp(called: "Color"))
        let old = try #require(fixture.document(lamp.id).object)
        #expect(fixture.send("PUT", "light", id: lamp.id, body).status == 200)
        let new = try #require(fixture.document(lamp.id).object)
        let features = Set(try #require(JSONDecoder().decode(JSONValue.self, from: Data(body.utf8)).object).keys)
        let others = new.filter { old[$0.key] != $0.value }.keys.filter {
            // Two views of one effect.
            !features.contains($0) && !(features.contains("effects") && $0 == "effects_v2")
        }
        #expect(others.isEmpty)
        #expect(old != new)
    }

    @Test(arguments: ["motion", "light_level", "temperature"])
    func `each service of a sensor can be switched off alone`(
        type: String
    )
        throws
    {
        var fixture = V2Fixture()
        let sensor = try #require(fixture.home.accessory(called: "Motion sensor"))
        let id = try #require(sensor.services.first { $0.type.rawValue == type }?.id)
        #expect(fixture.send("PUT", type, id: id, #"{"enabled":false}"#).status == 200)
        let off = fixture.home.documents.filter { $0["enabled"] == false }
        #expect(off.map { $0["id"] } == [.id(id)])
    }
}

/// A client of API v2 without a network: each decision is carried out at once, and the clock is manual.
struct V2Fixture {
    var context: DecisionContext
    var home: SimulatedHome { context.home }
    var timedTasks: [TimedTask] = []

    init(_ file: HomeFile = HomeFixture.showroom) { context = DecisionContext(home: SimulatedHome(file, seed: 1)) }

    struct Reply {
        let status: Int
        let data: [JSONValue]
        let errors: [String]
        let radio: [RadioMessage]
    }

    mutating func send(_ request: V2API.Request) -> Reply {
        let decision = V2API.decide(request, in: context)
        context.home = home.alter(by: decision.changes)
        for message in decision.radio { context.mesh.send(message, wanted: home, at: context.now) }
        timedTasks += decision.timedTasks
        let body = try? JSONDecoder().decode(JSONValue.self, from: Data(decision.response.body))
        return Reply(
            status: decision.response.status, data: body?["data"]?.array ?? [],
            errors: (body?["errors"]?.array ?? []).compactMap { $0["description"]?.string }, radio: decision.radio)
    }

    @discardableResult
    mutating func send(_ method: String, _ type: String, id: ResourceID? = nil, _ body: String = "", key: String = "me")
        -> Reply
    {
        send(
            V2API.Request(
                method: method, type: ResourceType(rawValue: type), id: id, body: Array(body.utf8), key: key))
    }

    /// Moves the clock, and carries out the timed tasks that are due.
    mutating func pass(_ time: Duration) {
        context.now += time
        context.date += time / .seconds(1)
        let due = timedTasks.filter { $0.due <= context.now }
        timedTasks.removeAll { $0.due <= context.now }
        for task in due {
            let decision = task.decide(in: context)
            context.home = home.alter(by: decision.changes)
            timedTasks += decision.timedTasks
        }
    }

    func document(_ id: ResourceID) -> JSONValue { home.documents.first { $0["id"] == .id(id) } ?? .null }

    func id(_ type: String, _ name: String) -> ResourceID {
        let document = home.documents.first { $0["type"]?.string == type && $0["metadata"]?["name"]?.string == name }
        return ResourceID(document?["id"]?.string ?? "")
    }

    /// References to resources that do not exist. Images and keys are not resources, and an automation's configuration
    /// is not checked.
    var lost: [JSONValue] {
        let documents = home.documents
        let types = Dictionary(documents.map { ($0["id"], $0["type"]) }) { first, _ in first }
        return documents.map { $0.with("configuration", nil) }.flatMap(\.references).filter {
            let isElsewhere = ["public_image", "auth_v1", "motion_area_candidate"].contains($0["rtype"]?.string ?? "")
            return !isElsewhere && types[$0["rid"]] != $0["rtype"]
        }
    }
}

extension SimulatedHome {
    /// A body that creates a resource of the type.
    func example(of type: String) -> String? {
        let lamp = lamps[0]
        let value: JSONValue
        switch type {
        case "room":
            value = [
                "type": "room", "metadata": ["name": "New", "archetype": "office"],
                "children": [.reference(lamp.ids.device, .device)],
            ]
        case "zone":
            value = [
                "type": "zone", "metadata": ["name": "New", "archetype": "office"],
                "children": [.reference(lamp.id, .light)],
            ]
        case "scene":
            guard let group = groups.first(where: { $0.lamps.contains(lamp.id) }) else { return nil }
            value = [
                "type": "scene", "metadata": ["name": "New"], "group": .reference(group.id, group.kind),
                "actions": [["target": .reference(lamp.id, .light), "action": ["on": ["on": true]]]],
            ]
        case "smart_scene":
            guard let scene = scenes.first(where: { $0.groupKind != .bridgeHome }) else { return nil }
            value = [
                "metadata": ["name": "New"], "group": .reference(scene.group, scene.groupKind),
                "week_timeslots": [
                    [
                        "timeslots": [
                            [
                                "start_time": ["kind": "time", "time": ["hour": 0, "minute": 0, "second": 0]],
                                "target": .reference(scene.id, .scene),
                            ]
                        ],
                        "recurrence": [
                            "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
                        ],
                    ]
                ],
            ]
        case "entertainment_configuration":
            value = [
                "metadata": ["name": "New"], "configuration_type": "music",
                "locations": [
                    "service_locations": [
                        [
                            "service": .reference(lamp.ids.entertainment, .entertainment),
                            "positions": [["x": 0, "y": 1, "z": 0]],
                        ]
                    ]
                ],
            ]
        case "behavior_instance":
            value = [
                "script_id": .id(BehaviorScript.all[0].id), "enabled": true, "metadata": ["name": "New"],
                "configuration": ["where": [["group": .reference(groups[0].id, groups[0].kind)]]],
            ]
        case "geofence_client": value = ["name": "New"]
        case "service_group":
            value = ["metadata": ["name": "New"], "children": [.reference(lamp.id, .light)]]
        default: return nil
        }
        return String(decoding: value.wire, as: UTF8.self)
    }
}

extension SplitMix {
    /// A random write, valid or not.
    fileprivate mutating func request(for home: SimulatedHome) -> V2API.Request {
        let makes = [
            "room", "zone", "scene", "smart_scene", "entertainment_configuration", "behavior_instance",
            "geofence_client", "service_group",
        ]
        func request(_ method: String, _ type: String, _ id: ResourceID?, _ body: String) -> V2API.Request {
            V2API.Request(
                method: method, type: ResourceType(rawValue: type), id: id, body: Array(body.utf8), key: "me")
        }
        switch Int.random(in: 0..<10, using: &self) {
        case 0...3:
            let type = makes.randomElement(using: &self)!
            return request("POST", type, nil, home.lamps.isEmpty ? "{}" : home.example(of: type) ?? "{}")
        case 4:
            let document = home.documents.randomElement(using: &self)!
            // The last lamps stay, so that there is always something to write to.
            if document["type"] == "device", home.lamps.count < 4 {
                return request("PUT", "light", home.lamps[0].id, "{}")
            }
            return request("DELETE", document["type"]!.string!, ResourceID(document["id"]!.string!), "")
        case 5:
            let group = home.groups.filter { $0.kind != .bridgeHome }.randomElement(using: &self)
            let lamps = home.lamps.filter { _ in Bool.random(using: &self) }
            let children = lamps.map {
                group?.kind == .room ? JSONValue.reference($0.ids.device, .device) : .reference($0.id, .light)
            }
            let body = JSONValue.object(["children": .array(children)])
            return request(
                "PUT", group?.kind.rawValue ?? "room", group?.id ?? "", String(decoding: body.wire, as: UTF8.self))
        default:
            let bodies = [
                #"{"on":{"on":true},"dimming":{"brightness":40}}"#, #"{"metadata":{"name":"Other"}}"#,
                #"{"action":"start"}"#, #"{"action":"stop"}"#, #"{"recall":{"action":"active"}}"#,
                #"{"recall":{"action":"activate"}}"#, #"{"enabled":false}"#, #"{"name":"Phone"}"#,
                #"{"effects":{"effect":"fire"}}"#, #"{"color":{"xy":{"x":0.2,"y":0.3}}}"#,
                #"{"signaling":{"signal":"on_off","duration":3000}}"#, #"{"usertest":{"usertest":true}}"#, "nonsense",
            ]
            let document = home.documents.randomElement(using: &self)!
            return request(
                "PUT", document["type"]!.string!, ResourceID(document["id"]!.string!),
                bodies.randomElement(using: &self)!)
        }
    }
}

extension [String: JSONValue] {
    /// Applies a container of events, as a client does.
    fileprivate mutating func take(_ container: JSONValue) {
        for resource in container["data"]?.array ?? [] {
            guard let id = resource["id"]?.string else { continue }
            switch container["type"] {
            case "delete": self[id] = nil
            case "add": self[id] = resource
            default: self[id] = self[id]?.merged(resource)
            }
        }
    }
}

extension JSONValue {
    fileprivate func merged(_ news: JSONValue) -> JSONValue {
        guard case let .object(olds) = self, case let .object(news) = news else { return news }
        return .object(olds.merging(news) { $0.merged($1) })
    }

    /// Whether it contains all of another value.
    fileprivate func holds(_ other: JSONValue) -> Bool {
        guard case let .object(mine) = self, case let .object(theirs) = other else {
            return double == other.double && double != nil || self == other
        }
        return theirs.allSatisfy { mine[$0.key]?.holds($0.value) ?? false }
    }
}
