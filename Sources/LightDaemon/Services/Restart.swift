import ControlProtocol
import Lighting
import Persistence
import ServiceLifecycle
import Synchronization

/// Ends when lightd is to begin anew within this process, and with it the group that it runs in.
final class Restart: Service {
    private let isAsked = Mutex(false)
    private let requests: AsyncStream<Void>
    private let request: AsyncStream<Void>.Continuation

    init() {
        (requests, request) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var isRequested: Bool { isAsked.withLock { $0 } }

    func ask() {
        isAsked.withLock { $0 = true }
        request.yield()
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { [requests] in
            for await _ in requests { return }
        }
    }
}

extension StateBackups {
    /// With a restart after a backup was kept for it.
    func andThen(_ restart: Restart) -> Self {
        let keep = restore
        var backups = self
        backups.restore = { file throws(BackupError) in
            let summary = try await keep(file)
            restart.ask()
            return summary
        }
        return backups
    }
}

extension Restoration {
    var body: StatusBody.Restored {
        switch self {
        case .done: StatusBody.Restored()
        case let .failed(reason): StatusBody.Restored(error: reason)
        }
    }
}
