import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Curl

@Suite struct EngineTests {
    @Test func `the thread answers a ping only when it is not held up`() async throws {
        let engine = Engine()
        engine.start()
        await engine.ping()
        let (held, released) = (Latch(), DispatchSemaphore(value: 0))
        // An invalid URL is answered on the thread, at once.
        engine.start(
            HTTPRequest(.get, "nowhere"), CancellationToken(),
            .buffered { _ in
                held.open()
                released.wait()
            })
        #expect(await held.wait())
        let answered = Mutex(false)
        async let ping: Void = {
            await engine.ping()
            answered.withLock { $0 = true }
        }()
        // Whoever no longer waits is let go, although the thread still hangs.
        let impatient = Task { await engine.ping() }
        impatient.cancel()
        await impatient.value
        #expect(answered.withLock { $0 } == false)
        released.signal()
        await ping
        #expect(answered.withLock { $0 } == true)
        engine.stop()
        await engine.ping()
    }
}
