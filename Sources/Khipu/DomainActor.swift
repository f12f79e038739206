/// The one serial executor on which a domain lives: its store, its use cases, its features.
///
/// Everything that touches the state is isolated here, so nothing in a domain locks or waits. Gateways own their threads
/// and hand results back as messages through a ``Mailbox``, whose `post` may be called from anywhere.
@globalActor
public actor DomainActor {
    public static let shared = DomainActor()
}
