import Khipu

/// A period of work. Times are arguments: nothing here reads a clock.
struct TimeSlip: Identifiable, Equatable, Codable, Sendable {
    let id: String
    let start: Timestamp
    let stop: Timestamp?

    // swift-format-ignore
    enum Change {
        case setting(Setting); enum Setting { case stop(to: Timestamp) }
    }

    init(id: String, start: Timestamp) {
        self.init(id, start, nil)
    }

    private init(_ id: String, _ start: Timestamp, _ stop: Timestamp?) {
        self.id = id
        self.start = start
        self.stop = stop
    }

    /// How long it took, or has taken until now.
    func duration(at now: Timestamp) -> Duration { (stop ?? now).since(start) }

    func alter(by change: Change) -> Self {
        switch change {
        case let .setting(.stop(to: time)): Self(id, start, time)
        }
    }
}
