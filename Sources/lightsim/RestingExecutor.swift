import Dispatch

/// Runs tasks on a serial queue; connections are read, written and encrypted on the event loops beside it. The default
/// executor runs tasks in libdispatch's shared pool, whose monitor wakes up every second for as long as the process
/// lives (swift-corelibs-libdispatch, `src/event/workqueue.c`). A serial queue does not belong to that pool.
final class RestingExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "tasks")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
