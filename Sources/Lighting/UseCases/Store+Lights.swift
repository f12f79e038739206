import HashTreeCollections
import Khipu

extension Store where State == AppState, Change == AppState.Change {
    /// The lights a target means; never empty.
    @DomainActor
    func lights(of target: Target) -> Result<[Light], Failure> {
        let state = state()
        let exists =
            switch target {
            case let .light(id): state.lights[id] != nil
            case let .room(id): state.rooms[id] != nil
            case .all: true
            }
        guard exists else { return .failure(.noSuchTarget(target)) }
        let lights = Directory(state).lights(of: target)
        guard !lights.isEmpty else {
            return .failure(Directory(state).blindness ?? .noLights(in: target))
        }
        return .success(lights)
    }

    /// Remembers how everything was before a command, so that it can be undone.
    @DomainActor
    func record(_ command: Message.Lighting, on lights: [Light.ID], by ticket: Ticket) {
        let step = History.Step(command, by: ticket, of: lights, before: state().lights)
        change(by: .updating(.history(by: .recording(.step(step)))))
    }

    /// Shows what was asked for at once, marked as expected by this command.
    @DomainActor
    func expect(_ changes: [Light.Change], of lights: [Light], by ticket: Ticket) {
        change(lights.map { .updating(.light($0.id, by: changes + [.expecting(.it(by: ticket))])) })
    }
}
