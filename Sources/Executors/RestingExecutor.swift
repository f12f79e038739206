import Dispatch
import Glibc
import Synchronization

/// Runs tasks on one thread of its own, so that a program with nothing to do never wakes.
///
/// The default executor runs tasks in libdispatch's shared pool, whose monitor wakes up every second for as long as the
/// process lives, once a single task has run there (swift-corelibs-libdispatch, `src/event/workqueue.c`). A serial queue
/// does not belong to that pool, but hands its work to one idle thread or another, with cold caches. Network and
/// database have threads of their own beside it.
public final class RestingExecutor: TaskExecutor {
    private let jobs = JobQueue()

    /// Traps if the system has no thread left: nothing could run.
    ///
    /// - Parameter thread: the name of the thread.
    public init(thread: String) {
        let code = startThread(thread) { [jobs] in jobs.run() }
        precondition(code == 0, "no thread can be started: \(String(cString: strerror(code)))")
    }

    deinit { jobs.close() }

    public func enqueue(_ job: consuming ExecutorJob) { jobs.add(UnownedJob(job), to: self) }

    /// Returns once the thread has come to this call, or when the task is cancelled: for a watchdog. A thread that hangs
    /// never does.
    public func ping() async {
        let (untilReached, reached) = AsyncStream<Never>.makeStream()
        // Nobody's child, because a parent would wait for it.
        Task(executorPreference: self) { reached.finish() }
        for await _ in untilReached {}
    }

    /// Runs a program's main task here, and exits with status 0 when it returns. Call it on the main thread, from a
    /// `main` that is not `async`: its task would begin on the default executor.
    public func run(_ main: @escaping @Sendable () async -> Void) -> Never {
        // libdispatch asks for a higher priority for threads that answer people, and says so on standard error at each
        // start if the process may not have one. Nothing depends on it. An existing value is kept.
        setenv("LIBDISPATCH_LOG", "NO", 0)
        // The root of all tasks: the process ends with it.
        Task(executorPreference: self) {
            await main()
            exit(0)
        }
        dispatchMain()
    }
}

/// Jobs that wait for their thread. A job keeps its executor alive until it has run.
private final class JobQueue: Sendable {
    private struct State {
        var waiting: [(job: UnownedJob, executor: RestingExecutor)] = []
        var isAsleep = false
        var isClosed = false
    }

    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)

    func add(_ job: UnownedJob, to executor: RestingExecutor) {
        let isAsleep = state.withLock { state in
            state.waiting.append((job, executor))
            defer { state.isAsleep = false }
            return state.isAsleep
        }
        if isAsleep { wake.signal() }
    }

    /// The thread ends once no job waits.
    func close() {
        state.withLock { $0.isClosed = true }
        wake.signal()
    }

    func run() {
        while true {
            let (jobs, isClosed) = state.withLock { state in
                defer { state.waiting = [] }
                state.isAsleep = state.waiting.isEmpty
                return (state.waiting, state.isClosed)
            }
            for (job, executor) in jobs { job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
            guard jobs.isEmpty else { continue }
            if isClosed { return }
            wake.wait()
        }
    }
}
