import Khipu
import Lighting
import Synchronization

/// The newest state, for those who follow it from outside the domain. The state is persistent, so a copy is free, and every
/// follower compares what he showed last with what is there now.
final class Showcase: Sendable {
    struct View: Sendable {
        let state: AppState
        /// Rises with every change; begins at the milliseconds of the process's start, so that those of an earlier process
        /// are lower.
        let revision: Int64
    }

    let bell = Bell()
    private let content: Mutex<View>

    init(started: Timestamp) {
        content = Mutex(View(state: AppState(), revision: started.milliseconds))
    }

    var view: View { content.withLock { $0 } }

    func show(_ state: AppState) {
        content.withLock { $0 = View(state: state, revision: $0.revision + 1) }
        bell.ring()
    }
}

extension Showcase.View {
    /// How many ids there are between two revisions.
    private static let span: Int64 = 1 << 20

    /// Whoever has the event of this id has everything up to this revision.
    var lastID: Int64 { revision * Self.span + (Self.span - 1) }

    /// The id of an event towards this revision, after which so many more come.
    func id(before rest: Int) -> Int64 { lastID - Swift.min(Int64(rest), Self.span - 1) }
}
