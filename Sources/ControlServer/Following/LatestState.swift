import Khipu
import Lighting
import Synchronization

/// The newest state, for those who follow it from outside the domain. The state is persistent, so a copy is free, and every
/// follower compares what he showed last with what is there now.
final class LatestState: Sendable {
    struct Snapshot: Sendable {
        let state: AppState
        /// Rises with every change; begins at the milliseconds of the process's start, so that those of an earlier process
        /// are lower.
        let revision: Int64
    }

    let changes = ChangeSignal()
    private let content: Mutex<Snapshot>

    init(started: Timestamp) {
        content = Mutex(Snapshot(state: AppState(), revision: started.milliseconds))
    }

    var snapshot: Snapshot { content.withLock { $0 } }

    func update(to state: AppState) {
        content.withLock { $0 = Snapshot(state: state, revision: $0.revision + 1) }
        changes.send()
    }
}

extension LatestState.Snapshot {
    /// How many ids there are between two revisions.
    private static let span: Int64 = 1 << 20

    /// Whoever has the event of this id has everything up to this revision.
    var lastID: Int64 { revision * Self.span + (Self.span - 1) }

    /// The id of an event towards this revision, after which so many more come.
    func id(before rest: Int) -> Int64 { lastID - Swift.min(Int64(rest), Self.span - 1) }
}
