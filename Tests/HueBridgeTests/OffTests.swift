import HueWire
import Lighting
import TestSupport
import Testing

@testable import HueBridge
@testable import SimulatedBridge

/// What a lamp shows when it is next turned on at the wall.
@Suite(.timeLimit(.minutes(5)))
struct OffTests {
    @Test(arguments: [BridgeModel.square, .round], [Transition.usual, .milliseconds(60_000)])
    func `a lamp that is turned off with other values shows them when it is next turned on`(
        model: BridgeModel, time: Transition
    ) async throws {
        try await withBridge {
            $0.model = model
        } _: { fixture in
            try await fixture.connect()
            let stove = fixture.light("Stove")
            func set(_ state: DesiredState, _ time: Transition) async {
                #expect(await fixture.send { fixture.gateway.lights.set([state], time, .test, $0) } == .succeeded)
            }
            await set(DesiredState(stove, power: .on, .ct(450.mirek, brightness: 0.05)), .usual)
            await set(DesiredState(stove, power: .off, .ct(300.mirek, brightness: 0.8)), time)
            let lamp = try #require(await fixture.bridge.controls.home.lamps.first { $0.name == "Stove" })
            #expect(!lamp.isOn)
            await fixture.bridge.controls.alter("Stove", by: .turning(.it(on: true)))
            let lit = try #require(await fixture.bridge.controls.home.lamps.first { $0.name == "Stove" })
            #expect(lit.isOn && abs(Level.percent(bri: lit.level) - 80) < 0.5 && lit.tint == .white(mirek: 300))
        }
    }

    /// As undo asks it, right after the lamp was turned off: the bridge calls it "soft off", and keeps the values.
    @Test func `values for a lamp that is off already are no failure, also before that is reported`() async throws {
        try await withBridge { fixture in
            try await fixture.connect()
            let stove = fixture.light("Stove")
            func set(_ state: DesiredState) async -> Outcome {
                await fixture.send { fixture.gateway.lights.set([state], .usual, .test, $0) }
            }
            #expect(await set(DesiredState(stove, power: .on)) == .succeeded)
            await fixture.bridge.controls.silenceStreams()
            await fixture.bridge.controls.alter("Stove", by: .turning(.it(on: false)))
            #expect(
                await set(DesiredState(stove, power: .off, .ct(300.mirek, brightness: 0.8))) == .succeeded)
        }
    }
}
