import HueWire
import Lighting
import TestSupport
import Testing

@testable import HueBridge
@testable import SimulatedBridge

/// What a lamp shows when it is next turned on at the wall.
@Suite(.timeLimit(.minutes(2)))
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
            await set(DesiredState(stove, power: .on, setting: .ct(450.mirek, brightness: 0.05)), .usual)
            await set(DesiredState(stove, power: .off, setting: .ct(300.mirek, brightness: 0.8)), time)
            let lamp = try #require(await fixture.bridge.controls.home.lamps.first { $0.name == "Stove" })
            #expect(!lamp.isOn)
            await fixture.bridge.controls.alter("Stove", by: .turning(.it(on: true)))
            let lit = try #require(await fixture.bridge.controls.home.lamps.first { $0.name == "Stove" })
            #expect(lit.isOn && abs(Level.percent(bri: lit.level) - 80) < 0.5 && lit.tint == .white(mirek: 300))
        }
    }
}
