import Glibc

/// What `Synchronization.Mutex` is on Darwin and Linux, with a lock that ThreadSanitizer sees.
///
/// On Linux, `Synchronization.Mutex` is a bare futex inside a library without instrumentation. ThreadSanitizer sees
/// neither its lock nor its unlock, and would report each guarded access as a race. It does see `pthread_mutex_lock`.
/// `make sanitize` therefore compiles our modules so that `import Synchronization` means this module (`Package.swift`);
/// no other build contains it.
public struct Mutex<Value: ~Copyable>: ~Copyable {
    // On the heap, because neither may move.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

    public init(_ initialValue: consuming sending Value) {
        mutex.initialize(to: pthread_mutex_t())
        check(pthread_mutex_init(mutex, nil), "pthread_mutex_init")
        value.initialize(to: initialValue)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
        check(pthread_mutex_destroy(mutex), "pthread_mutex_destroy")
        mutex.deallocate()
    }

    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        check(pthread_mutex_lock(mutex), "pthread_mutex_lock")
        defer { check(pthread_mutex_unlock(mutex), "pthread_mutex_unlock") }
        return try body(&value.pointee)
    }
}

// Unchecked, because the compiler sees pointers; `value` is used only while `mutex` is locked.
extension Mutex: @unchecked Sendable where Value: ~Copyable {}

private func check(_ result: CInt, _ call: String) {
    precondition(result == 0, "\(call) failed with \(result)")
}
