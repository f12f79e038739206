public import Khipu
public import Lighting

/// A whole domain in memory: real but for the lamps, the disk and the clock.
@DomainActor
public struct DomainFixture {
    public let store: AppStore
    public let stack: MemoryStack
    public let archive: MemoryArchive
    public let journal: MemoryJournal
    public let clock: ManualClock
    public let mailbox: ManualMailbox<Message>
    public let recorder: MessageRecorder<Message>
    public let requests: PendingRequests<Message>
    public let domain: Input<Message>

    /// - Parameters:
    ///   - archive: takes what is kept, instead of the one in memory.
    ///   - journal: records, instead of the one in memory.
    public init(
        _ state: AppState = AppState(), archive: Archive? = nil, journal: Journal? = nil,
        stack: MemoryStack = MemoryStack(), clock: ManualClock = ManualClock(), time: HomeTime = .utc,
        firstTicket: UInt64 = 1, resolve: CommandResolver = TestCommands.resolve
    ) {
        let (mailbox, recorder) = (ManualMailbox<Message>(), MessageRecorder<Message>())
        self.store = createAppStore(state)
        self.stack = stack
        self.archive = MemoryArchive()
        self.journal = MemoryJournal()
        self.clock = clock
        self.mailbox = mailbox
        self.recorder = recorder
        self.requests = PendingRequests(firstNumber: firstTicket, post: mailbox.post)
        self.domain = createAppDomain(
            store: store,
            lights: stack.lights,
            bridges: stack.bridges,
            rooms: stack.roomStack,
            scenes: stack.sceneStack,
            sensors: stack.sensorStack,
            archive: archive ?? self.archive.archive,
            journal: journal ?? self.journal.journal,
            clock: clock.clock,
            time: Live(time),
            resolve: resolve,
            tickets: { [requests] in requests.issue(to: $0, at: $1, gesture: $2) },
            receivers: [recorder.receiver, requests.receiver],
            output: mailbox.post
        )
    }

    /// Posts a command with a new ticket and delivers until no message is left.
    @discardableResult
    public func send(_ holder: String = "test", gesture: String? = nil, _ command: (Ticket) -> Message) -> Ticket {
        let ticket = requests.issue(to: holder, at: clock.now, gesture: gesture)
        mailbox.post(command(ticket))
        settle()
        return ticket
    }

    @discardableResult
    public func send(_ command: Message.Lighting, gesture: String? = nil) -> Ticket {
        send(gesture: gesture) { .lighting(command, ticket: $0) }
    }
    @discardableResult
    public func send(_ command: Message.Bridges) -> Ticket { send { .bridges(command, ticket: $0) } }
    @discardableResult
    public func send(_ command: Message.Dashboard) -> Ticket { send { .dashboard(command, ticket: $0) } }
    @discardableResult
    public func send(_ command: Message.Rooms) -> Ticket { send { .rooms(command, ticket: $0) } }
    @discardableResult
    public func send(_ command: Message.Scenes) -> Ticket { send { .scenes(command, ticket: $0) } }
    @discardableResult
    public func send(_ command: Message.Switches) -> Ticket { send { .switches(command, ticket: $0) } }
    @discardableResult
    public func send(_ command: Message.Logging) -> Ticket { send { .logging(command, ticket: $0) } }
    @discardableResult
    public func send(_ command: Message.Automations) -> Ticket { send { .automations(command, ticket: $0) } }

    /// Delivers until no message is left.
    public func settle() { mailbox.deliver(to: domain) }

    /// Lets time pass and delivers the messages that it causes.
    public func wait(_ duration: Duration) {
        clock.advance(by: duration)
        settle()
    }

    public func light(_ id: Light.ID) -> Light? { store.state().lights(in: .light(id)).first }

    /// The response to a ticket, if it has arrived.
    public func response(to ticket: Ticket) -> Message? {
        recorder.messages.last { $0.isResponse && $0.ticket == ticket }
    }
}

/// A kitchen with two lamps and a plug, a desk lamp in the study, a zone over both, a scene, and their stack.
public enum HomeFixture {
    public static let desk = Light.make("desk", name: "Desk", brightness: 0.5, temperature: 366)
    public static let stove = Light.make("stove", name: "Stove", power: .off, modes: [.ct])
    public static let sink = Light.make("sink", name: "Sink", brightness: 0.25, hue: 1.0 / 3, saturation: 1, mode: .hsb)
    public static let fan = Light.plug()
    public static let lights = [desk, stove, sink, fan]
    public static let kitchen = Room.make("kitchen", name: "Kitchen", lights: [stove, sink, fan])
    public static let study = Room.make("study", name: "Study", lights: [desk])
    public static let evening = Room.make("evening", name: "Evening", kind: .zone, lights: [desk, sink])
    public static let rooms = [kitchen, study, evening]
    public static let relax = Scene(
        id: Scene.ID(bridge: .sample, resource: "relax"), name: "Relax", room: kitchen.id, lights: [stove.id, sink.id])

    public static var state: AppState { .make(lights: lights, rooms: rooms, scenes: [relax]) }
    public static var stack: MemoryStack { MemoryStack(lights: lights, rooms: rooms, scenes: [relax]) }
}

/// A receiver that collects every message.
@DomainActor
public final class MessageRecorder<Message: Sendable> {
    public private(set) var messages: [Message] = []

    public init() {}

    public var receiver: Input<Message> {
        { self.messages.append($0) }
    }
}
