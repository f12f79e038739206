import Foundation
import HueWire
import Khipu
import Lighting
import TestSupport
import Testing

@testable import HueBridge
@testable import SimulatedBridge

/// The last hand wins: what people do at the bridge while commands of ours are confirmed, repaired or kept.
struct HandsTests {
    static let now = Timestamp(milliseconds: 1_790_000_100_000)
    let ticket = Ticket(number: 7, holder: "test", time: HandsTests.now)
    let lamps: [ResourceID] = ["a", "b", "c", "d"]
    private let button = ResourceReference("switch", .device)

    func light(_ id: ResourceID, on: Bool, level: Double = 40) -> Resource {
        .light(
            LightResource(
                id: id, owner: ResourceReference(ResourceID("device-\(id)"), .device), on: On(on),
                dimming: Dimming(level)))
    }

    private func connectivity(_ id: ResourceID, _ isReachable: Bool) -> Resource {
        .connectivity(
            ConnectivityResource(
                id: ResourceID("zigbee-\(id)"), owner: ResourceReference(ResourceID("device-\(id)"), .device),
                status: isReachable ? "connected" : "connectivity_issue"))
    }

    func everything(on: Bool, level: Double = 40, unreachable: ResourceID? = nil) -> [Resource] {
        [.device(DeviceResource(id: "switch", metadata: Metadata(name: "Dimmer")))]
            + lamps.map {
                .device(
                    DeviceResource(id: ResourceID("device-\($0)"), metadata: Metadata(name: "Lamp \($0)")))
            }
            + [.sensor(SensorResource(id: "button", type: .button, owner: button, control: 1, report: nil))]
            + lamps.map { light($0, on: on, level: level) } + lamps.map { connectivity($0, $0 != unreachable) }
    }

    /// All lamps are on, and were turned off by one group command, which they have confirmed.
    private func turnedOff(_ lamps: [ResourceID]? = nil) -> HomeMirror {
        var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
        _ = mirror.load(everything(on: true), at: Self.now)
        let lamps = lamps ?? self.lamps
        for lamp in lamps {
            _ = mirror.expect(LightUpdate(on: false), of: lamp, by: ticket, isOfGroup: true, at: .zero)
        }
        mirror.delivered(to: lamps, isAccepted: true, at: .milliseconds(50))
        _ = hear(&mirror, lamps.map { light($0, on: false) }, at: .milliseconds(300))
        return mirror
    }

    private func hear(_ mirror: inout HomeMirror, _ resources: [Resource], at now: Duration) -> HomeMirror.Effects {
        mirror.apply([EventContainer(.update, resources)], at: Self.now, now)
    }

    private func sources(_ effects: HomeMirror.Effects) -> [Cause.Kind?] {
        effects.updates.compactMap { if case let .light(_, report) = $0 { report.source } else { nil } }
    }

    // MARK: - A light out of reach whose target the bridge shows, and takes back

    private func asked(_ lamp: ResourceID, isOfGroup: Bool, unreachable: Bool) -> HomeMirror {
        var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
        _ = mirror.load(everything(on: true, unreachable: unreachable ? lamp : nil), at: Self.now)
        _ = mirror.expect(LightUpdate(on: false), of: lamp, by: ticket, isOfGroup: isOfGroup, at: .zero)
        mirror.delivered(to: [lamp], isAccepted: true, at: .milliseconds(50))
        #expect(sources(hear(&mirror, [light(lamp, on: false)], at: .milliseconds(300))) == [.command(ticket)])
        return mirror
    }

    /// What is sent to the lamp once it is back.
    private func sentOnReturn(_ mirror: inout HomeMirror, _ lamp: ResourceID) -> [Repair] {
        _ = hear(&mirror, [connectivity(lamp, true), light(lamp, on: true)], at: .seconds(30))
        return mirror.due(at: .seconds(40)).1.repairs
    }

    @Test(arguments: [false, true])
    func `what the bridge takes back of a light out of reach is no hand: the command waits for the light`(
        isOfGroup: Bool
    ) {
        var mirror = asked("a", isOfGroup: isOfGroup, unreachable: true)
        let takenBack = hear(&mirror, [light("a", on: true)], at: .seconds(5))
        #expect(takenBack.yields == [] && sources(takenBack) == [.command(ticket)])
        #expect(mirror.due(at: .seconds(8)).1.repairs == [], "not before it is back")
        #expect(
            sentOnReturn(&mirror, "a") == [Repair(light: "a", update: LightUpdate(on: false), ticket: ticket)])
    }

    @Test(arguments: ["loss first", "together", "loss last", "a frame later"])
    func `a loss that is found out only by the command keeps it, whatever is told first`(order: String) {
        var mirror = asked("a", isOfGroup: false, unreachable: false)
        let (loss, takenBack) = (connectivity("a", false), light("a", on: true))
        switch order {
        case "loss first":
            _ = hear(&mirror, [loss], at: .seconds(5))
            _ = hear(&mirror, [takenBack], at: .seconds(6))
        case "together": _ = hear(&mirror, [loss, takenBack], at: .seconds(5))
        case "loss last": _ = hear(&mirror, [takenBack, loss], at: .seconds(5))
        default:
            _ = hear(&mirror, [takenBack], at: .seconds(5))
            _ = hear(&mirror, [loss], at: .seconds(6))
        }
        #expect(
            sentOnReturn(&mirror, "a") == [Repair(light: "a", update: LightUpdate(on: false), ticket: ticket)])
    }

    @Test func `an app that wants something else of a light out of reach gets it: the command is dropped`() {
        var mirror = asked("a", isOfGroup: false, unreachable: true)
        _ = hear(&mirror, [light("a", on: true, level: 90)], at: .seconds(5))
        #expect(sentOnReturn(&mirror, "a") == [])
    }

    private func kept(_ mirror: inout HomeMirror, at now: Duration) -> [Light.Kept?] {
        mirror.newsOfKept(at: now).map { update -> Light.Kept? in
            if case let .light(_, report) = update { report.kept } else { nil }
        }
    }

    @Test(arguments: ["back", "app", "too old", "leave"])
    func `the domain is told what is kept for a light out of reach, and when it is kept no longer`(end: String) {
        var mirror = asked("a", isOfGroup: false, unreachable: true)
        let off = Light.Kept(LightPatch(power: .off))
        #expect(kept(&mirror, at: .seconds(1)) == [off])
        #expect(kept(&mirror, at: .seconds(2)) == [])
        // Who reads everything anew takes nothing for kept.
        _ = mirror.load(everything(on: true, unreachable: "a"), at: Self.now, .seconds(3))
        #expect(kept(&mirror, at: .seconds(3)) == [off])
        switch end {
        case "back":
            _ = hear(&mirror, [connectivity("a", true), light("a", on: true)], at: .seconds(30))
            #expect(kept(&mirror, at: .seconds(30)) == [Light.Kept(nil)])
            _ = hear(&mirror, [connectivity("a", false)], at: .seconds(31))
            #expect(kept(&mirror, at: .seconds(31)) == [off])
            #expect(sentOnReturn(&mirror, "a").count == 1)
        case "app": _ = hear(&mirror, [light("a", on: true, level: 90)], at: .seconds(30))
        case "too old":
            #expect(mirror.nextExpiry == .seconds(600))
            _ = mirror.due(at: .seconds(600))
        default: mirror.apply(OfflineCommands.Policy(applies: false))
        }
        #expect(kept(&mirror, at: .seconds(600)) == [Light.Kept(nil)])
        #expect(mirror.nextExpiry == nil)
    }

    // MARK: - Lights of several gamuts

    @Test func `a colour that none of a room's unlike lamps can show is confirmed by each, and sent once`() throws {
        let gamuts: [ResourceID: Gamut] = ["a": .a, "b": .b, "c": .c]
        func colored(_ id: ResourceID, _ point: XY) -> Resource {
            .light(
                LightResource(
                    id: id, owner: ResourceReference(ResourceID("device-\(id)"), .device), on: On(true),
                    dimming: Dimming(40), color: ColorFeature(point, gamut: gamuts[id])))
        }
        for point in [XY(x: 0.1, y: 0.85), XY(x: 0.75, y: 0.2), XY(x: 0.1, y: 0.02), XY(x: 0.05, y: 0.3)] {
            var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
            _ = mirror.load(gamuts.keys.map { colored($0, XY(x: 0.33, y: 0.33)) }, at: Self.now)
            var parts = BridgeConnection.Parts(
                dialect: .v2, hasScenesInGroups: false, queue: CommandQueue(Bridge.ID("b"), GatewaySettings()),
                mirror: mirror)
            let operations = parts.operations(
                of: ScheduledRequest(
                    id: 1,
                    content: .group("room", members: gamuts.keys.sorted(), LightUpdate(color: .xy(point)))),
                at: .zero)
            guard case let .group(_, update)? = operations.first, case let .xy(sent)? = update.color else {
                Issue.record("no colour is sent")
                return
            }
            parts.mirror.delivered(to: gamuts.keys.sorted(), isAccepted: true, at: .milliseconds(50))
            let shown = gamuts.map { colored($0, $1.held(sent)) }
            _ = hear(&parts.mirror, shown, at: .milliseconds(300))
            for second in 1..<12 {
                let (unconfirmed, effects) = parts.mirror.due(at: .seconds(second))
                #expect(unconfirmed == [] && effects.repairs == [], "\(point): \(unconfirmed)")
            }
        }
    }

    // MARK: - A group command that is taken back

    @Test(arguments: [Duration.seconds(1), .seconds(3), .seconds(6), .seconds(9)])
    func `an app that turns a room on again is obeyed, and named`(moment: Duration) {
        var mirror = turnedOff()
        let effects = hear(&mirror, lamps.map { light($0, on: true) }, at: moment)
        #expect(effects.repairs == [])
        #expect(sources(effects) == lamps.map { _ in .otherApp })
        for second in 10..<30 { #expect(mirror.due(at: .seconds(second)).1.repairs == []) }
    }

    @Test(arguments: [1, 2, 4])
    func `a switch that turns lamps on again is obeyed, and named`(count: Int) {
        var mirror = turnedOff()
        let pressed = Resource.sensor(
            SensorResource(
                id: "button", type: .button, owner: button, control: 1,
                report: SensorReport(.button("initial_press"), at: ReportTime("2026-11-24T12:00:00.000Z"))))
        let press = EventContainer(.update, [pressed], created: ReportTime("2026-11-24T12:00:00.100Z"))
        let lit = lamps.prefix(count).map { light($0, on: true) }
        // The press comes with the lamps, or in the next frame.
        if count == 1 {
            #expect(hear(&mirror, lit, at: .seconds(5)).repairs == [])
            let later = mirror.apply([press], at: Self.now, .seconds(6))
            #expect(later.repairs == [] && sources(later) == [.accessory("Dimmer")])
        } else {
            let effects = mirror.apply([press, EventContainer(.update, lit)], at: Self.now, .seconds(5))
            #expect(effects.repairs == [] && sources(effects) == lit.map { _ in .accessory("Dimmer") })
        }
        for second in 8..<30 { #expect(mirror.due(at: .seconds(second)).1.repairs == []) }
    }

    @Test func `one lamp of a room that shows its old values again, with nobody about, has missed the command`() {
        var mirror = turnedOff()
        let found = hear(&mirror, [light("b", on: true)], at: .seconds(6))
        #expect(found.repairs == [] && found.updates == [], "what else happened may be told in a later frame")
        #expect(mirror.nextDue == .seconds(8))
        let effects = mirror.due(at: .seconds(8)).1
        #expect(effects.repairs == [Repair(light: "b", update: LightUpdate(on: false), ticket: ticket, missed: .zero)])
        #expect(sources(effects) == [.command(ticket)])
        #expect(mirror.due(at: .seconds(9)).1.repairs == [], "once")
    }

    /// The stream has told of one lamp that a switch has turned on again, and of neither the other nor the press.
    @Test(arguments: [false, true])
    func `before a lamp is sent a command once more, what the stream left out may speak of a hand`(isTakenBack: Bool) {
        var mirror = turnedOff(["a", "b"])
        _ = hear(&mirror, [light("b", on: true)], at: .seconds(6))
        let missed = mirror.due(at: .seconds(8)).1.repairs
        #expect(missed.map(\.light) == ["b"])
        let read = [light("a", on: isTakenBack), light("b", on: true)]
        _ = mirror.refresh(read, askedAt: .seconds(9), at: Self.now, .seconds(9))
        let (effects, left) = mirror.confirmMissed(missed, at: .seconds(9))
        #expect(left == (isTakenBack ? [] : missed))
        #expect(effects.yields == (isTakenBack ? ["a", "b"] : []))
        #expect(sources(effects) == (isTakenBack ? [.otherApp, .otherApp] : []))
    }

    @Test func `no bridge finds out within two seconds that a lamp did not follow: who turns it on by then is obeyed`()
    {
        var mirror = turnedOff()
        let effects = hear(&mirror, [light("b", on: true)], at: .seconds(2))
        #expect(effects.repairs == [] && sources(effects) == [.otherApp])
        #expect(mirror.due(at: .seconds(9)).1.repairs == [])
    }

    @Test(arguments: [Duration.seconds(3), .seconds(7)])
    func `while somebody else changes lamps, none is taken for one that missed a command`(moment: Duration) {
        var mirror = turnedOff()
        if moment < .seconds(6) { _ = hear(&mirror, [light("a", on: true, level: 90)], at: moment) }
        let found = hear(&mirror, [light("b", on: true)], at: .seconds(6))
        let told = moment < .seconds(6) ? found : hear(&mirror, [light("a", on: true, level: 90)], at: moment)
        #expect(told.updates.contains { if case .light(Light.ID(Bridge.ID("b"), "b"), _) = $0 { true } else { false } })
        #expect(mirror.due(at: .seconds(20)).1.repairs == [])
    }

    /// A bridge collects a second's events: of our value and what somebody made of it right after, it reports only theirs.
    @Test func `a hand right after a group command, whose confirmation the bridge left out, is obeyed and named`() {
        var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
        _ = mirror.load(everything(on: true), at: Self.now)
        for lamp in lamps {
            _ = mirror.expect(LightUpdate(brightness: 5), of: lamp, by: ticket, isOfGroup: true, at: .zero)
        }
        mirror.delivered(to: lamps, isAccepted: true, at: .milliseconds(50))
        let reported = [light("a", on: true, level: 21)] + lamps.dropFirst().map { light($0, on: true, level: 5) }
        _ = hear(&mirror, reported, at: .milliseconds(800))
        #expect(mirror.due(at: .milliseconds(1600)).unconfirmed == ["a"])
        let effects = mirror.judge(["a"], isAwaited: { _ in false }, at: .milliseconds(1700))
        #expect(effects.repairs == [] && sources(effects) == [.otherApp] && effects.yields == ["a"])
        for second in 2..<30 { #expect(mirror.due(at: .seconds(second)).1.repairs == []) }
    }

    @Test func `a lamp that shows what it was asked for just before a group command has missed that`() {
        var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
        _ = mirror.load(everything(on: true), at: Self.now)
        for (level, moment) in [(10.0, Duration.zero), (20.0, .milliseconds(300))] {
            for lamp in lamps {
                _ = mirror.expect(LightUpdate(brightness: level), of: lamp, by: ticket, isOfGroup: true, at: moment)
            }
            mirror.delivered(to: lamps, isAccepted: true, at: moment + .milliseconds(50))
        }
        let reported = [light("a", on: true, level: 10)] + lamps.dropFirst().map { light($0, on: true, level: 20) }
        _ = hear(&mirror, reported, at: .milliseconds(800))
        #expect(mirror.due(at: .seconds(2)).unconfirmed == ["a"])
        #expect(mirror.judge(["a"], isAwaited: { _ in false }, at: .seconds(2)).repairs == [])
        let effects = mirror.due(at: .seconds(4)).1
        #expect(
            effects.repairs == [
                Repair(light: "a", update: LightUpdate(brightness: 20), ticket: ticket, missed: .milliseconds(300))
            ])
    }

    /// The bridge reports nothing of a lamp that was off, that a command turned on, and that a switch turned off at once.
    @Test func `a switch right after a group command leaves lamps as they were before, and is obeyed`() {
        var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
        _ = mirror.load(everything(on: false), at: Self.now)
        for lamp in lamps { _ = mirror.expect(LightUpdate(on: true), of: lamp, by: ticket, isOfGroup: true, at: .zero) }
        mirror.delivered(to: lamps, isAccepted: true, at: .milliseconds(50))
        _ = hear(&mirror, lamps.dropFirst().map { light($0, on: true) }, at: .milliseconds(800))
        #expect(mirror.due(at: .milliseconds(1600)).unconfirmed == ["a"])
        #expect(mirror.judge(["a"], isAwaited: { _ in false }, at: .milliseconds(1700)).repairs == [])
        let pressed = Resource.sensor(
            SensorResource(
                id: "button", type: .button, owner: button, control: 4,
                report: SensorReport(.button("initial_press"), at: ReportTime("2026-11-24T12:00:00.000Z"))))
        let effects = mirror.apply(
            [EventContainer(.update, [pressed], created: ReportTime("2026-11-24T12:00:00.100Z"))], at: Self.now,
            .milliseconds(1800))
        #expect(effects.repairs == [] && sources(effects) == [.accessory("Dimmer")] && effects.yields == ["a"])
        for second in 2..<30 { #expect(mirror.due(at: .seconds(second)).1.repairs == []) }
    }

    @Test func `a lamp that lost its mains and returns lit is no hand`() {
        var mirror = turnedOff()
        _ = hear(&mirror, [connectivity("a", false)], at: .seconds(3))
        _ = hear(&mirror, [connectivity("a", true), light("a", on: true)], at: .seconds(5))
        _ = hear(&mirror, [light("b", on: true)], at: .seconds(6))
        // The lamp that lost its mains so soon cannot have got the command either.
        #expect(mirror.due(at: .seconds(8)).1.repairs.map(\.light) == ["a", "b"])
    }

    /// On the way that is taken in a home: the bridge's own events.
    @Test(arguments: ["app", "scene"])
    func `a room that was turned off stays on if somebody turns it on again three seconds later`(way: String)
        async throws
    {
        let clock = HandBridgeClock()
        try await withBridge(gateway: { $0.run(on: clock) }) { fixture in
            try await fixture.connect()
            let connection = try #require(fixture.gateway.connection(fixture.id))
            let kitchen = fixture.lights(of: .room(fixture.room("Kitchen")))
            func turn(_ power: Turn) async throws {
                let states = kitchen.map { DesiredState($0, power: power) }
                #expect(await fixture.send { fixture.gateway.lights.set(states, .usual, .test, $0) } == .succeeded)
                try await fixture.updates.wait("the kitchen") { state in
                    kitchen.allSatisfy { state.lights[$0]?.power == power }
                }
            }
            try await turn(.on)
            clock.wind(by: .seconds(20))
            try await turn(.off)
            clock.wind(by: .seconds(3))
            await fixture.bridge.controls.forgetRequests()
            let group = connection.home.layout.first { Set($0.members) == Set(kitchen.map(\.resourceID)) }
            let scene = fixture.updates.state.scenes.first { $0.name == "Bright" }
            let path =
                way == "app"
                ? "grouped_light/\(try #require(group).groupedLight)" : "scene/\(try #require(scene).id.resourceID)"
            let body = way == "app" ? #"{"on":{"on":true}}"# : #"{"recall":{"action":"active"}}"#
            #expect(try await connection.client.send(.put, path, body: Array(body.utf8)).status == 200)
            try await fixture.updates.wait("somebody's kitchen") { state in
                kitchen.allSatisfy { state.lights[$0]?.power == .on }
            }
            // As long as anything may be repaired.
            for _ in 1...20 { clock.wind(by: .seconds(1)) }
            #expect(await fixture.bridge.controls.requests.filter { $0.method == "PUT" }.count == 1)
            let lamps = await fixture.bridge.controls.home.lamps.filter { ["Stove", "Counter"].contains($0.name) }
            #expect(lamps.map(\.lightState.isOn) == [true, true])
        }
    }

    // MARK: - Who it was

    @Test
    func `who sets a level before the bridge has reported a step of a sunrise is a hand, and the way to it is none`() {
        var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
        _ = mirror.load(everything(on: true, level: 5), at: Self.now)
        func step(_ level: Double, at now: Duration) {
            _ = mirror.expect(
                LightUpdate(brightness: level, milliseconds: 2000), of: "a", by: ticket, isOfGroup: false, at: now)
            mirror.delivered(to: ["a"], isAccepted: true, at: now + .milliseconds(50))
        }
        step(6, at: .zero)
        step(7, at: .seconds(2))
        // Late, and on the way.
        #expect(sources(hear(&mirror, [light("a", on: true, level: 6)], at: .milliseconds(2300))) != [.otherApp])
        #expect(sources(hear(&mirror, [light("a", on: true, level: 6.5)], at: .milliseconds(2400))) != [.otherApp])
        #expect(sources(hear(&mirror, [light("a", on: true, level: 33)], at: .milliseconds(2500))) == [.otherApp])
    }

    /// Another level that is its last one, or on the way from nothing, is none.
    @Test(arguments: [(52.0, true), (63, false), (3, false)])
    func `who sets a level just after a sunrise has turned a lamp on is a hand`(level: Double, isHand: Bool) {
        var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
        _ = mirror.load(everything(on: false, level: 63), at: Self.now)
        let steps = [LightUpdate(on: true, brightness: 1), LightUpdate(brightness: 5, milliseconds: 2000)]
        for (place, step) in steps.enumerated() {
            _ = mirror.expect(step, of: "a", by: ticket, isOfGroup: false, at: .milliseconds(100 * place))
            mirror.delivered(to: ["a"], isAccepted: true, at: .milliseconds(100 * place + 50))
        }
        let sources = sources(hear(&mirror, [light("a", on: true, level: level)], at: .milliseconds(1100)))
        #expect(sources == [isHand ? .otherApp : .command(ticket)])
    }

    @Test func `who turns a lamp off in the midst of a long fade is a hand, but not the off that we sent before`() {
        var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
        _ = mirror.load(everything(on: true), at: Self.now)
        let step = LightUpdate(brightness: 60, milliseconds: 20_000)
        for lamp in ["a", "b"] as [ResourceID] {
            _ = mirror.expect(step, of: lamp, by: ticket, isOfGroup: false, at: .zero)
            mirror.delivered(to: [lamp], isAccepted: true, at: .milliseconds(50))
        }
        #expect(sources(hear(&mirror, [light("a", on: true, level: 60)], at: .milliseconds(400))) == [.command(ticket)])
        for lamp in ["a", "b"] as [ResourceID] {
            #expect(sources(hear(&mirror, [light(lamp, on: false, level: 60)], at: .seconds(8))) == [.otherApp])
        }
        _ = mirror.expect(LightUpdate(on: false), of: "c", by: ticket, isOfGroup: false, at: .seconds(9))
        _ = mirror.expect(step, of: "c", by: ticket, isOfGroup: false, at: .seconds(9))
        mirror.delivered(to: ["c"], isAccepted: true, at: .milliseconds(9050))
        #expect(sources(hear(&mirror, [light("c", on: false)], at: .milliseconds(9300))) == [.command(ticket)])
    }

    @Test func `what an app dims after a lamp was turned on is the app's doing`() {
        var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
        _ = mirror.load(everything(on: false), at: Self.now)
        _ = mirror.expect(LightUpdate(on: true), of: "a", by: ticket, isOfGroup: false, at: .zero)
        mirror.delivered(to: ["a"], isAccepted: true, at: .milliseconds(50))
        #expect(sources(hear(&mirror, [light("a", on: true)], at: .milliseconds(300))) == [.command(ticket)])
        #expect(sources(hear(&mirror, [light("a", on: true, level: 70)], at: .seconds(5))) == [.otherApp])
    }

    /// Home Assistant reacts to a lamp that comes on within a part of a second.
    @Test(arguments: [false, true], [300, 1000, 2500])
    func `an effect that an app begins just after a command is the app's doing, and the command is confirmed`(
        wasOn: Bool, moment: Int
    ) throws {
        var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
        _ = mirror.load(everything(on: wasOn), at: Self.now)
        _ = mirror.expect(LightUpdate(on: true, brightness: 40), of: "a", by: ticket, isOfGroup: false, at: .zero)
        mirror.delivered(to: ["a"], isAccepted: true, at: .milliseconds(50))
        if !wasOn {
            #expect(sources(hear(&mirror, [light("a", on: true)], at: .milliseconds(250))) == [.command(ticket)])
        }
        func running(_ effect: String, _ lamp: String) throws -> Resource {
            let json =
                #"{"id":"\#(lamp)","type":"light","effects_v2":{"action":{"effect_values":["no_effect","candle"]},"#
                + #""status":{"effect":"\#(effect)"}}}"#
            return try JSONDecoder().decode(Resource.self, from: Data(json.utf8))
        }
        let begun = hear(&mirror, [try running("candle", "a")], at: .milliseconds(moment))
        #expect(sources(begun) == [.otherApp] && begun.yields == ["a"])
        // One that we ask for is ours, also if something else is asked of the lamp meanwhile.
        _ = hear(&mirror, [try running("no_effect", "b")], at: .seconds(9))
        _ = mirror.expect(
            LightUpdate(color: .effect(LightUpdate.Effect("candle"), over: nil)), of: "b", by: ticket, isOfGroup: false,
            at: .seconds(10))
        _ = mirror.expect(LightUpdate(brightness: 40), of: "b", by: ticket, isOfGroup: false, at: .seconds(10))
        mirror.delivered(to: ["b"], isAccepted: true, at: .seconds(10))
        let ours = hear(&mirror, [try running("candle", "b")], at: .seconds(11))
        #expect(sources(ours) == [.command(ticket)])
    }

    /// What a lamp is asked for and shows already it does not report: whatever it reports has another cause.
    @Test func `who changes a lamp just after a command that changes nothing is named`() {
        var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
        _ = mirror.load(everything(on: true), at: Self.now)
        _ = mirror.expect(LightUpdate(on: true), of: "a", by: ticket, isOfGroup: false, at: .zero)
        mirror.delivered(to: ["a"], isAccepted: true, at: .milliseconds(50))
        let dimmed = hear(&mirror, [light("a", on: true, level: 70)], at: .milliseconds(300))
        #expect(sources(dimmed) == [.otherApp] && dimmed.yields == ["a"])
    }

    /// diyHue calls 153 and 500 mirek invalid, and some bridges every tone.
    @Test(arguments: [153, 366, 500])
    func `a lamp that shows a white it was asked for, and names only its point, shows that white`(mirek: Int) {
        func lamp(_ mirek: Int?, at white: Int) -> Resource {
            .light(
                LightResource(
                    id: "a", owner: nil, on: On(true), dimming: Dimming(40),
                    colorTemperature: ColorTemperature(mirek: mirek, schema: MirekSchema(153, 500)),
                    color: ColorFeature(Whites.xy(mirek: white), gamut: .c, gamutType: "C")))
        }
        var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
        _ = mirror.load([lamp(250, at: 250)], at: Self.now)
        _ = mirror.expect(LightUpdate(color: .mirek(mirek)), of: "a", by: ticket, isOfGroup: false, at: .zero)
        mirror.delivered(to: ["a"], isAccepted: true, at: .milliseconds(50))
        #expect(sources(hear(&mirror, [lamp(nil, at: mirek)], at: .milliseconds(300))) == [.command(ticket)])
        #expect(mirror.resources.lights["a"]?.mode == .ct && mirror.resources.lights["a"]?.mirek == mirek)
        _ = mirror.load([lamp(nil, at: mirek)], at: Self.now, .seconds(60))
        #expect(mirror.resources.lights["a"]?.mirek == mirek)
    }

    // MARK: - Commands that contradict one another

    /// All lamps, or one, are sent each of these at a moment, and the bridge accepts or refuses it.
    private func send(
        _ mirror: inout HomeMirror, _ update: LightUpdate, to lamps: [ResourceID], at now: Duration,
        isAccepted: Bool = true
    ) {
        for lamp in lamps {
            _ = mirror.expect(update, of: lamp, by: ticket, isOfGroup: lamps.count > 1, at: now)
        }
        mirror.delivered(to: lamps, isAccepted: isAccepted, at: now + .milliseconds(50))
    }

    @Test func `an app that turns a room on again, as we did just before we turned it off, is obeyed`() {
        var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
        _ = mirror.load(everything(on: false), at: Self.now)
        send(&mirror, LightUpdate(on: true), to: lamps, at: .zero)
        send(&mirror, LightUpdate(on: false), to: lamps, at: .milliseconds(1100))
        for (isOn, moment) in [(true, 1200), (false, 1600), (true, 2400)] {
            let effects = hear(&mirror, lamps.map { light($0, on: isOn) }, at: .milliseconds(moment))
            #expect(sources(effects).allSatisfy { $0 == .command(ticket) }, "not known before the lamps are read")
        }
        #expect(mirror.due(at: .milliseconds(2700)).unconfirmed == lamps)
        let effects = mirror.judge(lamps, isAwaited: { _ in false }, at: .milliseconds(2800))
        #expect(sources(effects) == lamps.map { _ in .otherApp } && effects.yields == lamps && effects.repairs == [])
        for second in 3..<30 { #expect(mirror.due(at: .seconds(second)).1.repairs == []) }
    }

    @Test(arguments: [60.0, 40])
    func `who turns a lamp off that a curve sets is a hand, also if a command did so a moment before`(level: Double) {
        var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
        _ = mirror.load(everything(on: true), at: Self.now)
        send(&mirror, LightUpdate(on: false), to: ["a"], at: .zero)
        send(&mirror, LightUpdate(on: true), to: ["a"], at: .milliseconds(300))
        send(&mirror, LightUpdate(brightness: level, milliseconds: 2000), to: ["a"], at: .milliseconds(600))
        for look in [light("a", on: false), light("a", on: true), light("a", on: true, level: level)] {
            #expect(sources(hear(&mirror, [look], at: .milliseconds(1500))) == [.command(ticket)])
        }
        var effects = hear(&mirror, [light("a", on: false)], at: .seconds(2))
        // Of the level that it showed before, the report may have been that of the turning on.
        if level == 40 {
            #expect(sources(effects) == [.command(ticket)])
            #expect(mirror.due(at: .milliseconds(2200)).unconfirmed == ["a"])
            effects = mirror.judge(["a"], isAwaited: { _ in false }, at: .milliseconds(2300))
        }
        #expect(sources(effects) == [.otherApp] && effects.yields == ["a"])
    }

    @Test func `a command that the bridge refuses leaves the one before it to be confirmed, and a hand to be obeyed`() {
        func refused(_ moment: Int, _ lamps: [ResourceID]) -> HomeMirror {
            var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
            _ = mirror.load(everything(on: true), at: Self.now)
            send(&mirror, LightUpdate(on: false), to: lamps, at: .zero)
            if moment > 1600 { #expect(mirror.due(at: .milliseconds(1600)).unconfirmed == lamps) }
            send(
                &mirror, LightUpdate(on: true, brightness: 80), to: ["a"], at: .milliseconds(moment), isAccepted: false)
            return mirror
        }
        var mirror = refused(300, ["a"])
        var effects = hear(&mirror, [light("a", on: false)], at: .milliseconds(800))
        #expect(sources(effects) == [.command(ticket)] && effects.yields == [], "the report of the first is no hand")
        mirror = refused(300, ["a"])
        effects = hear(&mirror, [light("a", on: true, level: 20)], at: .milliseconds(800))
        #expect(sources(effects) == [.otherApp] && effects.yields == ["a"], "and nothing is sent over one")
        mirror = refused(1700, lamps)
        #expect(mirror.due(at: .milliseconds(1800)).unconfirmed == ["a"], "what was being read is read again")
        #expect(mirror.judge(["a"], isAwaited: { _ in false }, at: .milliseconds(1900)).yields == [])
        #expect(mirror.due(at: .seconds(4)).1.repairs.map(\.update) == [LightUpdate(on: false)])
    }

    @Test func `a hand during an outage is seen after it, also if it wants what a command had asked before`() {
        var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
        _ = mirror.load(everything(on: true), at: Self.now)
        send(&mirror, LightUpdate(on: false), to: ["a"], at: .zero)
        send(&mirror, LightUpdate(on: true), to: ["a"], at: .milliseconds(300))
        _ = hear(&mirror, [light("a", on: true)], at: .milliseconds(800))
        mirror.lose(at: .seconds(1))
        let read = everything(on: true).map {
            if case let .light(it) = $0, it.id == "a" { light("a", on: false) } else { $0 }
        }
        #expect(mirror.load(read, at: Self.now, .seconds(60)).yields == ["a"])
    }

    @Test func `an event of what was read a moment before is nobody's, and later it is somebody's who insists`() {
        for (moment, source) in [(61, nil), (63, .otherApp)] as [(Int, Cause.Kind?)] {
            var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
            _ = mirror.load(everything(on: true), at: Self.now, .seconds(60))
            let effects = hear(&mirror, [light("a", on: true)], at: .seconds(moment))
            #expect(sources(effects) == [source] && effects.yields == (source == nil ? [] : ["a"]))
        }
    }

    /// - Parameter x: the place in the palette.
    private func moved(_ id: ResourceID, to x: Double, level: Double = 40, moves: Bool = true) -> Resource {
        .light(
            LightResource(
                id: id, owner: ResourceReference(ResourceID("device-\(id)"), .device), on: On(true),
                dimming: Dimming(level), color: ColorFeature(XY(x: x, y: 0.3), gamut: .c),
                dynamics: DynamicsFeature(status: moves ? "dynamic_palette" : "none", speed: moves ? 0.5 : nil)))
    }

    @Test func `the colours of a dynamic scene are nobody's hand, and whatever else changes its lamps is one`() {
        var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
        _ = mirror.load([moved("a", to: 0.2, moves: false)], at: Self.now, .zero)
        let begun = hear(&mirror, [moved("a", to: 0.25)], at: .seconds(10))
        #expect(sources(begun) == [.otherApp] && begun.yields == ["a"])
        for (step, x) in [0.3, 0.35, 0.4].enumerated() {
            let effects = hear(&mirror, [moved("a", to: x)], at: .seconds(20 + 10 * step))
            #expect(sources(effects) == [nil] && effects.yields == [], "\(x)")
        }
        // Also if it is read, and after a lost connection.
        let (read, _) = mirror.refresh([moved("a", to: 0.45)], askedAt: .seconds(60), at: Self.now, .seconds(60))
        #expect(sources(read) == [nil] && read.yields == [])
        mirror.lose(at: .seconds(70))
        #expect(mirror.load([moved("a", to: 0.5)], askedAt: .seconds(80), at: Self.now, .seconds(80)).yields == [])
        #expect(sources(hear(&mirror, [moved("a", to: 0.55)], at: .seconds(85))) == [nil])
        let dimmed = hear(&mirror, [moved("a", to: 0.5, level: 20)], at: .seconds(90))
        #expect(sources(dimmed) == [.otherApp] && dimmed.yields == ["a"])
        let ended = hear(&mirror, [moved("a", to: 0.6, level: 20, moves: false)], at: .seconds(100))
        #expect(sources(ended) == [.otherApp] && ended.yields == ["a"])
    }

    @Test func `that one lamp was read a moment before says nothing of another`() {
        var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
        _ = mirror.load(everything(on: true), at: Self.now, .zero)
        _ = mirror.refresh([light("b", on: true)], askedAt: .seconds(60), at: Self.now, .seconds(60))
        for (name, source) in [("a", .otherApp), ("b", nil)] as [(ResourceID, Cause.Kind?)] {
            let effects = hear(&mirror, [light(name, on: true)], at: .seconds(61))
            #expect(sources(effects) == [source] && effects.yields == (source == nil ? [] : [name]))
        }
    }

    @Test func `a lamp without mains that does not confirm is no hand, and ends no repair of the others`() {
        var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
        _ = mirror.load(everything(on: true, unreachable: "a"), at: Self.now)
        send(&mirror, LightUpdate(on: false), to: lamps, at: .zero)
        _ = hear(&mirror, [light("c", on: false), light("d", on: false)], at: .milliseconds(800))
        #expect(mirror.due(at: .milliseconds(1600)).unconfirmed == ["a", "b"])
        let effects = mirror.judge(["a", "b"], isAwaited: { _ in false }, at: .milliseconds(1700))
        #expect(effects.yields == [] && sources(effects) == [])
        #expect(mirror.due(at: .seconds(4)).1.repairs.map(\.light) == ["b"])
        #expect(sources(hear(&mirror, [light("a", on: true, level: 80)], at: .seconds(5))) == [.otherApp])
        #expect(sentOnReturn(&mirror, "a") == [], "who changes what is kept for it is obeyed")
    }

    @Test func `a dimmer that is held is no hand against the steps that it asks for`() {
        var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
        _ = mirror.load(everything(on: true), at: Self.now)
        send(&mirror, LightUpdate(brightness: 30), to: ["a"], at: .milliseconds(50))
        send(&mirror, LightUpdate(brightness: 20), to: ["a"], at: .milliseconds(850))
        let held = Resource.sensor(
            SensorResource(
                id: "button", type: .button, owner: button, control: 3,
                report: SensorReport(.button("repeat"), at: ReportTime("2026-11-24T12:00:00.800Z"))))
        let created = ReportTime("2026-11-24T12:00:00.900Z")
        for (level, moment) in [(30.0, 1000), (20, 1400)] {
            let events = [held, light("a", on: true, level: level)]
            let effects = mirror.apply(
                [EventContainer(.update, events, created: created)], at: Self.now, .milliseconds(moment))
            #expect(sources(effects) == [.command(ticket)] && effects.yields == [])
        }
        #expect(mirror.due(at: .seconds(3)).unconfirmed == [])
    }

    // MARK: - What is read again

    @Test func `a full read does not take back what was reported since it was asked for`() {
        var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
        _ = mirror.load(everything(on: true), at: Self.now)
        _ = hear(&mirror, [light("a", on: true, level: 10)], at: .seconds(2))
        _ = mirror.load(everything(on: true, level: 40), askedAt: .seconds(1), at: Self.now, .seconds(3))
        #expect(mirror.resources.lights["a"]?.level == 10 && mirror.resources.lights["b"]?.level == 40)
    }

    @Test func `a lamp whose return is learnt by a full read gets what was kept for it`() {
        var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
        _ = mirror.load(everything(on: true, unreachable: "a"), at: Self.now)
        _ = mirror.expect(LightUpdate(on: false), of: "a", by: ticket, isOfGroup: false, at: .zero)
        mirror.lose()
        _ = mirror.load(everything(on: true), at: Self.now, .seconds(60))
        #expect(mirror.due(at: .seconds(63)).1.repairs.map(\.update) == [LightUpdate(on: false)])
        #expect(mirror.due(at: .seconds(120)).1.repairs == [], "and not again when it returns another time")
    }

    @Test func `a lamp that somebody changed while the bridge was away is left to them`() {
        var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
        _ = mirror.load(everything(on: true), at: Self.now)
        // Sent, and the answer lost: it may have been carried out.
        for lamp in ["a", "b"] as [ResourceID] {
            _ = mirror.expect(LightUpdate(brightness: 80), of: lamp, by: ticket, isOfGroup: false, at: .seconds(1))
        }
        mirror.lose(at: .seconds(2))
        let read = everything(on: true).map { resource in
            guard case let .light(light) = resource else { return resource }
            return switch light.id {
            case "b": self.light("b", on: true, level: 80)
            case "c": self.light("c", on: false)
            default: resource
            }
        }
        #expect(mirror.load(read, at: Self.now, .seconds(30)).yields == ["c"])
    }

    @Test func `a scene of ours that its bridge shows only after a reboot is nobody else's doing`() {
        let scene = Scene.ID(Bridge.ID("b"), "s")
        var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
        _ = mirror.load(everything(on: true), at: Self.now)
        mirror.recall(scene, of: ["a", "b"], by: ticket, at: .seconds(1))
        // This one was reported before; so what it shows later is another's.
        _ = hear(&mirror, [light("b", on: true, level: 80)], at: .milliseconds(1500))
        mirror.lose(at: .seconds(2))
        let read = everything(on: true).map { resource in
            guard case let .light(light) = resource else { return resource }
            return self.light(light.id, on: true, level: 20)
        }
        let effects = mirror.load(read, at: Self.now, .seconds(60))
        #expect(effects.yields.sorted() == ["b", "c", "d"])
        #expect(sources(effects) == [.scene(scene, by: ticket)])
        // It explains one loss, and not what happens in the next.
        mirror.lose(at: .seconds(65))
        #expect(mirror.load(everything(on: true), at: Self.now, .seconds(90)).yields.sorted() == ["a", "b", "c", "d"])
    }

    @Test(arguments: [false, true], [false, true])
    func `what was carried out though its answer was lost is the command's doing, and all else is somebody's`(
        isLost: Bool, isCarriedOut: Bool
    ) {
        var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
        _ = mirror.load(everything(on: true), at: Self.now)
        _ = mirror.expect(LightUpdate(on: false), of: "a", by: ticket, isOfGroup: false, at: .seconds(1))
        // Given up after the longest time that an answer may take.
        mirror.delivered(to: ["a"], isAccepted: nil, at: .seconds(11))
        let shown = light("a", on: !isCarriedOut, level: isCarriedOut ? 40 : 90)
        if isLost {
            mirror.lose(at: .seconds(12))
            let read = everything(on: true).map { if case let .light(it) = $0, it.id == "a" { shown } else { $0 } }
            #expect(mirror.load(read, at: Self.now, .seconds(15)).yields == (isCarriedOut ? [] : ["a"]))
        } else {
            let effects = hear(&mirror, [shown], at: .seconds(12))
            #expect(sources(effects) == [isCarriedOut ? .command(ticket) : .otherApp])
            #expect(effects.yields == (isCarriedOut ? [] : ["a"]))
        }
    }

    @Test func `each command that is kept for a lamp is kept for as long as it says, whatever came after it`() {
        var offline = OfflineCommands(OfflineCommands.Policy(keeps: .seconds(60)))
        offline.keep(LightUpdate(on: true, brightness: 30), for: "a", by: nil, at: .zero)
        offline.keep(LightUpdate(brightness: 60), for: "a", by: ticket, at: .seconds(50))
        offline.returned("a", at: .seconds(70))
        #expect(offline.due(at: .seconds(72)).map(\.update) == [LightUpdate(brightness: 60)])
    }
}
