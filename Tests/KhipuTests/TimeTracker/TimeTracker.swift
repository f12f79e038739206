import Khipu

typealias TrackerStore = Store<TrackerState, TrackerState.Change>

// swift-format-ignore
enum TrackerMessage: Equatable, Sendable {
    case projects(Projects); enum Projects: Equatable, Sendable {
        case add   (Project), added  (Project)
        case remove(Project), removed(Project)
        case update(Project), updated(Project)
    }
}

struct ProjectAdder: UseCase {
    enum Request { case add(Project) }
    enum Response { case added(Project) }

    let store: TrackerStore
    let respond: Output<Response>

    func request(to request: Request) {
        switch request {
        case let .add(project):
            store.change(by: .adding(.project(project)))
            respond(.added(project))
        }
    }
}

struct ProjectRemover: UseCase {
    enum Request { case remove(Project) }
    enum Response { case removed(Project) }

    let store: TrackerStore
    let respond: Output<Response>

    func request(to request: Request) {
        switch request {
        case let .remove(project):
            store.change(by: .removing(.project(project)))
            respond(.removed(project))
        }
    }
}

struct ProjectUpdater: UseCase {
    enum Request { case update(Project) }
    enum Response { case updated(Project) }

    let store: TrackerStore
    let respond: Output<Response>

    func request(to request: Request) {
        switch request {
        case let .update(project):
            store.change(by: .updating(.project(project)))
            respond(.updated(project))
        }
    }
}

@DomainActor
func createProjectsFeature(
    store: TrackerStore, output: @escaping Output<TrackerMessage>
) -> Input<TrackerMessage> {
    let adder = ProjectAdder(store: store) { response in
        switch response {
        case let .added(project): output(.projects(.added(project)))
        }
    }
    let remover = ProjectRemover(store: store) { response in
        switch response {
        case let .removed(project): output(.projects(.removed(project)))
        }
    }
    let updater = ProjectUpdater(store: store) { response in
        switch response {
        case let .updated(project): output(.projects(.updated(project)))
        }
    }

    @DomainActor func execute(_ command: TrackerMessage.Projects) {
        switch command {
        case let .add(project): adder.request(to: .add(project))
        case let .remove(project): remover.request(to: .remove(project))
        case let .update(project): updater.request(to: .update(project))
        case .added, .removed, .updated: break
        }
    }

    return { message in
        if case let .projects(command) = message { execute(command) }
    }
}

/// Where the state goes whenever it changes, and comes from at the start.
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

/// What a screen would show and do: values from the store, wishes to the root handler.
@DomainActor
final class ProjectsViewModel {
    private(set) var titles: [String] = []
    private let post: Output<TrackerMessage>

    init(store: TrackerStore, post: @escaping Output<TrackerMessage>) {
        self.post = post
        _ = store.observe({ $0.projects.map(\.title) }) { [weak self] in self?.titles = $0 }
    }

    func add(_ project: Project) { post(.projects(.add(project))) }
    func remove(_ project: Project) { post(.projects(.remove(project))) }
    func update(_ project: Project) { post(.projects(.update(project))) }
}
