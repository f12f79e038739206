public import Khipu
public import Lighting

/// A whole domain in memory: everything real but the lamps, the disk and the clock.
@DomainActor
public struct TestHome {
    public let store: AppStore
    public let stack: MemoryStack
    public let archive: MemoryArchive
    public let journal: MemoryJournal
    public let clock: HandClock
    public let mailbox: HandMailbox<Message>
    public let probe: Probe<Message>
    public let counter: Counter<Message>
    public let domain: Input<Message>

    public init(
        _ state: AppState = AppState(), stack: MemoryStack = MemoryStack(), clock: HandClock = HandClock()
    ) {
        let (mailbox, probe) = (HandMailbox<Message>(), Probe<Message>())
        self.store = createAppStore(state)
        self.stack = stack
        self.archive = MemoryArchive()
        self.journal = MemoryJournal()
        self.clock = clock
        self.mailbox = mailbox
        self.probe = probe
        self.counter = Counter(post: mailbox.post)
        self.domain = createAppDomain(
            store: store,
            lights: stack.lights,
            bridges: stack.bridges,
            archive: archive.archive,
            journal: journal.journal,
            clock: clock.clock,
            receivers: [probe.receiver, counter.receiver],
            output: mailbox.post
        )
    }

    /// Posts a command under a new ticket and delivers until all is quiet.
    @discardableResult
    public func send(_ holder: String = "test", _ command: (Ticket) -> Message) -> Ticket {
        let ticket = counter.issue(to: holder, at: clock.now)
        mailbox.post(command(ticket))
        settle()
        return ticket
    }

    @discardableResult
    public func send(_ command: Message.Lighting) -> Ticket { send { .lighting(command, ticket: $0) } }
    @discardableResult
    public func send(_ command: Message.Bridges) -> Ticket { send { .bridges(command, ticket: $0) } }
    @discardableResult
    public func send(_ command: Message.Dashboard) -> Ticket { send { .dashboard(command, ticket: $0) } }
    @discardableResult
    public func send(_ command: Message.Logging) -> Ticket { send { .logging(command, ticket: $0) } }

    /// Delivers until nothing is left to deliver.
    public func settle() { mailbox.deliver(to: domain) }

    /// Lets time pass, and delivers what it brought.
    public func wait(_ duration: Duration) {
        clock.advance(by: duration)
        settle()
    }

    public func light(_ id: Light.ID) -> Light? { store.current { Directory($0).light(id) } }

    /// The response to a ticket, if it has come.
    public func response(to ticket: Ticket) -> Message? {
        probe.heard.last { $0.isResponse && $0.ticket == ticket }
    }
}
