import Khipu

enum DueDate: Equatable, Codable, Sendable {
    case unknown
    case date(Timestamp)
}

struct ProjectTask: Identifiable, Equatable, Codable, Sendable {
    let id: String
    let title: String
    let dueDate: DueDate
    let state: State
    let timeSlips: [TimeSlip]

    enum State: String, Codable, Sendable, CaseIterable, CustomStringConvertible {
        case unfinished, inProgress, finished

        var description: String {
            switch self {
            case .unfinished: "unfinished"
            case .inProgress: "in progress"
            case .finished: "finished"
            }
        }
    }

    // swift-format-ignore
    enum Change {
        case setting(Setting); enum Setting {
            case title  (to: String)
            case dueDate(to: DueDate)
            case state  (to: State)
        }
        case recording(Recording); enum Recording {
            case start(id: String, at: Timestamp)
            case stop(at: Timestamp)
        }
    }

    init(id: String, title: String) {
        self.init(id, title, .unknown, .unfinished, [])
    }

    private init(_ id: String, _ title: String, _ dueDate: DueDate, _ state: State, _ timeSlips: [TimeSlip]) {
        self.id = id
        self.title = title
        self.dueDate = dueDate
        self.state = state
        self.timeSlips = timeSlips
    }

    var isRecording: Bool { timeSlips.last.map { $0.stop == nil } ?? false }

    func duration(at now: Timestamp) -> Duration {
        timeSlips.reduce(.zero) { $0 + $1.duration(at: now) }
    }

    func alter(by changes: Change...) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .setting  (.title  (to: t))     : Self(id, t    , dueDate, state, timeSlips                 )
        case let .setting  (.dueDate(to: d))     : Self(id, title, d      , state, timeSlips                 )
        case let .setting  (.state  (to: s))     : Self(id, title, dueDate, s    , timeSlips                 )
        case let .recording(.start(id: n, at: t)): Self(id, title, dueDate, state, started(slip: n, at: t)   )
        case let .recording(.stop (at: t))       : Self(id, title, dueDate, state, stopped(at: t)            )
        }
    }

    private func started(slip: String, at time: Timestamp) -> [TimeSlip] {
        isRecording ? timeSlips : timeSlips + [TimeSlip(id: slip, start: time)]
    }

    private func stopped(at time: Timestamp) -> [TimeSlip] {
        guard isRecording, let last = timeSlips.last else { return timeSlips }
        return timeSlips.dropLast() + [last.alter(by: .setting(.stop(to: time)))]
    }
}
