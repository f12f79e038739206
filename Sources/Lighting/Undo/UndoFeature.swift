public import Khipu

/// Undo, redo, and the settlement of commands: follows what became of the values that each command has sent.
///
/// Belongs after the lighting feature, whose messages it listens to: a report must be applied before it can confirm
/// anything.
@DomainActor
public func createUndoFeature(
    store: AppStore,
    commands: CommandsUnderWay,
    clock: Clock,
    output: @escaping Output<Message>
) -> Input<Message> {
    func responder<Response>(_ message: @escaping @Sendable (Response) -> Message.Lighting) -> Responder<Response> {
        { output(.lighting(message($0), ticket: $1)) }
    }
    let reverser = CommandReverser(commands: commands, respond: responder(Message.Lighting.init))
    let expectations = ExpectationTracker(
        store: store, commands: commands, clock: clock, respond: responder(Message.Lighting.init))

    // swift-format-ignore
    @DomainActor func execute(_ message: Message.Lighting, _ ticket: Ticket) {
        switch message {
        case let .undo(count, downTo: first, over: time): reverser.request(to: .undo(count, downTo: first, time), ticket: ticket)
        case let .redo(count, over: time)               : reverser.request(to: .redo(count, time), ticket: ticket)

        case let .undoing   (_, outcome)       ,
             let .turning   (_, _, outcome)    ,
             let .toggling  (_, _, outcome)    ,
             let .applying  (_, _, outcome)    ,
             let .restoring (_, outcome)       ,
             let .increasing(_, _, _, outcome) ,
             let .decreasing(_, _, _, outcome) ,
             let .recalling (_, outcome)       ,
             let .redoing   (_, outcome)       :
            commands.close(ticket, outcome)
            expectations.request(to: .settle(outcome), ticket: ticket)
        case let .following (outcome)          : expectations.request(to: .settle(outcome, isWaitedFor: false), ticket: ticket)

        case .reported, .reread                : expectations.request(to: .check, ticket: ticket)
        case let .settled(outcome)             :
            if outcome != .succeeded { commands.close(ticket, outcome) }
            expectations.request(to: .end, ticket: ticket)

        case .load, .loading, .turn, .toggle, .apply, .change, .changing, .increase, .decrease, .recall, .restore, .follow, .identify,
             .identifying, .signal, .signaling: break
        }
    }

    return { message in
        if case let .lighting(message, ticket) = message { execute(message, ticket) }
    }
}

extension Message.Lighting {
    fileprivate init(_ response: CommandReverser.Response) {
        switch response {
        case let .undoing(reversal, outcome): self = .undoing(reversal, outcome)
        case let .redoing(reversal, outcome): self = .redoing(reversal, outcome)
        }
    }

    fileprivate init(_ response: ExpectationTracker.Response) {
        switch response {
        case let .settled(outcome): self = .settled(outcome)
        }
    }
}
