import Dispatch
import Glibc

/// Runs tasks on a serial queue, so that a program with nothing to do never wakes.
///
/// The default executor runs tasks in libdispatch's shared pool, whose monitor wakes up every second for as long as the
/// process lives, once a single task has run there (swift-corelibs-libdispatch, `src/event/workqueue.c`). A serial queue
/// does not belong to that pool. Network and database have threads of their own beside it.
public final class RestingExecutor: TaskExecutor {
    private let queue: DispatchQueue

    /// - Parameter label: the queue's name, for debuggers.
    public init(label: String = "tasks") {
        queue = DispatchQueue(label: label)
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs a program's main task here, and exits with status 0 when it returns. Call it on the main thread, from a
    /// `main` that is not `async`: its task would begin on the default executor.
    public func run(_ main: @escaping @Sendable () async -> Void) -> Never {
        // The root of all tasks: the process ends with it.
        Task(executorPreference: self) {
            await main()
            exit(0)
        }
        dispatchMain()
    }
}
