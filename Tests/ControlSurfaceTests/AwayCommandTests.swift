import ControlProtocol
import Lighting
import LightingTestKit
import Testing

@testable import ControlSurface

/// `away`, as clients of the API see it.
struct AwayCommandTests {
    @Test func `a plan begins nothing, 'on' begins it, and 'off' ends it`() async throws {
        try await SurfaceFixture.run { fixture in
            let refused = await fixture.error(of: .away(to: .on))
            #expect(refused?.code == .cannot && refused?.hint?.contains("away on --plain") == true)
            let plan = try await fixture.perform(.away(to: .plan, .init(seed: 3, plain: true)))
            #expect(plan.away?.on == false && plan.away?.plan.isEmpty == false)
            #expect(fixture.surface.directory.awayBody == AwayBody(on: false))

            let begun = try await fixture.perform(.away(to: .on, .init(seed: 3, plain: true)))
            #expect(begun.away?.on == true && begun.away?.seed == 3)
            #expect(begun.away?.plan == plan.away?.plan)
            // One that goes on keeps its seed.
            let longer = try await fixture.perform(
                .away(to: .on, .init(until: "2099-01-01T00:00:00Z", plain: true)))
            #expect(longer.away?.seed == 3 && longer.away?.until == "2099-01-01T00:00:00.000Z")
            let status = fixture.surface.status.away
            #expect(status?.since == longer.away?.since && status?.until == longer.away?.until && status != nil)

            let over = try await fixture.perform(.away(to: .off), from: "lightctl (uid 1)")
            #expect(over.away?.on == false && over.away?.ended?.because == "lightctl (uid 1) asked for it")
            #expect(fixture.surface.status.away == nil)
        }
    }

    @Test(arguments: ["tomorrow", "2020-01-01T00:00:00Z"])
    func `an end that is no time to come is refused`(until: String) async throws {
        try await SurfaceFixture.run { fixture in
            let refused = await fixture.error(of: .away(to: .on, .init(until: until, plain: true)))
            #expect(refused?.code == .invalid)
        }
    }
}
