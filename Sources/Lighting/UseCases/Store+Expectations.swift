import HashTreeCollections
import Khipu

extension Store where State == AppState, Change == AppState.Change {
    /// Shows what a command asks for at once, marked as expected by this command. Its step in the history keeps that.
    @DomainActor
    func expect(_ changes: [Light.Change], of lights: [Light], by ticket: Ticket) {
        expect(lights.map { ($0, changes) }, by: ticket)
    }

    /// The same, with changes of its own for each light.
    @DomainActor
    func expect(_ lights: [(light: Light, changes: [Light.Change])], by ticket: Ticket) {
        let asked = Dictionary(lights.map { ($0.light.id, $0.light.alter(by: $0.changes).values) }) { $1 }
        change(
            lights.map { light, changes in
                .updating(.light(light.id, by: changes + [.expecting(.it(by: ticket, after: light.values))]))
            }
                + [.updating(.history(by: .asking(.values(asked, by: ticket))))])
    }

    /// Before a scene is recalled: what was sent to its lights before is carried out first, and the scene may replace it
    /// with any values. Were it still expected, it would hide what the bridge reports.
    @DomainActor
    func abandonExpectations(of scene: Scene.ID) {
        let lights = (state().lights(of: scene) ?? []).compactMap { state().lights[$0] }
        change(
            lights.compactMap { light in
                light.awaited.map { .updating(.light(light.id, by: [.abandoning(.expectation(of: $0))])) }
            })
    }
}
