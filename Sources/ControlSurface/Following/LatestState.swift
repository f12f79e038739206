import Khipu
public import Lighting
import Synchronization

/// The newest state, readable from outside the domain. States share their structure, so that a copy is free, and every
/// follower compares the state it showed last with the newest one.
public final class LatestState: Sendable {
    public struct Snapshot: Sendable {
        public let state: AppState
        /// Rises with every change. It begins at the milliseconds of the process's start, so that revisions of an
        /// earlier process are lower.
        public let revision: Int64
    }

    /// Sent for every change.
    public let changes = ChangeSignal()
    private let newest: Mutex<Snapshot>

    init(_ state: AppState, started: Timestamp) {
        newest = Mutex(Snapshot(state: state, revision: started.milliseconds))
    }

    public var snapshot: Snapshot { newest.withLock { $0 } }

    func update(to state: AppState) {
        newest.withLock { $0 = Snapshot(state: state, revision: $0.revision + 1) }
        changes.send(.changed)
    }
}
