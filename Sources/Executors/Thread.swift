import CLinux
import Glibc

/// Starts a thread that runs this body and ends with it.
///
/// - Parameter name: what 'top -H' shows; the kernel keeps 15 bytes of it.
/// - Returns: 0, or the error number of `pthread_create`; then the body does not run.
public func startThread(_ name: String, _ body: @escaping @Sendable () -> Void) -> CInt {
    var thread = pthread_t()
    // +1, released by the thread's first line.
    let work = Unmanaged.passRetained(ThreadBody(name, body))
    let code = pthread_create(
        &thread, nil,
        { context in
            guard let context else { return nil }
            Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
            return nil
        },
        work.toOpaque()
    )
    guard code == 0 else {
        work.release()
        return code
    }
    pthread_detach(thread)
    return 0
}

private final class ThreadBody: Sendable {
    private let name: String
    private let body: @Sendable () -> Void

    init(_ name: String, _ body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }

    func run() {
        clinux_set_thread_name(name)
        body()
    }
}
