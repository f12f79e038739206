public import Khipu

// swift-format-ignore
extension Message {
    public enum Presence: Equatable, Codable, Sendable {
        // Commands, each followed by its response.
        /// Begins a replay; changes the settings of one that goes on.
        case begin    (PresenceReplay.Settings)
        case beginning(PresenceReplay.Settings, Outcome)
        case end
        case ending   (Outcome)
        /// Says what `begin` would do.
        case preview  (PresenceReplay.Settings)
        case previewing([UsageHistory.Use], Outcome)

        // Facts.
        /// What is to be replayed has been read from the journal, for the command with the same ticket.
        case recalled (UsageHistory, PresenceReplay.Settings)
        /// These uses are to come.
        case planned  ([UsageHistory.Use])
        case ended    (PresenceReplay.Ending)

        public var outcome: Outcome? {
            switch self {
            case let .beginning(_, o), let .ending(o), let .previewing(_, o): o
            case .begin, .end, .preview, .recalled, .planned, .ended: nil
            }
        }
    }
}

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
