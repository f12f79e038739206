public import Khipu

/// What a person wants at hand.
@DomainActor
public func createDashboardFeature(
    store: AppStore,
    archive: Archive,
    output: @escaping Output<Message>
) -> Input<Message> {
    let shower = DashboardShower(store: store, responder: process(on: output))
    let arranger = DashboardArranger(store: store, archive: archive, responder: process(on: output))

    // swift-format-ignore
    @DomainActor func execute(_ command: Message.Dashboard, _ ticket: Ticket) {
        switch command {
        case     .show                             : shower  .request(to: .show(ticket))
        case let .pin   (target)                   : arranger.request(to: .arrange(.pinning(.it(target)), ticket))
        case let .unpin (target)                   : arranger.request(to: .arrange(.unpinning(.it(target)), ticket))
        case let .move  (target, to: place)        : arranger.request(to: .arrange(.moving(.it(target, to: place)), ticket))
        case let .toggle(.display(to: d), of: t)   : arranger.request(to: .arrange(.toggling(.display(of: t, to: d)), ticket))
        case .showing, .pinning, .unpinning, .moving, .toggling: break
        }
    }

    return { message in
        if case let .dashboard(command, ticket) = message { execute(command, ticket) }
    }
}

private func process(on output: @escaping Output<Message>) -> Output<DashboardShower.Response> {
    {
        switch $0 {
        case let .showing(pins, ticket): output(.dashboard(.showing(pins, .succeeded), ticket: ticket))
        }
    }
}

// swift-format-ignore
private func process(on output: @escaping Output<Message>) -> Output<DashboardArranger.Response> {
    {
        switch $0 {
        case let .arranging(.pinning  (.it(target))           , o, ticket): output(.dashboard(.pinning(target, o), ticket: ticket))
        case let .arranging(.unpinning(.it(target))           , o, ticket): output(.dashboard(.unpinning(target, o), ticket: ticket))
        case let .arranging(.moving   (.it(target, to: place)), o, ticket): output(.dashboard(.moving(target, to: place, o), ticket: ticket))
        case let .arranging(.toggling (.display(of: t, to: d)), o, ticket): output(.dashboard(.toggling(.display(to: d), of: t, o), ticket: ticket))
        }
    }
}
