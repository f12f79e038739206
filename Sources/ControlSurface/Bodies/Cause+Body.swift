import ControlProtocol
import Khipu
import Lighting

extension Cause {
    /// The cause with its names, and its command in words if the history still has it.
    func body(in home: Directory) -> CauseBody {
        var body = CauseBody(kind: .unseen, at: time.iso8601, ticket: ticket?.number)
        body.by = ticket?.holder
        switch kind {
        case let .command(ticket):
            body.kind = .command
            body.what = home.words(ofCommand: ticket)
        case let .scene(scene, by: _):
            body.kind = .scene
            body.what = home.scene(scene).map { home.state.name(of: $0) }
        case let .wall(name):
            body.kind = .wall
            body.by = name.isEmpty ? nil : name
        case .power: body.kind = .power
        case .elsewhere: body.kind = .elsewhere
        case .unseen: body.kind = .unseen
        }
        return body
    }
}
