import HashTreeCollections
public import Khipu
public import Lighting

/// A whole domain in memory that delivers its messages by itself, for the tests of a surface.
public struct RunningDomainFixture: Sendable {
    public let store: AppStore
    public let requests: PendingRequests<Message>
    public let stack: MemoryStack
    public let journal: MemoryJournal
    public let clock: ManualClock

    /// Runs a domain with a surface on it for as long as `body` runs.
    ///
    /// - Parameters:
    ///   - connects: whether bridges connect by themselves.
    ///   - make: the surface, what it receives at the end of the domain's list, and how it reads stored commands.
    public static func run<Surface: Sendable>(
        _ state: AppState, stack: MemoryStack, connects: Bool, time: HomeTime = .utc,
        surface make: @DomainActor (Self) -> (Surface, Input<Message>, CommandResolver),
        _ body: (Self, Surface) async throws -> Void
    ) async throws {
        let (clock, journal, mailbox) = (ManualClock(), MemoryJournal(), Mailbox<Message>())
        let home = Self(
            store: await createAppStore(state), requests: await PendingRequests(post: mailbox.post), stack: stack,
            journal: journal, clock: clock)
        let (surface, receiver, resolve) = await make(home)
        var bridges = stack.bridges
        if !connects { bridges.connect = { _ in } }
        let domain = await createAppDomain(
            store: home.store, lights: stack.lights, bridges: bridges, rooms: stack.roomStack, scenes: stack.sceneStack,
            sensors: stack.sensorStack, archive: MemoryArchive().archive, journal: journal.journal, clock: clock.clock,
            time: Live(time), resolve: resolve,
            tickets: { home.requests.issue(to: $0, at: $1, gesture: $2) },
            receivers: [receiver, home.requests.receiver],
            output: mailbox.post)
        async let delivering: Void = mailbox.deliver(to: domain)
        defer { mailbox.close() }
        try await body(home, surface)
        mailbox.close()
        await delivering
    }

    public func light(_ id: Light.ID) async -> Light? { await store.state().lights[id] }

    public func change(_ changes: AppState.Change...) async { await store.change(changes) }
}
