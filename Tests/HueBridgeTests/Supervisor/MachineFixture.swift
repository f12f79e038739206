import Lighting

@testable import HueBridge

/// A state machine with a manual clock.
struct MachineFixture {
    static let bridge = Bridge.ID("ecb5fafffe010203")
    static let here = Bridge.Address(host: "10.0.0.2", port: 443)
    static let there = Bridge.Address(host: "10.0.0.3", port: 443)
    static let silent = Failure.unreachable(bridge, because: "its event stream fell silent")
    static let broken = Failure.unreachable(bridge, because: "the connection broke")

    var machine: ConnectionStateMachine
    var now = Duration.zero

    init(hasEventStream: Bool = true, pollInterval: Duration = .seconds(5)) {
        machine = ConnectionStateMachine(
            bridge: Self.bridge, at: Self.here, hasEventStream: hasEventStream, pollInterval: pollInterval)
    }

    /// - Parameter chance: 1 gives every pause its full length.
    @discardableResult
    mutating func feed(_ inputs: ConnectionStateMachine.Input..., chance: Double = 1) -> [ConnectionStateMachine.Action]
    {
        inputs.flatMap { machine.handle($0, at: now, chance: chance) }
    }

    /// Winds the clock, and wakes the machine whenever it is due.
    @discardableResult
    mutating func wind(_ duration: Duration) -> [ConnectionStateMachine.Action] {
        let end = now + duration
        var actions: [ConnectionStateMachine.Action] = []
        while let wake = machine.nextWake, wake <= end {
            now = max(now, wake)
            actions += feed(.woke)
        }
        now = end
        return actions
    }

    /// Winds the clock to the machine's next wake-up, and no further.
    @discardableResult
    mutating func windToNextWake() -> [ConnectionStateMachine.Action] {
        now = max(now, machine.nextWake ?? now)
        return feed(.woke)
    }

    // MARK: - Fixtures in a state

    static var idle: MachineFixture { MachineFixture() }

    static var opening: MachineFixture { with { $0.feed(.started) } }
    static var fetching: MachineFixture { with { $0.feed(.started, .streamOpened) } }
    static var identifying: MachineFixture { with { $0.feed(.started, .streamOpened, .fetched) } }
    static var following: MachineFixture { with { $0.feed(.started, .streamOpened, .fetched, .identified) } }

    /// A bridge that refuses its stream, and is polled instead.
    static var polling: MachineFixture {
        with { $0.feed(.started, .streamRefused(status: 429), .fetched, .identified) }
    }

    /// A bridge without a stream.
    static func pollingOnly(every interval: Duration = .seconds(5)) -> MachineFixture {
        var fixture = MachineFixture(hasEventStream: false, pollInterval: interval)
        fixture.feed(.started, .fetched, .identified)
        return fixture
    }

    static func lost(because failure: Failure) -> MachineFixture {
        with {
            $0 = .following
            $0.feed(.failed(.stream, failure))
        }
    }

    static var unreachable: MachineFixture { lost(because: broken) }
    /// The key was refused, and when it was tried again.
    static var keyRefused: MachineFixture {
        with {
            $0 = lost(because: .keyRefused(by: bridge))
            $0.windToNextWake()
            $0.feed(.streamRefused(status: 403))
        }
    }

    static var refusedOnce: Failure {
        .unreachable(bridge, because: "it refused lightd's key once, and is asked again")
    }
    static var certificateRefused: MachineFixture { lost(because: .certificateRefused(of: bridge, because: "pin")) }

    /// After a silent stream, the next is open and has sent no event yet.
    static var proving: MachineFixture {
        with {
            $0 = .lost(because: silent)
            $0.windToNextWake()
            $0.feed(.streamOpened)
        }
    }

    private static func with(_ prepare: (inout MachineFixture) -> Void) -> MachineFixture {
        var fixture = MachineFixture()
        prepare(&fixture)
        return fixture
    }
}

extension ConnectionStateMachine.State {
    enum Name { case idle, opening, proving, fetching, identifying, following, polling, waiting, rediscovering }

    var name: Name {
        switch self {
        case .idle: .idle
        case .opening: .opening
        case .proving: .proving
        case .fetching: .fetching
        case .identifying: .identifying
        case .following: .following
        case .polling: .polling
        case .waiting: .waiting
        case .rediscovering: .rediscovering
        }
    }
}
