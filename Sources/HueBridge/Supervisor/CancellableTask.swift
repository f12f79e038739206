/// A child task of a group that can be cancelled without the others.
final class CancellableTask: Sendable {
    private let end: AsyncStream<Never>.Continuation

    fileprivate init(_ end: AsyncStream<Never>.Continuation) { self.end = end }

    func cancel() { end.finish() }
}

extension DiscardingTaskGroup {
    mutating func addCancellableTask(_ work: @escaping @Sendable (CancellableTask) async -> Void) -> CancellableTask {
        let (cancelled, end) = AsyncStream<Never>.makeStream()
        let task = CancellableTask(end)
        addTask {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    await work(task)
                    task.cancel()
                }
                for await _ in cancelled {}
                group.cancelAll()
            }
        }
        return task
    }
}
