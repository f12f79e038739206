import Khipu

extension Store where State == AppState, Change == AppState.Change {
    /// Shows what a command asks for at once, marked as expected by this command.
    @DomainActor
    func expect(_ changes: [Light.Change], of lights: [Light], by ticket: Ticket) {
        change(lights.map { .updating(.light($0.id, by: changes + [.expecting(.it(by: ticket))])) })
    }
}
