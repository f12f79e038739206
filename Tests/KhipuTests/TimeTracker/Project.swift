import Khipu

struct Project: Identifiable, Equatable, Codable, Sendable {
    let id: String
    let title: String
    let tasks: [ProjectTask]

    // swift-format-ignore
    enum Change {
        case setting (Setting ); enum Setting  { case title(to: String)   }
        case adding  (Adding  ); enum Adding   { case task(ProjectTask)   }
        case updating(Updating); enum Updating { case task(ProjectTask)   }
        case removing(Removing); enum Removing { case task(ProjectTask)   }
    }

    init(id: String, title: String) {
        self.init(id, title, [])
    }

    private init(_ id: String, _ title: String, _ tasks: [ProjectTask]) {
        self.id = id
        self.title = title
        self.tasks = tasks
    }

    func duration(at now: Timestamp) -> Duration { tasks.reduce(.zero) { $0 + $1.duration(at: now) } }

    func alter(by changes: Change...) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .setting (.title(to: t)): Self(id, t    , tasks                                       )
        case let .adding  (.task (    t)): Self(id, title, tasks.filter { $0.id != t.id } + [t]        )
        case let .removing(.task (    t)): Self(id, title, tasks.filter { $0.id != t.id }              )
        case let .updating(.task (    t)): Self(id, title, tasks.map    { $0.id == t.id ? t : $0 }     )
        }
    }
}

struct TrackerState: Equatable, Codable, Sendable {
    let projects: [Project]

    // swift-format-ignore
    enum Change {
        case adding  (Adding  ); enum Adding   { case project(Project) }
        case removing(Removing); enum Removing { case project(Project) }
        case updating(Updating); enum Updating { case project(Project) }
    }

    init(projects: [Project] = []) {
        self.projects = projects
    }

    func alter(by changes: Change...) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .adding  (.project(p)): Self(projects: projects.filter { $0.id != p.id } + [p]    )
        case let .removing(.project(p)): Self(projects: projects.filter { $0.id != p.id }          )
        case let .updating(.project(p)): Self(projects: projects.map    { $0.id == p.id ? p : $0 } )
        }
    }
}
