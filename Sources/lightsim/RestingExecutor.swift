import Dispatch
import Synchronization

/// Runs tasks on serial queues, one per processor. The default executor runs them in libdispatch's shared pool, whose
/// monitor wakes up every second for as long as the process lives (swift-corelibs-libdispatch, `src/event/workqueue.c`);
/// serial queues do not belong to that pool.
final class RestingExecutor: TaskExecutor {
    private let queues: [DispatchQueue]
    private let next = Mutex(0)

    init(processors: Int) {
        queues = (0..<max(1, processors)).map { DispatchQueue(label: "tasks \($0)") }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let place = next.withLock { next in
            next = (next + 1) % queues.count
            return next
        }
        queues[place].async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
