import Khipu
import Lighting
import ServiceLifecycle

/// Delivers messages to the domain. On shutdown, delivers those already posted, then releases the callers that still
/// wait.
struct DomainLoop: Service {
    let mailbox: Mailbox<Message>
    let requests: PendingRequests<Message>
    let domain: Input<Message>

    func run() async throws {
        await withGracefulShutdownHandler {
            await mailbox.deliver(to: domain)
        } onGracefulShutdown: {
            mailbox.close()
        }
        await requests.close()
    }
}
