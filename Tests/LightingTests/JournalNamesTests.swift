import Khipu
import Lighting
import LightingTestKit
import Testing

struct JournalNamesTests {
    private static let home = HomeFixture.self

    @Test(
        arguments: [
            (.turn(.on, .light(home.desk.id), over: .usual), ["Desk"]), (.turn(.on, .all, over: .usual), []),
            (.identify(.light(Light.ID(bridge: .sample, resource: "gone"))), []),
            (
                .turning(
                    .on, .room(home.kitchen.id),
                    .failed(.partly([Failure.Part(.light(home.stove.id), .notPaired)], of: 3))), ["Stove", "Kitchen"]
            ),
            (.recalling(home.relax.id, .succeeded), ["Kitchen/Relax"]),
            // Only counted.
            (.restoring([home.desk.id], .succeeded), []),
            (
                .undoing(
                    Reversal(
                        steps: 1, lights: [home.desk.id],
                        skipped: [Reversal.Skipped(home.sink.id, Cause(.otherApp, at: .sample))]), .succeeded),
                ["Sink"]
            ),
            (
                .reported(.light(home.fan.id, Light.Report(power: .on, source: .scene(home.relax.id, by: nil)))),
                ["Fan", "Kitchen/Relax"]
            ),
            (.reported(.removed(.room(home.evening.id))), ["Evening"]),
            // Has the name.
            (.reported(.added(.light(Light.make("new", name: "New")))), []),
        ] as [(Message.Lighting, [String])])
    func `an entry remembers what its words name by an id`(message: Message.Lighting, names: [String]) {
        let known = Journal.Names(
            of: .lighting(message, ticket: .unasked(from: "", at: .sample)), in: HomeFixture.state)
        #expect(known.isEmpty == names.isEmpty)
        let lights = HomeFixture.lights.compactMap { known.name(of: $0.id) }
        let rooms = HomeFixture.rooms.compactMap { known.name(of: $0.id) }
        #expect(lights + rooms + [known.name(of: HomeFixture.relax.id)].compactMap { $0 } == names)
    }
}
