import HueWire
import Khipu
import Lighting
import TestSupport
import Testing

@testable import HueBridge

/// Confirmations and commands for lamps out of reach, as values without clocks.
struct ConfirmingTests {
    private static let id: ResourceID = "lamp"
    private let ticket = Ticket(number: 7, holder: "test", time: Timestamp(milliseconds: 0))

    private func lamp(on: Bool = true, level: Double = 40, mirek: Int? = 366, xy: XY? = nil) -> LightMirror {
        var light = LightMirror(
            LightResource(
                id: Self.id, owner: nil, on: On(on), dimming: Dimming(level),
                colorTemperature: ColorTemperature(mirek: mirek, schema: MirekSchema(153, 500)),
                color: ColorFeature(xy ?? XY(x: 0.45, y: 0.41), gamut: .c, gamutType: "C")), of: nil, name: "Desk")
        light.mirek = mirek
        return light
    }

    private func sent(_ update: LightUpdate, before: LightMirror, byGroup: Bool = true) -> PendingConfirmations {
        var confirmations = PendingConfirmations()
        confirmations.sent(update, to: Self.id, by: ticket, before: before, isOfGroup: byGroup, at: .zero)
        confirmations.answered([Self.id], isAccepted: true)
        return confirmations
    }

    // MARK: - Confirmations

    @Test(arguments: 0..<300)
    func `a report counts as the confirmation even if the bridge has rounded the values`(seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        let before = lamp(on: Bool.random(using: &random), level: .random(in: 1...100, using: &random))
        let color: LightUpdate.Color? =
            switch Int.random(in: 0..<5, using: &random) {
            case 3: .gradient([XY(x: 0.6, y: 0.3), XY(x: 0.2, y: 0.1)], mode: nil)
            case 4: .effect(LightUpdate.Effect("candle", speed: 0.5), over: nil)
            case 0: .mirek(Int.random(in: 50...900, using: &random))
            case 1: .xy(XY(x: .random(in: 0...0.75, using: &random), y: .random(in: 0...0.8, using: &random)))
            default: nil
            }
        let update = LightUpdate(on: true, brightness: .random(in: 0...100, using: &random), color: color).held(
            for: before)
        // Levels on the grid of 1/254, points moved a little.
        let level = max(((update.brightness ?? before.level ?? 1) * 2.54).rounded(), 1) / 2.54
        var after = lamp(on: true, level: level, mirek: before.mirek)
        switch update.color {
        case let .mirek(mirek): after.mirek = mirek + Int.random(in: -1...1, using: &random)
        case let .xy(point):
            after.mirek = nil
            after.xy = XY(x: point.x + .random(in: -0.008...0.008, using: &random), y: point.y)
        case let .gradient(points, mode: _):
            after.gradient = points.map { XY(x: $0.x + .random(in: -0.008...0.008, using: &random), y: $0.y) }
        case let .effect(effect, over: _): after.effect = effect
        case nil: break
        }
        var confirmations = sent(update, before: before)
        #expect(confirmations.hear(after, at: .seconds(1)) == .ours(ticket))
        #expect(confirmations.overdue(at: .seconds(5)).isEmpty, "a confirmed lamp is not read")
    }

    @Test func `a lamp that takes other values after a group command was changed by somebody else`() {
        var confirmations = sent(LightUpdate(on: false), before: lamp(on: true))
        _ = confirmations.hear(lamp(on: false), at: .milliseconds(300))
        #expect(confirmations.hear(lamp(on: true, level: 90), at: .seconds(3)) == .foreign)
    }

    @Test func `a command to a single lamp is never repaired, because its answer can be trusted`() {
        var confirmations = sent(LightUpdate(on: false), before: lamp(on: true), byGroup: false)
        _ = confirmations.hear(lamp(on: false), at: .milliseconds(300))
        #expect(confirmations.hear(lamp(on: true), at: .seconds(3)) == .foreign)
    }

    @Test func `a late report does not confirm a command`() {
        var confirmations = sent(LightUpdate(on: false), before: lamp(on: true))
        #expect(confirmations.hear(lamp(on: false), at: .seconds(20)) == .foreign)
    }

    @Test func `a lamp that does not confirm is read once, and commanded again only if a group command missed it`() {
        for isOfGroup in [true, false] {
            var confirmations = sent(LightUpdate(on: false), before: lamp(on: true), byGroup: isOfGroup)
            #expect(confirmations.next == PendingConfirmations.timeout)
            #expect(confirmations.overdue(at: .seconds(1)).isEmpty)
            #expect(confirmations.overdue(at: .seconds(2)) == [Self.id])
            #expect(confirmations.overdue(at: .seconds(3)).isEmpty)
            #expect(confirmations.judge(lamp(on: true), at: .seconds(2)) == (isOfGroup ? .doubtful : .foreign))
            // What else somebody did may be told in a later frame.
            #expect(confirmations.decide(at: .seconds(3)) { _ in false }.missed == [])
            let missed = Repair(light: Self.id, update: LightUpdate(on: false), ticket: ticket, missed: .zero)
            #expect(confirmations.decide(at: .seconds(4)) { _ in false }.missed == (isOfGroup ? [missed] : []))
            #expect(confirmations.decide(at: .seconds(5)) { _ in false }.missed == [])
        }
    }

    @Test func `no confirmation is expected of a command that the bridge has not accepted`() {
        var confirmations = sent(LightUpdate(on: false), before: lamp(on: true))
        confirmations.answered([Self.id], isAccepted: false)
        #expect(confirmations.overdue(at: .seconds(5)).isEmpty)
        #expect(confirmations.hear(lamp(on: false), at: .seconds(1)) == .foreign)
    }

    // MARK: - Lamps out of reach

    @Test func `commands for a lamp out of reach are due shortly after its return, with the newest values`() {
        var offline = OfflineCommands(OfflineCommands.Policy())
        offline.keep(LightUpdate(on: true, brightness: 30), for: Self.id, by: nil, at: .zero)
        offline.keep(LightUpdate(brightness: 60, color: .mirek(200)), for: Self.id, by: ticket, at: .seconds(5))
        #expect(offline.next == .seconds(600), "when the first of them is too old")
        #expect(offline.due(at: .seconds(100)).isEmpty, "the lamp is still out of reach")
        offline.returned(Self.id, at: .seconds(100))
        #expect(offline.due(at: .seconds(101)).isEmpty)
        let due = offline.due(at: .seconds(102))
        #expect(due.map(\.update) == [LightUpdate(on: true, brightness: 60, color: .mirek(200))])
        #expect(due.map(\.ticket) == [ticket])
        #expect(offline.due(at: .seconds(200)).isEmpty, "once")
    }

    @Test func `commands that are too old, or overridden by somebody else, are dropped`() {
        var offline = OfflineCommands(OfflineCommands.Policy(keeps: .seconds(60)))
        offline.keep(LightUpdate(on: true), for: Self.id, by: nil, at: .zero)
        offline.returned(Self.id, at: .seconds(61))
        #expect(offline.due(at: .seconds(70)).isEmpty)
        offline.keep(LightUpdate(on: true), for: Self.id, by: nil, at: .seconds(80))
        offline.forget(Self.id)
        offline.returned(Self.id, at: .seconds(81))
        #expect(offline.due(at: .seconds(90)).isEmpty)
    }

    @Test func `a lamp that has just returned still gets what a command of these seconds says nothing of`() {
        var offline = OfflineCommands(OfflineCommands.Policy())
        for (newer, rest) in [
            (LightUpdate(on: true), LightUpdate(brightness: 20, color: .mirek(200))),
            (LightUpdate(on: true, brightness: 50), LightUpdate(color: .mirek(200))),
            (LightUpdate(color: .xy(XY(x: 0.3, y: 0.3))), LightUpdate(on: true, brightness: 20)),
            (LightUpdate(on: true, brightness: 50, color: .mirek(300)), nil), (LightUpdate(on: false), nil),
        ] as [(LightUpdate, LightUpdate?)] {
            offline.keep(LightUpdate(on: true, brightness: 20), for: Self.id, by: nil, at: .zero)
            offline.keep(LightUpdate(color: .mirek(200)), for: Self.id, by: ticket, at: .seconds(1))
            offline.returned(Self.id, at: .seconds(2))
            offline.replace(Self.id, by: newer)
            #expect(offline.due(at: .seconds(4)).map(\.update) == [rest].compactMap(\.self), "\(newer)")
        }
    }

    @Test func `commands wait for the next return of a lamp that leaves again before it gets them`() {
        var offline = OfflineCommands(OfflineCommands.Policy())
        offline.keep(LightUpdate(on: true), for: Self.id, by: nil, at: .zero)
        offline.returned(Self.id, at: .seconds(1))
        offline.left(Self.id)
        #expect(offline.due(at: .seconds(9)).isEmpty)
        offline.returned(Self.id, at: .seconds(20))
        #expect(offline.due(at: .seconds(22)).count == 1)
    }

    @Test func `nothing is kept if lamps are to be left as they return`() {
        var offline = OfflineCommands(OfflineCommands.Policy(applies: false))
        offline.keep(LightUpdate(on: true), for: Self.id, by: nil, at: .zero)
        offline.returned(Self.id, at: .seconds(1))
        #expect(offline.due(at: .seconds(9)).isEmpty)
    }

    // MARK: - What is told of it

    private func told(_ offline: inout OfflineCommands, at now: Duration) -> [LightUpdate?] {
        offline.news(at: now).map { $0.kept }
    }

    @Test func `what is kept for a lamp out of reach is told once, and a newer command replaces it`() {
        var offline = OfflineCommands(OfflineCommands.Policy())
        #expect(told(&offline, at: .zero) == [])
        offline.keep(LightUpdate(on: true, brightness: 30, milliseconds: 400), for: Self.id, by: nil, at: .zero)
        #expect(told(&offline, at: .zero) == [LightUpdate(on: true, brightness: 30)])
        offline.keep(LightUpdate(on: true, brightness: 30), for: Self.id, by: ticket, at: .seconds(1))
        #expect(told(&offline, at: .seconds(1)) == [])
        offline.keep(LightUpdate(on: false), for: Self.id, by: ticket, at: .seconds(2))
        #expect(told(&offline, at: .seconds(2)) == [LightUpdate(on: false, brightness: 30)])
        offline.tellAnew()
        #expect(told(&offline, at: .seconds(3)) == [LightUpdate(on: false, brightness: 30)])
    }

    @Test func `that nothing is kept any more is told: of what is too old, forgotten, or about to be sent`() {
        for end in ["expired", "forgotten by a scene", "back", "left as it returns"] {
            var offline = OfflineCommands(OfflineCommands.Policy(keeps: .seconds(60)))
            offline.keep(LightUpdate(on: true), for: Self.id, by: nil, at: .zero)
            offline.keep(LightUpdate(brightness: 60), for: Self.id, by: nil, at: .seconds(20))
            #expect(told(&offline, at: .seconds(20)) == [LightUpdate(on: true, brightness: 60)])
            switch end {
            case "expired":
                #expect(offline.next == .seconds(60))
                #expect(told(&offline, at: .seconds(59)) == [])
                #expect(told(&offline, at: .seconds(60)) == [LightUpdate(brightness: 60)], "each by itself")
                #expect(offline.next == .seconds(80))
                #expect(offline.due(at: .seconds(80)).isEmpty)
            case "forgotten by a scene": offline.forget(Self.id)
            case "back": offline.returned(Self.id, at: .seconds(50))
            default: offline.policy.applies = false
            }
            #expect(told(&offline, at: .seconds(80)) == [nil], "\(end)")
            #expect(told(&offline, at: .seconds(81)) == [], "\(end)")
            #expect(offline.nextExpiry == nil, "\(end)")
        }
    }

    @Test func `of a lamp that leaves again before it gets what was kept, that is told again`() {
        var offline = OfflineCommands(OfflineCommands.Policy())
        offline.keep(LightUpdate(on: true), for: Self.id, by: nil, at: .zero)
        offline.returned(Self.id, at: .seconds(1))
        #expect(told(&offline, at: .seconds(1)) == [])
        offline.left(Self.id)
        #expect(told(&offline, at: .seconds(2)) == [LightUpdate(on: true)])
    }
}
