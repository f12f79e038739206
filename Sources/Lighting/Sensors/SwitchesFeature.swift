public import Khipu

// swift-format-ignore
extension Message {
    public enum Switches: Equatable, Codable, Sendable {
        // Commands, each followed by its response.
        /// What the switch is bound to already is replaced.
        case bind     (SwitchBinding)
        case binding  (SwitchBinding, Outcome)
        case unbind   (Sensor.ID)
        case unbinding(Sensor.ID, Outcome)
        /// Lets a sensor report again, or no longer.
        case enable   (Sensor.ID, Bool)
        case enabling (Sensor.ID, Bool, Outcome)

        // Facts.
        /// A bound switch was pressed or turned, and there is nothing that it could do.
        case missed   (SwitchBinding, because: Failure)

        public var outcome: Outcome? {
            switch self {
            case let .binding(_, o), let .unbinding(_, o), let .enabling(_, _, o): o
            case .bind, .unbind, .enable, .missed: nil
            }
        }
    }
}

/// Switches and dials bound to lights: binds them, and does what is pressed and turned at them. Sensors: lets them
/// report, or not.
///
/// Belongs after the lighting feature, whose messages it listens to: a report must be applied before it is acted on.
@DomainActor
public func createSwitchesFeature(
    store: AppStore,
    stack: SensorStack,
    archive: Archive,
    tickets: @escaping TicketIssuer,
    output: @escaping Output<Message>
) -> Input<Message> {
    let binder = SwitchBinder(store: store, archive: archive) { response, ticket in
        switch response {
        case let .binding(binding, outcome): output(.switches(.binding(binding, outcome), ticket: ticket))
        case let .unbinding(id, outcome): output(.switches(.unbinding(id, outcome), ticket: ticket))
        case let .notSaved(failure): output(.notSaved(failure, at: ticket.time))
        }
    }
    let enabler = SensorEnabler(store: store, stack: stack) { response, ticket in
        switch response {
        case let .enabling(id, isEnabled, outcome):
            output(.switches(.enabling(id, isEnabled, outcome), ticket: ticket))
        }
    }
    let switchOperator = SwitchOperator(store: store, tickets: tickets) { response, ticket in
        switch response {
        case let .command(command): output(.lighting(command, ticket: ticket))
        case let .missed(binding, because: failure):
            output(.switches(.missed(binding, because: failure), ticket: ticket))
        }
    }

    // swift-format-ignore
    @DomainActor func execute(_ message: Message.Switches, _ ticket: Ticket) {
        switch message {
        case let .bind  (binding)            : binder.request(to: .bind(binding), ticket: ticket)
        case let .unbind(id)                 : binder.request(to: .unbind(id), ticket: ticket)
        case let .enable(id, isEnabled)      : enabler.request(to: .enable(id, isEnabled), ticket: ticket)
        case .binding, .unbinding, .enabling, .missed: break
        }
    }

    return { message in
        switch message {
        case let .switches(message, ticket): execute(message, ticket)
        case let .lighting(.reported(.sensor(id, report)), ticket):
            switchOperator.request(to: .follow(id, report), ticket: ticket)
        case let .bridges(.forgetting(_, .succeeded), ticket): binder.request(to: .save, ticket: ticket)
        default: break
        }
    }
}
