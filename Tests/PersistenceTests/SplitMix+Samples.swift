import Khipu
import LightingTestKit
import TestSupport

@testable import Lighting

extension SplitMix {
    mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }

    mutating func oneOf<Value>(_ values: [Value]) -> Value { values[pick(values.count)] }

    mutating func text() -> String { oneOf(["Küche", "it's; DROP TABLE bridge", "", "夜 \u{1}x", "a\"b\\c\n", "Desk"]) }

    mutating func bridge() -> Bridge.ID {
        oneOf(["ecb5fafffe000001", "ecb5fafffe000002", "ecb5fafffe000003"].map { Bridge.ID($0) })
    }

    mutating func pairing() -> Pairing {
        let trust: Pairing.Trust = oneOf([.maker, .pinned("sha256//AAA\(pick(3))="), .plain])
        return Pairing(
            bridge: .make(id: bridge(), name: text(), model: text(), address: address()),
            key: Secret("key \(pick(3))"),
            clientKey: oneOf([nil, Secret("client \(pick(3))")]),
            trust: trust,
            api: trust == .plain ? .v1 : oneOf([.v1, .v2])
        )
    }

    mutating func address() -> Bridge.Address {
        .init(host: oneOf(["192.0.2.1", "fe80::1%eth0", "hue.local"]), port: oneOf([443, 8443]))
    }

    mutating func scenes(of bridge: Bridge.ID) -> [Scene] {
        (0..<pick(4)).map { number in
            Scene(
                id: Scene.ID(bridge: bridge, resource: "scene-\(number)"), name: text(),
                room: oneOf([nil, Room.ID(bridge: bridge, resource: "room/\(pick(2))")]),
                lights: (0..<pick(3)).map { Light.ID(bridge: bridge, resource: "light-\($0)") },
                look: oneOf([nil, [], [.ct(366.mirek), .hsb(hue: 0.25, saturation: 1, brightness: nil)]]),
                turnsOff: oneOf([nil, [], [Light.ID(bridge: bridge, resource: "light-1")]]),
                smart: oneOf([nil, SmartScene(week: []), smartScene(on: bridge)])
            )
        }
    }

    /// Of rooms in the order of their ids.
    mutating func sceneOrders(of bridge: Bridge.ID) -> [SceneOrder] {
        (0..<pick(3)).map { number in
            SceneOrder(
                of: Room.ID(bridge: bridge, resource: "room/\(number)"),
                (0..<pick(4)).map { Scene.ID(bridge: bridge, resource: "scene-\($0)") })
        }
    }

    private mutating func smartScene(on bridge: Bridge.ID) -> SmartScene {
        let slots = [Moment.time(.noon), .sun(.sunset)].map {
            SmartScene.Slot($0, Scene.ID(bridge: bridge, resource: "scene-\(pick(4))"))
        }
        return SmartScene(
            week: [.init([.monday, .sunday], slots)], transition: oneOf([nil, 60_000]), isActive: true,
            current: slots[1])
    }

    mutating func target() -> Target {
        oneOf([
            .all, .light(Light.ID(bridge: bridge(), resource: "\(pick(3))")),
            .room(Room.ID(bridge: bridge(), resource: "\(pick(3))")),
        ])
    }

    mutating func dashboard() -> Dashboard {
        Dashboard(
            pins: (0..<pick(4)).map { _ in DashboardPin(target(), display: oneOf([.slider, .scrubbing])) },
            exclusions: Dictionary(
                uniqueKeysWithValues: Exclusion.allCases.map { what in
                    (what, Set((0..<pick(3)).map { Light.ID(bridge: bridge(), resource: "\($0)") }))
                }))
    }

    mutating func binding(_ number: Int) -> SwitchBinding {
        let (dial, room) = (Sensor.make("\(number)", name: text()), Room.make(name: text()))
        let binding = SwitchBinding(of: dial.id, to: target(), scenes: oneOf([nil, [], [Scene.make("relax").id]]))
        let command = Message.switches(.bind(binding), ticket: .unasked(from: "test", at: .sample))
        return SwitchBinding(
            of: binding.id, to: binding.target, scenes: binding.scenes,
            names: Journal.Names(of: command, in: .make(rooms: [room], sensors: [dial])))
    }

    mutating func presence() -> PresenceReplay {
        let uses = (0..<pick(4)).map { number in
            UsageHistory.Use(
                Light.ID(bridge: bridge(), resource: "\(number)"), from: .sample,
                to: .sample.advanced(by: .seconds(60 + pick(9))), level: oneOf([nil, 0.25, 1]))
        }
        let settings = PresenceReplay.Settings(
            until: oneOf([nil, .sample]), seed: UInt64(pick(9)), includesPlugs: oneOf([true, false]))
        return PresenceReplay(
            settings, began: .sample, history: UsageHistory(uses: uses), plan: uses.map { .init($0, isLit: true) })
    }

    mutating func keepsake() -> Archive.Item {
        let bridge = bridge()
        return switch pick(10) {
        case 0: .pairing(pairing())
        case 1: .sighting(bridge, address(), name: text(), model: text())
        case 2: .scenes(of: bridge, scenes(of: bridge))
        case 3: .automations((0..<pick(4)).map { Self.automation("\($0) \(text())") })
        case 4: .automationMemory(Self.automationMemory(runs: UInt64(pick(3))))
        case 5: .bindings((0..<pick(4)).map { binding($0) })
        case 6:
            .followings(
                (0..<pick(3)).map(Self.following), curves: pick(2) == 0 ? [:] : ["office": Self.curve])
        case 7: .presence(presence())
        case 8: .sceneOrders(of: bridge, sceneOrders(of: bridge))
        default: .dashboard(dashboard())
        }
    }

    static func following(_ number: Int) -> Following {
        Following(
            number == 0 ? .curve("daylight") : .sleep(over: .seconds(600)),
            on: .room(Room.ID(bridge: .sample, resource: "\(number)")), values: [.brightness], started: .sample,
            resumesAfter: .seconds(60))
    }

    static let curve = Curve.daylight

    static func automation(_ name: String) -> Automation {
        Automation(
            name: name,
            triggers: [
                .clock(.at(.sun(.sunset, offset: .seconds(-1200)), [.monday, .friday])),
                .becomes(.lightLevel("Hall", .below(12)), for: .seconds(300)), .press(sensor: "Dial", button: 1, .held),
            ],
            conditions: [.any([.not(.check(.bridge(nil, isConnected: false))), .between(.time(.noon), .sun(.dusk))])],
            steps: [
                .command(StoredCommand(text: "turn on desk", json: "{}", mayComeLate: true)),
                .waitFor(.motion("Hall", false), for: .seconds(120), atMost: nil), .restore("@Hall"),
            ], mode: .restart, lateness: .skip)
    }

    static func automationMemory(runs: UInt64) -> AutomationState.Memory {
        var memory = AutomationState.Memory()
        memory.runs = (0..<runs).map { number in
            AutomationRun(
                id: number, automation: automation("\(number)"), reason: .hand("test"), started: .sample,
                before: [DesiredState(Light.make().id, power: .on, .bri(0.5))],
                phase: .waitingFor(since: nil, until: .sample), origin: number)
        }
        memory.nextRun = runs
        return memory
    }

    mutating func subject() -> Journal.Subject {
        let bridge = bridge()
        let rooms: [Room.ID] = pick(2) == 0 ? [Room.ID(bridge: bridge, resource: "\(pick(3))")] : []
        let scenes: [Scene.ID] = pick(2) == 0 ? [Scene.ID(bridge: bridge, resource: text() + "/x")] : []
        return Journal.Subject(
            lights: [Light.ID(bridge: bridge, resource: "\(pick(3))")], rooms: Set(rooms), scenes: Set(scenes))
    }

    /// What a bridge reports of a light, or a command about lights.
    mutating func report() -> Message {
        let asked = Ticket(number: UInt64(1 + pick(9)), holder: text(), time: .sample)
        let light = Light.ID(bridge: bridge(), resource: "\(pick(3))")
        let scene = Scene.ID(bridge: bridge(), resource: text() + "/x")
        let source: Cause.Kind? = oneOf([
            nil, .command(asked), .scene(scene, by: oneOf([nil, asked])), .accessory(text()), .power, .otherApp,
            .unseen,
        ])
        let unasked = Ticket.unasked(from: "bridge \(light.bridge)", at: .sample)
        return switch pick(5) {
        case 0: .lighting(.recall(scene, over: .usual), ticket: asked)
        case 1: .lighting(.undoing(Reversal(steps: 1, lights: [light]), .succeeded), ticket: asked)
        case 2: .lighting(.reported(.renamed(target(), to: text())), ticket: unasked)
        default: .lighting(.reported(.light(light, Light.Report(power: .on, source: source))), ticket: unasked)
        }
    }

    /// What a bridge reports of some values of a light or sensor.
    mutating func value() -> Message {
        let (bridge, resource) = (Bridge.ID.sample, "\(pick(2))")
        let unasked = Ticket.unasked(from: "bridge", at: .sample)
        let level = Double(pick(100)) / 100
        guard pick(2) == 0 else {
            let report = oneOf([
                Sensor.Report(motion: pick(2) == 0), .init(temperature: level), .init(reachable: pick(2) == 0),
                .init(press: Sensor.Report.Pressed(1 + pick(4), .pressed)), .init(contact: oneOf([.open, .closed])),
                .init(rotation: pick(100)),
            ])
            return .lighting(.reported(.sensor(Sensor.ID(bridge: bridge, resource: resource), report)), ticket: unasked)
        }
        let report = oneOf([
            Light.Report(power: oneOf([.on, .off])), .init(brightness: level), .init(reachable: pick(2) == 0),
            .init(hue: level, saturation: 1 - level), .init(power: .on, brightness: level),
        ])
        return .lighting(.reported(.light(Light.ID(bridge: bridge, resource: resource), report)), ticket: unasked)
    }

    mutating func message() -> Message {
        let ticket = Ticket(number: UInt64(pick(1000)), holder: text(), time: .sample)
        return switch pick(6) {
        case 0: .lighting(.turn(oneOf([.on, .off]), target(), over: .milliseconds(pick(1000))), ticket: ticket)
        case 1:
            .lighting(
                .reported(
                    .home(
                        bridge(),
                        lights: [.make(brightness: .random(in: 0...1, using: &self))], rooms: [], scenes: [])),
                ticket: ticket
            )
        case 2: .bridges(.lost(bridge(), because: .unreachable(bridge(), because: text())), ticket: ticket)
        case 3: .dashboard(.pinning(target(), .failed(.noSuchTarget(target()))), ticket: ticket)
        case 4: .bridges(.discover(for: .milliseconds(pick(5000))), ticket: ticket)
        default: .logging(.write(.info, text() + "\u{0}x"), ticket: ticket)
        }
    }
}
