import Foundation
import HueWire
import TestSupport
import Testing

@Suite struct DecodingTests {
    // MARK: - Laws

    @Test(arguments: ["a", "é", "👨‍👩‍👧‍👦", "e\u{301}"])
    func `a name is cut after 256 bytes, between two characters`(character: String) throws {
        let long = String(repeating: character, count: 500)
        let json = Data(#"{"name":"\#(long)"}"#.utf8)
        for name in [
            try JSONDecoder().decode(Metadata.self, from: json).name,
            try JSONDecoder().decode(PublicConfig.self, from: json).name, Metadata(name: long).name,
        ] {
            let name = try #require(name)
            #expect(name.utf8.count <= 256 && name.utf8.count > 200 && name.hasSuffix("…"))
            #expect(name.dropLast().allSatisfy { String($0) == character })
        }
        let short = String(repeating: "n", count: 256)
        #expect(Metadata(name: short).name == short)
    }

    @Test(arguments: Fixture.allCases)
    func `a list is read completely or names the elements it skipped`(fixture: Fixture) throws {
        let envelope = try fixture.read()
        #expect(envelope.data.count + envelope.unreadable.count == (try fixture.elements().count))
        #expect(envelope.unreadable.count == (fixture == .laterFirmware ? 6 : 0))
    }

    @Test(arguments: Fixture.allCases, seeds(8))
    func `unknown members are ignored`(fixture: Fixture, seed: Int) throws {
        var generator = SplitMix(seed: UInt64(seed))
        for element in try fixture.elements() {
            guard let before = try? Resource(element) else { continue }
            var grown = element
            for number in 0...Int.random(in: 0..<6, using: &generator) {
                let place = try #require(grown.objectPaths.randomElement(using: &generator))
                grown = grown.putting(.any(&generator), at: place + [.member("later_\(number)")])
            }
            // An empty feature still means a missing one if only unknown members are added.
            #expect(try Resource(grown) == before, "\(grown)")
        }
    }

    @Test(arguments: Fixture.allCases, seeds(12))
    func `a malformed feature never makes a resource unreadable`(fixture: Fixture, seed: Int) throws {
        var generator = SplitMix(seed: UInt64(seed))
        let elements = try fixture.elements().filter { (try? Resource($0)) != nil }
        let odd = elements.map { element in
            var odd = element
            for _ in 0...Int.random(in: 0..<5, using: &generator) {
                // Type and id must be valid; everything else may be anything.
                let ways = odd.memberPaths.filter { $0 != [.member("id")] && $0 != [.member("type")] }
                guard let way = ways.randomElement(using: &generator) else { continue }
                let oddity: JSONValue? =
                    switch Int.random(in: 0..<4, using: &generator) {
                    case 0: nil
                    case 1: .null
                    case 2: .object([:])
                    default: .any(&generator)
                    }
                odd = odd.putting(oddity, at: way)
            }
            return odd
        }
        let envelope = try Envelope<Resource>(of: odd)
        #expect(envelope.unreadable == [])
        #expect(envelope.data.map(\.name) == (try elements.map { try Resource($0).name }))
    }

    @Test(arguments: Fixture.allCases)
    func `null means the same as a missing member`(fixture: Fixture) throws {
        for element in try fixture.elements() where (try? Resource(element)) != nil {
            for name in element.object!.keys where name != "id" && name != "type" {
                let way = [JSONStep.member(name)]
                #expect(
                    try Resource(element.putting(.null, at: way)) == Resource(element.putting(nil, at: way)),
                    "\(name) of \(element)")
            }
        }
    }

    @Test(arguments: Fixture.allCases)
    func `an empty feature means the same as a missing one`(fixture: Fixture) throws {
        for element in try fixture.elements() where (try? Resource(element)) != nil {
            for name in ["on", "dimming", "color_temperature", "color", "owner", "group"] {
                let way = [JSONStep.member(name)]
                #expect(
                    try Resource(element.putting(.object([:]), at: way)) == Resource(element.putting(nil, at: way)),
                    "\(name) of \(element)")
            }
        }
    }

    @Test func `the rest of a feature is read if a part of it is malformed`() throws {
        let odd: JSONValue = [
            "type": "light", "id": "a",
            "color_temperature": ["mirek": 300, "mirek_valid": "yes", "mirek_schema": ["mirek_minimum": 153]],
            "color": ["xy": ["x": 0.4, "y": 0.3], "gamut": ["red": .null], "gamut_type": 7],
            "dimming": ["brightness": 40, "min_dim_level": "little"],
        ]
        guard case let .light(light) = try Resource(odd) else {
            Issue.record("not a light")
            return
        }
        #expect(light.colorTemperature == ColorTemperature(mirek: 300))
        #expect(light.color == ColorFeature(XY(x: 0.4, y: 0.3)))
        #expect(light.dimming == Dimming(40))
    }

    // MARK: - Examples

    @Test func `all parts of the small home are decoded`() throws {
        let home = try Fixture.home.read()
        #expect(home.errors == [])
        #expect(
            home.data.map(\.name.rawValue).sorted() == [
                "bridge", "bridge_home", "device", "device", "device", "grouped_light", "grouped_light", "light",
                "light",
                "room", "scene", "zigbee_connectivity", "zigbee_connectivity", "zigbee_connectivity",
                "zigbee_device_discovery",
            ])
        let desk = try #require(home.lights.first)
        #expect(desk.metadata == Metadata(name: "Desk", archetype: "sultan_bulb"))
        #expect(desk.on == On(true))
        #expect(desk.dimming == Dimming(50.2, minDimLevel: 0.2))
        #expect(desk.colorTemperature == ColorTemperature(mirek: nil, valid: false, schema: MirekSchema(153, 500)))
        #expect(desk.colorTemperature?.shown == nil)
        #expect(desk.color == ColorFeature(XY(x: 0.1725, y: 0.1532), gamut: .c, gamutType: "C"))
        #expect(desk.owner == ResourceReference("5f1b8c1e-0000-4a00-8000-000000000020", .device))
        #expect(desk.mode == "normal")
        let shelf = try #require(home.lights.last)
        #expect(shelf.color == nil)
        #expect(shelf.colorTemperature?.shown == 367)
        #expect(shelf.colorTemperature?.mirekSchema?.range == 153...454)
        for resource in home.data {
            switch resource {
            case let .bridge(bridge): #expect(bridge.bridgeID == "ecb5fafffe010203")
            case let .room(room):
                #expect(room.children?.map(\.rtype) == [.device, .device])
                #expect(room.services.map(\.rtype) == [.groupedLight])
            case let .home(home): #expect(home.children?.map(\.rtype) == [.device, .room])
            case let .scene(scene):
                #expect(scene.metadata?.name == "Evening")
                #expect(scene.group?.rtype == .room)
                #expect(scene.actions?.map(\.target.rid) == home.lights.map(\.id))
            case let .connectivity(connectivity): #expect(connectivity.isReachable == true)
            case let .groupedLight(group): #expect(group.on == On(true) && group.dimming == Dimming(50.2))
            default: break
            }
        }
    }

    @Test func `every reference in the small home names a resource`() throws {
        let home = try Fixture.home.read()
        let ids = Set(home.data.map(\.id))
        for resource in home.data { #expect(resource.references.allSatisfy { ids.contains($0.rid) }, "\(resource)") }
    }

    @Test func `a home of a Bridge Pro is decoded without ids of API v1`() throws {
        let pro = try Fixture.bridgePro.read()
        let loom = try #require(pro.lights.first)
        #expect(loom.colorTemperature?.mirekSchema?.range == 50...1000)
        #expect(loom.colorTemperature?.shown == 870)
        #expect(loom.dimming?.brightness == 58.397499999999994)
        for resource in pro.data {
            switch resource {
            case let .bridge(bridge): #expect(bridge.owner == nil && bridge.bridgeID == "c42996fffe0a0b0c")
            case let .room(room): #expect(room.children == [] && room.services == [])
            case let .connectivity(connectivity): #expect(connectivity.isReachable == true)
            default: break
            }
        }
    }

    @Test func `lamps with broken features are still decoded`() throws {
        let broken = try Fixture.brokenLamps.read()
        let lights = broken.lights
        #expect(lights.count == 5)
        let unwhite = lights[0]
        #expect(unwhite.colorTemperature?.shown == nil)
        #expect(unwhite.colorTemperature?.mirekSchema?.range == 153...500)
        #expect(unwhite.color?.gamut?.isDegenerate == true)
        #expect(unwhite.color?.triangle == .c)
        #expect(unwhite.on == On(true) && unwhite.dimming == Dimming(0), "a lamp at its lowest level is not off")
        let zero = lights[1]
        #expect(zero.colorTemperature == ColorTemperature(mirek: 0, valid: true))
        #expect(zero.colorTemperature?.shown == nil)
        #expect(zero.color?.xy == XY(x: 0.2, y: 0.1858))
        #expect(zero.color?.triangle == .a)
        for bare in lights[2...3] {
            #expect(bare.on == On(true))
            #expect(bare.dimming == nil && bare.colorTemperature == nil && bare.color == nil && bare.owner == nil)
        }
        #expect(lights[3].mode == "a_later_mode")
        #expect(
            lights[4].colorTemperature?.mirekSchema?.range == 153...500,
            "reversed bounds count as unknown")
        #expect(lights[4].color?.triangle == .c)
        guard case let .connectivity(connectivity)? = broken.data.last else {
            Issue.record("the last resource is not a connectivity")
            return
        }
        #expect(connectivity.isReachable == true, "a lamp with an unknown status counts as reachable")
    }

    @Test func `of unknown types only the name is kept`() throws {
        let later = try Fixture.laterFirmware.read()
        #expect(later.data.first?.name == .motion)
        #expect(later.data.dropFirst().first?.name.rawValue == "hologram_projector")
        #expect(later.lights.map(\.metadata?.name) == ["Tomorrow"])
        guard case let .device(device)? = later.data.last else {
            Issue.record("the last resource is not a device")
            return
        }
        #expect(device.services == [ResourceReference("7d000000-3000-4d00-8000-000000000003", .light)])
    }

    @Test(arguments: [
        ("connected", true), ("disconnected", false), ("connectivity_issue", false), ("unidirectional_incoming", true),
        ("pending_discovery", true),
    ])
    func `the status of the connectivity tells whether a lamp is reachable`(status: String, isReachable: Bool) throws {
        let resource = try Resource(#"{"type":"zigbee_connectivity","id":"z","status":"\#(status)"}"#)
        guard case let .connectivity(connectivity) = resource else {
            Issue.record("not a connectivity")
            return
        }
        #expect(connectivity.isReachable == isReachable)
    }

    @Test func `a partial resource has no values for features it does not name`() throws {
        let light = try Resource(#"{"type":"light","id":"a","on":{"on":false}}"#)
        guard case let .light(part) = light else {
            Issue.record("not a light")
            return
        }
        #expect(part.on == On(false))
        #expect(part.dimming == nil && part.color == nil && part.colorTemperature == nil && part.metadata == nil)
        guard case let .room(room) = try Resource(#"{"type":"room","id":"r","metadata":{"name":"Den"}}"#) else {
            Issue.record("not a room")
            return
        }
        #expect(room.children == nil)
        guard case let .connectivity(silent) = try Resource(#"{"type":"zigbee_connectivity","id":"z"}"#) else {
            Issue.record("not a connectivity")
            return
        }
        #expect(silent.isReachable == nil)
    }

    @Test func `an update leaves alone what it does not name in a scene`() throws {
        guard
            case let .scene(whole) = try #require(
                Fixture.home.read().data.first { $0.name == .scene }),
            case let .scene(renamed) = try Resource(
                #"{"type":"scene","id":"\#(whole.id)","metadata":{"name":"Late"}}"#),
            case let .scene(emptied) = try Resource(#"{"type":"scene","id":"\#(whole.id)","actions":[]}"#)
        else {
            Issue.record("not scenes")
            return
        }
        let late = whole.merged(with: renamed)
        #expect(late.metadata?.name == "Late" && late.group == whole.group && late.actions == whole.actions)
        #expect(whole.merged(with: emptied).actions == [])
        #expect(whole.merged(with: whole) == whole)
    }
}

extension Resource {
    var name: ResourceType {
        switch self {
        case .light: .light
        case .device: .device
        case .room: .room
        case .zone: .zone
        case .home: .bridgeHome
        case .groupedLight: .groupedLight
        case .scene: .scene
        case .smartScene: .smartScene
        case .connectivity: .connectivity
        case .bridge: .bridge
        case let .sensor(sensor): sensor.type
        case .motionArea: .motionArea
        case .softwareUpdate: .softwareUpdate
        case let .unknown(type, _): type
        }
    }

    var id: ResourceID {
        switch self {
        case let .light(light): light.id
        case let .device(device): device.id
        case let .room(group), let .zone(group), let .home(group): group.id
        case let .groupedLight(group): group.id
        case let .scene(scene): scene.id
        case let .smartScene(scene): scene.id
        case let .connectivity(connectivity): connectivity.id
        case let .bridge(bridge): bridge.id
        case let .sensor(sensor): sensor.id
        case let .motionArea(area): area.id
        case let .softwareUpdate(update): update.id
        case let .unknown(_, id): id
        }
    }

    var references: [ResourceReference] {
        switch self {
        case let .light(light): [light.owner].compactMap(\.self)
        case let .device(device): device.services
        case let .room(group), let .zone(group), let .home(group): (group.children ?? []) + group.services
        case let .groupedLight(group): [group.owner].compactMap(\.self)
        case let .scene(scene): [scene.group].compactMap(\.self) + (scene.actions ?? []).map(\.target)
        case let .smartScene(scene):
            [scene.group].compactMap(\.self) + (scene.week ?? []).flatMap(\.slots).map(\.target)
        case let .connectivity(connectivity): [connectivity.owner].compactMap(\.self)
        case let .bridge(bridge): [bridge.owner].compactMap(\.self)
        case let .sensor(sensor): [sensor.owner].compactMap(\.self)
        case let .motionArea(area): area.services + [area.group].compactMap(\.self)
        case let .softwareUpdate(update): [update.owner].compactMap(\.self)
        case .unknown: []
        }
    }
}
