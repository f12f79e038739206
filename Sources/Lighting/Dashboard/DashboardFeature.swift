public import Khipu

// swift-format-ignore
extension Message {
    public enum Dashboard: Equatable, Codable, Sendable {
        // Commands, each followed by its response.
        case show
        case showing  ([DashboardPin], Outcome)
        case pin      (Target)
        case pinning  (Target, Outcome)
        case unpin    (Target)
        case unpinning(Target, Outcome)
        /// Moves a pin to a place, counted from 0.
        case move     (Target, to: Int)
        case moving   (Target, to: Int, Outcome)
        case toggle   (Toggle, of: Target)
        case toggling (Toggle, of: Target, Outcome)
        /// Leaves lights out of "All off", or hides them from the page.
        case exclude  ([Light.ID], from: Exclusion)
        case excluding([Light.ID], from: Exclusion, Outcome)
        case include  ([Light.ID], in: Exclusion)
        case including([Light.ID], in: Exclusion, Outcome)

        public enum Toggle: Equatable, Codable, Sendable { case display(to: LevelControl) }

        public var outcome: Outcome? {
            switch self {
            case let .showing(_, o), let .pinning(_, o), let .unpinning(_, o), let .moving(_, _, o), let .toggling(_, _, o),
                 let .excluding(_, _, o), let .including(_, _, o): o
            case .show, .pin, .unpin, .move, .toggle, .exclude, .include: nil
            }
        }
    }
}

/// The dashboard: what a person wants at hand, in which order, and what is left out.
@DomainActor
public func createDashboardFeature(
    store: AppStore,
    archive: Archive,
    output: @escaping Output<Message>
) -> Input<Message> {
    let arranger = DashboardArranger(store: store, archive: archive) { response, ticket in
        output(.dashboard(Message.Dashboard(response), ticket: ticket))
    }

    // swift-format-ignore
    @DomainActor func execute(_ message: Message.Dashboard, _ ticket: Ticket) {
        switch message {
        case     .show                             : arranger.request(to: .show, ticket: ticket)
        case let .pin   (target)                   : arranger.request(to: .arrange(.pinning(.it(target))), ticket: ticket)
        case let .unpin (target)                   : arranger.request(to: .arrange(.unpinning(.it(target))), ticket: ticket)
        case let .move  (target, to: place)        : arranger.request(to: .arrange(.moving(.it(target, to: place))), ticket: ticket)
        case let .toggle(.display(to: d), of: t)   : arranger.request(to: .arrange(.toggling(.display(of: t, to: d))), ticket: ticket)
        case let .exclude(lights, from: e)         : arranger.request(to: .arrange(.excluding(.lights(lights, from: e))), ticket: ticket)
        case let .include(lights, in: e)           : arranger.request(to: .arrange(.including(.lights(lights, in: e))), ticket: ticket)
        case .showing, .pinning, .unpinning, .moving, .toggling, .excluding, .including: break
        }
    }

    return { message in
        if case let .dashboard(message, ticket) = message { execute(message, ticket) }
    }
}

// swift-format-ignore
extension Message.Dashboard {
    fileprivate init(_ response: DashboardArranger.Response) {
        switch response {
        case let .showing(pins, outcome)                                : self = .showing(pins, outcome)
        case let .arranging(.pinning  (.it(target))           , outcome): self = .pinning(target, outcome)
        case let .arranging(.unpinning(.it(target))           , outcome): self = .unpinning(target, outcome)
        case let .arranging(.moving   (.it(target, to: place)), outcome): self = .moving(target, to: place, outcome)
        case let .arranging(.toggling (.display(of: t, to: d)), outcome): self = .toggling(.display(to: d), of: t, outcome)
        case let .arranging(.excluding(.lights(l, from: e))   , outcome): self = .excluding(l, from: e, outcome)
        case let .arranging(.including(.lights(l, in: e))     , outcome): self = .including(l, in: e, outcome)
        }
    }
}
