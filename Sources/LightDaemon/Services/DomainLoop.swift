import Khipu
import Lighting
import ServiceLifecycle

/// The one loop that delivers messages. On shutdown it lets the waiting callers go, delivers what is already posted, and ends.
struct DomainLoop: Service {
    let mailbox: Mailbox<Message>
    let counter: Counter<Message>
    let domain: Input<Message>

    func run() async throws {
        await withGracefulShutdownHandler {
            await mailbox.deliver(to: domain)
        } onGracefulShutdown: {
            mailbox.close()
        }
        await counter.close()
    }
}
