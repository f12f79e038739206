import Khipu

typealias TrackerStore = Store<TrackerState, TrackerState.Change>

// swift-format-ignore
enum TrackerMessage: Equatable, Sendable {
    case projects(Projects, ticket: Ticket); enum Projects: Equatable, Sendable {
        case add   (Project), added  (Project)
        case remove(Project), removed(Project)
        case update(Project), updated(Project)
    }
}

struct ProjectAdder: UseCase {
    enum Request { case add(Project) }
    enum Response { case added(Project) }

    let store: TrackerStore
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .add(project):
            store.change(by: .adding(.project(project)))
            respond(.added(project), ticket)
        }
    }
}

struct ProjectRemover: UseCase {
    enum Request { case remove(Project) }
    enum Response { case removed(Project) }

    let store: TrackerStore
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .remove(project):
            store.change(by: .removing(.project(project)))
            respond(.removed(project), ticket)
        }
    }
}

struct ProjectUpdater: UseCase {
    enum Request { case update(Project) }
    enum Response { case updated(Project) }

    let store: TrackerStore
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .update(project):
            store.change(by: .updating(.project(project)))
            respond(.updated(project), ticket)
        }
    }
}

@DomainActor
func createProjectsFeature(
    store: TrackerStore, output: @escaping Output<TrackerMessage>
) -> Input<TrackerMessage> {
    let adder = ProjectAdder(store: store) { response, ticket in
        switch response {
        case let .added(project): output(.projects(.added(project), ticket: ticket))
        }
    }
    let remover = ProjectRemover(store: store) { response, ticket in
        switch response {
        case let .removed(project): output(.projects(.removed(project), ticket: ticket))
        }
    }
    let updater = ProjectUpdater(store: store) { response, ticket in
        switch response {
        case let .updated(project): output(.projects(.updated(project), ticket: ticket))
        }
    }

    @DomainActor func execute(_ command: TrackerMessage.Projects, _ ticket: Ticket) {
        switch command {
        case let .add(project): adder.request(to: .add(project), ticket: ticket)
        case let .remove(project): remover.request(to: .remove(project), ticket: ticket)
        case let .update(project): updater.request(to: .update(project), ticket: ticket)
        case .added, .removed, .updated: break
        }
    }

    return { message in
        if case let .projects(command, ticket) = message { execute(command, ticket) }
    }
}

/// Loads the state at the start, and saves it after every change.
struct TrackerPersister: Sendable {
    let load: @Sendable () -> TrackerState
    let save: @Sendable (TrackerState) -> Void
}

@DomainActor
func createTrackerStore(persister: TrackerPersister) -> TrackerStore {
    let store: TrackerStore = createStore(persister.load()) { $0.alter(by: $1) }
    _ = store.subscribe { persister.save($0) }
    return store
}

@DomainActor
func createTrackerDomain(
    store: TrackerStore, receivers: [Input<TrackerMessage>] = [], output: @escaping Output<TrackerMessage>
) -> Input<TrackerMessage> {
    makeAppDomain(features: [createProjectsFeature(store: store, output: output)], receivers: receivers)
}

/// What a screen shows and does: it gets values from the store and posts commands.
@DomainActor
final class ProjectsViewModel {
    private(set) var titles: [String] = []
    private let ticket: Ticket
    private let output: Output<TrackerMessage>

    init(store: TrackerStore, ticket: Ticket, output: @escaping Output<TrackerMessage>) {
        self.ticket = ticket
        self.output = output
        _ = store.observe({ $0.projects.map(\.title) }) { [weak self] in self?.titles = $0 }
    }

    func add(_ project: Project) { post(.add(project)) }
    func remove(_ project: Project) { post(.remove(project)) }
    func update(_ project: Project) { post(.update(project)) }

    private func post(_ command: TrackerMessage.Projects) { output(.projects(command, ticket: ticket)) }
}
