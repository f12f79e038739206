/// The one serial executor of a domain: its store, its use cases and its features run on it.
///
/// Everything that touches the state is isolated here, so nothing in a domain locks or waits. Gateways own their
/// threads and post their results to a ``Mailbox``, which accepts messages from any thread.
@globalActor
public actor DomainActor {
    public static let shared = DomainActor()
}
