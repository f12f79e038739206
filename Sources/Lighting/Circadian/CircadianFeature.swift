public import Khipu

// swift-format-ignore
extension Message {
    public enum Following: Equatable, Codable, Sendable {
        // Commands, each followed by its response.
        /// Lights follow a curve, a sunrise or a sunset from now on, in these of their values.
        ///
        /// - Parameters:
        ///   - until: it ends at the next such moment.
        ///   - resumesAfter: so long after a change by hand, lights follow again.
        case follow     (Followings.Item.Course, on: Target, values: Set<FollowedValue>, until: Moment?, resumesAfter: Duration?)
        case following  (Followings.Item.Course, on: Target, Outcome)
        /// - Parameter timed: whether only a sunrise or a sunset ends, and curves go on.
        case unfollow   (Target, timed: Bool? = nil)
        case unfollowing(Target, Outcome)
        /// What was changed by hand follows again.
        case resume     (Target)
        case resuming   (Target, Outcome)
        /// Draws a curve, or removes it: then one that lightd has is as it was.
        case draw       (Curve?, named: String)
        case drawing    (Curve?, named: String, Outcome)

        // Facts.
        /// A hand has changed these values of lights; they are left alone.
        case paused     ([Light.ID], Set<FollowedValue>, Cause)
        /// Lights that a hand had changed follow again.
        case resumed    ([Light.ID])
        case ended      (Followings.Item.Course, on: Target)

        public var outcome: Outcome? {
            switch self {
            case let .following(_, _, o), let .unfollowing(_, o), let .resuming(_, o), let .drawing(_, _, o): o
            case .follow, .unfollow, .resume, .draw, .paused, .resumed, .ended: nil
            }
        }
    }
}

/// Lights that follow a curve, a sunrise or a sunset, until a hand changes them.
///
/// Belongs after the lighting and history features: it looks at what lights show after they have done their part.
@DomainActor
public func createCircadianFeature(
    store: AppStore,
    commands: CommandsUnderWay,
    archive: Archive,
    clock: Clock,
    home: Live<HomeTime>,
    tickets: @escaping TicketIssuer,
    output: @escaping Output<Message>
) -> Input<Message> {
    let respond: Responder<CircadianController.Response> = { response, ticket in output(Message(response, ticket)) }
    let due = AlarmCall()
    let alarm = clock.alarm { due.call() }
    let lead = CircadianController(
        store: store, commands: commands, archive: archive, watch: ClockWatch(clock), time: home, tickets: tickets,
        alarm: alarm, respond: respond)
    due.call = { lead.request(to: .advance(), ticket: .unasked(from: "lightd", at: clock.now())) }

    // swift-format-ignore
    @DomainActor func execute(_ message: Message.Following, _ ticket: Ticket) {
        switch message {
        case let .follow  (course, on: target, values: v, until: u, resumesAfter: r): lead.request(to: .follow(course, target, v, until: u, resumesAfter: r), ticket: ticket)
        case let .unfollow(target, timed: t) : lead.request(to: .unfollow(target, timed: t ?? false), ticket: ticket)
        case let .resume  (target)           : lead.request(to: .resume(target), ticket: ticket)
        case let .draw    (curve, named: n)  : lead.request(to: .draw(curve, named: n), ticket: ticket)
        case .following, .unfollowing, .resuming, .drawing, .paused, .resumed, .ended: break
        }
    }

    return { message in
        switch message {
        case let .following(message, ticket): execute(message, ticket)
        // A home that was read may have other lights and rooms.
        case .lighting(.reported(.home), let ticket), .lighting(.reported(.added), let ticket),
            .lighting(.reported(.changed), let ticket), .lighting(.reported(.removed), let ticket),
            .lighting(.reread, let ticket), .bridges(.forgetting, let ticket), .bridges(.joined, let ticket):
            if case let .lighting(message, _) = message { lead.request(to: .observe(message), ticket: ticket) }
            lead.request(to: .advance(removed: message.removedTarget, read: message.readBridge), ticket: ticket)
        case .bridges(.connected, let ticket), .bridges(.lost, let ticket): lead.request(to: .advance(), ticket: ticket)
        // Nobody has changed anything.
        case let .lighting(.reported(.light(_, report)), _) where report.isOnlyOfKept: break
        case let .lighting(message, ticket): lead.request(to: .observe(message), ticket: ticket)
        case .dashboard, .logging, .bridges, .rooms, .scenes, .switches, .automations, .presence: break
        }
    }
}

extension Message {
    /// The light or room that a bridge has reported as removed.
    fileprivate var removedTarget: Target? {
        switch self {
        case let .lighting(.reported(.removed(.light(id))), _): .light(id)
        case let .lighting(.reported(.removed(.room(id))), _): .room(id)
        default: nil
        }
    }

    /// The bridge of which everything was read.
    fileprivate var readBridge: Bridge.ID? {
        switch self {
        case let .lighting(.reported(.home(bridge, _, _, _, _)), _): bridge
        case let .lighting(.reread(difference), _): difference.bridge
        default: nil
        }
    }
}

// swift-format-ignore
extension Message {
    fileprivate init(_ response: CircadianController.Response, _ ticket: Ticket) {
        switch response {
        case let .following  (course, target, outcome)    : self = .following(.following(course, on: target, outcome), ticket: ticket)
        case let .unfollowing(target, outcome)            : self = .following(.unfollowing(target, outcome), ticket: ticket)
        case let .resuming   (target, outcome)            : self = .following(.resuming(target, outcome), ticket: ticket)
        case let .drawing    (curve, named: name, outcome): self = .following(.drawing(curve, named: name, outcome), ticket: ticket)
        case let .paused     (lights, values, cause)      : self = .following(.paused(lights, values, cause), ticket: ticket)
        case let .resumed    (lights)                     : self = .following(.resumed(lights), ticket: ticket)
        case let .ended      (course, target)             : self = .following(.ended(course, on: target), ticket: ticket)
        case let .step       (states, transition)         : self = .lighting(.follow(states, over: transition), ticket: ticket)
        case let .notSaved   (failure)                    : self = .notSaved(failure, at: ticket.time)
        }
    }
}
