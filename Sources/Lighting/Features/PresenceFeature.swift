public import Khipu

/// Presence replay: lamps burn while nobody is at home, as they did when somebody was, until the first sign of life.
///
/// Belongs after the features that change lights: it asks why a light has changed.
@DomainActor
public func createPresenceFeature(
    store: AppStore,
    journal: Journal,
    archive: Archive,
    home: Live<HomeTime>,
    clock: Clock,
    tickets: @escaping TicketIssuer,
    output: @escaping Output<Message>
) -> Input<Message> {
    let starter = PresenceStarter(store: store, journal: journal, archive: archive, time: home) { response, ticket in
        output(.presence(Message.Presence(response), ticket: ticket))
    }
    let player = PresencePlayer(
        store: store, archive: archive, time: home, clock: clock, tickets: tickets, output: output)

    // swift-format-ignore
    @DomainActor func execute(_ message: Message.Presence, _ ticket: Ticket) {
        switch message {
        case let .begin   (settings)          : starter.request(to: .begin(settings), ticket: ticket)
        case let .recalled(history, settings) : starter.request(to: .play(history, settings), ticket: ticket)
        case     .end                         : starter.request(to: .end, ticket: ticket)
        case let .preview (settings)          : starter.request(to: .preview(settings), ticket: ticket)
        case .beginning, .ending              : player.play()
        case .previewing, .planned, .ended    : break
        }
    }

    return { message in
        player.watch(message)
        if case let .presence(message, ticket) = message { execute(message, ticket) }
    }
}

extension Message.Presence {
    fileprivate init(_ response: PresenceStarter.Response) {
        switch response {
        case let .recalled(history, settings): self = .recalled(history, settings)
        case let .beginning(settings, outcome): self = .beginning(settings, outcome)
        case let .ending(outcome): self = .ending(outcome)
        case let .previewing(uses, outcome): self = .previewing(uses, outcome)
        }
    }
}
