import Khipu
import Synchronization

/// Carries out a command on a copy of the application: nothing is sent, saved or recorded, and the state stays as it is.
///
/// - Parameters:
///   - state: what the copy begins with.
///   - rehearsal: what the copy controls.
///   - home: the time of the home, by which lights follow curves.
/// - Returns: the response, and the state that the command would lead to; no response if it is not about lights, rooms,
///   scenes or sensors.
@DomainActor
public func rehearse(
    _ command: Message, on state: AppState, _ rehearsal: LightRehearsal, time home: HomeTime
) -> (response: Message?, state: AppState) {
    let store = createAppStore(state)
    let messages = Mutex([command])
    let time = command.ticket.time
    let domain = createAppDomain(
        store: store, lights: rehearsal.lights, bridges: .inert, rooms: rehearsal.rooms, scenes: rehearsal.scenes,
        sensors: rehearsal.sensors, archive: .alwaysSucceeding, journal: .inert,
        clock: .stopped(at: time), time: Live(home),
        resolve: CommandResolver(
            message: { _, _, _ throws(Failure) in throw .invalid("a rehearsal runs no automations") },
            renamed: { command, _ in command }),
        tickets: { Ticket(number: .max, holder: $0, time: $1, gesture: $2) },
        output: { message in messages.withLock { $0.append(message) } })
    var response: Message?
    while let message = messages.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
        if message.isResponse, message.ticket == command.ticket { response = message }
        domain(message)
    }
    return (response, store.state())
}

/// What would be sent to the bridges if commands were carried out now. Made anew for each rehearsal, from the bridges
/// as they are then.
public struct LightRehearsal: Sendable {
    /// Takes commands as the real lights do, and sends nothing. Replies at once: with a failure if a bridge cannot take
    /// the command now.
    public var lights: LightStack
    /// As ``lights``.
    public var rooms: RoomStack
    /// As ``lights``.
    public var scenes: SceneStack
    /// As ``lights``.
    public var sensors: SensorStack
    /// What the commands so far would send. Throws if a value cannot be encoded.
    public var requests: @Sendable () async throws -> [PlannedRequest]

    public init(
        lights: LightStack, rooms: RoomStack, scenes: SceneStack, sensors: SensorStack,
        requests: @escaping @Sendable () async throws -> [PlannedRequest]
    ) {
        self.lights = lights
        self.rooms = rooms
        self.scenes = scenes
        self.sensors = sensors
        self.requests = requests
    }
}

/// A request to a bridge, exactly as it would be sent.
public struct PlannedRequest: Equatable, Sendable {
    public let bridge: Bridge.ID
    /// "PUT", "POST", "DELETE"
    public let method: String
    /// With "KEY" in place of our key, which API v1 has in its paths, and "NEW" in place of the id that the bridge will
    /// give to what it creates.
    public let path: String
    /// Empty for a DELETE.
    public let body: String
    /// Why it is not sent now; it is sent if the bridge is back while the command waits. `nil` if the bridge is
    /// connected.
    public let held: Failure?

    public init(bridge: Bridge.ID, method: String, path: String, body: String, held: Failure? = nil) {
        self.bridge = bridge
        self.method = method
        self.path = path
        self.body = body
        self.held = held
    }
}

// Gateways for copies of the application, in which nothing leaves it.

extension BridgeStack {
    static var inert: Self {
        Self(
            discover: { _, _ in }, pair: { _, _, _ in }, connect: { _ in }, revoke: { _ in }, forget: { _, _ in },
            listen: { _ in })
    }
}

extension RoomStack {
    static var inert: Self {
        Self(
            create: { $4(.failure(.unsimulated)) }, add: { $2(.failed(.unsimulated)) },
            remove: { $2(.failed(.unsimulated)) }, delete: { $1(.failed(.unsimulated)) })
    }
}

extension SceneStack {
    static var inert: Self {
        Self(
            save: { $3(.failure(.unsimulated)) }, update: { $1(.failed(.unsimulated)) },
            edit: { $3(.failed(.unsimulated)) }, rename: { $2(.failed(.unsimulated)) },
            delete: { $1(.failed(.unsimulated)) },
            read: { $1(.failure(.unsimulated)) }, deactivate: { $1(.failed(.unsimulated)) })
    }
}

extension SensorStack {
    static var inert: Self { Self { $2(.failed(.unsimulated)) } }
}

extension Failure {
    fileprivate static let unsimulated = Failure.invalid("rooms, scenes and sensors are not changed in a simulation")
}

extension Archive {
    /// Says that it has saved everything.
    static var alwaysSucceeding: Self {
        Self(
            keep: { $1(.succeeded) }, drop: { $1(.succeeded) }, check: { $0(.succeeded) }, remember: { _ in })
    }
}

extension Journal {
    static var inert: Self { Self(append: { _, _, _ in }, list: { _, _ in {} }, prune: { _, _ in }) }
}
