import HashTreeCollections
import Khipu

/// What a message tells of people at home.
struct SignOfLife {
    /// Who or what did something; `nil` if this only says to which lights.
    let cause: Cause.Kind?
    /// The lights that were touched.
    let lights: Set<Light.ID>
}

extension AppState {
    /// What a message tells of people at home; `nil` if nothing. To be asked after the message was applied, because then
    /// the lights know why they changed, if they did.
    ///
    /// - Parameter ignoresMotion: whether what moves may be a pet.
    func signOfLife(in message: Message, ignoringMotion ignoresMotion: Bool) -> SignOfLife? {
        switch message {
        case let .lighting(.reported(.light(id, report)), ticket):
            guard !report.isOnlyOfKept, let cause = lights[id]?.cause, cause.time == ticket.time,
                isOfPerson(cause.kind, ignoresMotion)
            else {
                return nil
            }
            return SignOfLife(cause: cause.kind, lights: [id])
        case let .lighting(message, ticket) where ticket.isOfPerson && message.changesLights:
            let touched = Message.lighting(message, ticket: ticket).things.flatMap { lights(of: $0) }
            return SignOfLife(cause: message.outcome == nil ? .command(ticket) : nil, lights: Set(touched))
        case let .following(message, ticket) where ticket.isOfPerson && message.isCommandForLights:
            let touched = Message.following(message, ticket: ticket).things.flatMap { lights(of: $0) }
            return SignOfLife(cause: .command(ticket), lights: Set(touched))
        case let .automations(.run, ticket) where ticket.isOfPerson,
            let .automations(.schedule, ticket) where ticket.isOfPerson:
            return SignOfLife(cause: .command(ticket), lights: [])
        case let .lighting(.reported(.sensor(id, report)), _) where report.isSignOfLife(ignoringMotion: ignoresMotion):
            return SignOfLife(cause: .accessory(sensors[id]?.name ?? ""), lights: [])
        default: return nil
        }
    }

    private func isOfPerson(_ cause: Cause.Kind, _ ignoresMotion: Bool) -> Bool {
        switch cause {
        // The command itself was the sign, if a person sent it.
        case .command, .scene(_, by: .some), .power, .unseen: false
        case .accessory(let name): !ignoresMotion || !motionSensors.contains(name)
        // The clock recalls the scenes of a smart one.
        case .scene(let scene, by: nil): scenes[scene]?.smart == nil
        case .otherApp: true
        }
    }

    private func lights(of thing: Journal.Thing) -> [Light.ID] {
        switch thing {
        case let .target(target): lights(in: target).map(\.id)
        case let .scene(scene): lights(of: scene) ?? []
        case .sensor: []
        }
    }

    /// The names of sensors that report motion: what one of them turns on, a cat may have caused.
    var motionSensors: Set<String> {
        Set(sensors.values.lazy.filter { $0.abilities.contains(.motion) && $0.buttons.isEmpty }.map(\.name))
    }
}

extension Sensor.Report {
    /// Whether somebody uses a button or dial, opens or closes something, or moves.
    fileprivate func isSignOfLife(ignoringMotion ignoresMotion: Bool) -> Bool {
        press != nil || rotation != nil || contact != nil || (motion == true && !ignoresMotion)
    }
}

extension Message.Following {
    fileprivate var isCommandForLights: Bool {
        switch self {
        case .follow, .unfollow, .resume: true
        case .following, .unfollowing, .resuming, .draw, .drawing, .paused, .resumed, .ended: false
        }
    }
}

extension Message.Lighting {
    /// Whether it is a command, or the response to one, that changes what lights show.
    fileprivate var changesLights: Bool {
        switch self {
        case .load, .loading, .change, .changing, .reported, .reread, .settled: false
        default: true
        }
    }
}
