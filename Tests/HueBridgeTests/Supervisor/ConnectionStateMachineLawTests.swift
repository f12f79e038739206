import Lighting
import TestSupport
import Testing

@testable import HueBridge

/// Laws that hold in every state, for any input.
struct ConnectionStateMachineLawTests {
    typealias Action = ConnectionStateMachine.Action
    typealias Input = ConnectionStateMachine.Input
    typealias Request = ConnectionStateMachine.Request
    typealias Name = ConnectionStateMachine.State.Name

    private static let fixtures: [MachineFixture] = [
        .idle, .opening, .proving, .fetching, .identifying, .following, .polling, .unreachable, .keyRefused,
        .certificateRefused,
    ]

    private static let inputs: [Input] = [
        .started, .woke, .streamOpened, .streamRefused(status: 429), .streamFlooded, .heard, .fetched, .identified,
        .probed(canEcho: true), .probed(canEcho: false), .audited(.routine, foundDifference: true),
        .audited(.insteadOfProbe, foundDifference: false), .addressChecked(isThere: true), .polled,
        .rediscovered(nil), .failed(.stream, MachineFixture.broken), .written(isAnswered: true),
        .written(isAnswered: false),
        .announced([MachineFixture.there]),
    ]

    /// The inputs that lead to another state. All others keep the state.
    // swift-format-ignore
    private static let transitions: [Name: [Input: Name]] = [
        .idle         : [.started: .opening],
        .opening      : [.streamOpened: .fetching, .streamFlooded: .polling, .streamRefused(status: 429): .polling, .failed(.stream, MachineFixture.broken): .waiting],
        .proving      : [.streamFlooded: .polling, .audited(.insteadOfProbe, foundDifference: false): .fetching, .failed(.stream, MachineFixture.broken): .waiting],
        .fetching     : [.streamFlooded: .polling, .fetched: .identifying, .failed(.stream, MachineFixture.broken): .waiting],
        .identifying  : [.streamFlooded: .polling, .identified: .following, .failed(.stream, MachineFixture.broken): .waiting],
        .following    : [.streamFlooded: .polling, .failed(.stream, MachineFixture.broken): .waiting],
        .polling      : [:],
        .waiting      : [.announced([MachineFixture.there]): .rediscovering],
        .rediscovering: [.rediscovered(nil): .opening],
    ]

    @Test(arguments: fixtures) func `every input in every state leads where the table says`(fixture: MachineFixture) {
        let state = fixture.machine.state
        for input in Self.inputs {
            var fixture = fixture
            let actions = fixture.feed(input)
            var expected = Self.transitions[state.name]?[input] ?? state.name
            if case let .waiting(waiting) = state, waiting.reason == .keyRefused { expected = .waiting }
            if state == .rediscovering(thenWaits: true), input == .rediscovered(nil) { expected = .waiting }
            #expect(fixture.machine.state.name == expected, "\(state.name), \(input)")
            if input == .woke { #expect(actions.isEmpty, "\(state.name): nothing is due") }
        }
    }

    /// A driver and a bridge at random.
    private struct World {
        var fixture = MachineFixture()
        var random: SplitMix
        var running: Set<Request> = []
        var isConnected = false
        var lastPublished: Action?
        var (connections, losses) = (0, 0)

        init(seed: UInt64) {
            random = SplitMix(seed: seed)
            fixture = MachineFixture(hasEventStream: seed % 4 != 0)
        }

        mutating func pick<Element>(_ elements: [Element]) -> Element {
            elements[Int(random.next() % UInt64(elements.count))]
        }

        mutating func feed(_ input: Input) {
            let chance = Double(random.next() % 1000) / 1000
            for action in fixture.machine.handle(input, at: fixture.now, chance: chance) {
                switch action {
                case let .begin(request): #expect(running.insert(request).inserted, "\(request) is begun twice")
                case let .cancel(request): running.remove(request)
                case .cancelAll: running = []
                case .markConnected:
                    isConnected = true
                    lastPublished = nil
                case .publishConnected:
                    #expect(isConnected)
                    connections += 1
                case .markLost:
                    #expect(running.isEmpty, "\(running) still run after the loss")
                    isConnected = false
                case .publishLost:
                    #expect(!isConnected && lastPublished != action, "published twice: \(action)")
                    lastPublished = action
                    losses += 1
                case .applyEvents, .move: break
                }
            }
        }

        /// Ends a request with a random result.
        mutating func end(_ request: Request) {
            let failures = [
                MachineFixture.broken, .keyRefused(by: MachineFixture.bridge),
                .certificateRefused(of: MachineFixture.bridge, because: "pin"),
            ]
            let failed = Input.failed(request, pick(failures))
            var ends: [Input]
            switch request {
            case .stream:
                ends = [
                    .streamOpened, .streamOpened, .heard, .heard, .streamRefused(status: 503), .streamFlooded, failed,
                ]
            case .everything: ends = [.fetched, .fetched, .fetched, failed]
            case .identity: ends = [.identified]
            case .keepAliveProbe:
                ends = [.probed(canEcho: true), .probed(canEcho: true), .probed(canEcho: false), failed]
            case let .audit(audit):
                ends = [
                    .audited(audit, foundDifference: false), .audited(audit, foundDifference: false),
                    .audited(audit, foundDifference: true), failed,
                ]
            case .addressCheck: ends = [.addressChecked(isThere: true), .addressChecked(isThere: false)]
            case .poll: ends = [.polled, .polled, .polled, failed]
            case .rediscovery: ends = [.rediscovered(nil), .rediscovered(MachineFixture.there)]
            }
            let input = pick(ends)
            switch input {
            case .streamOpened, .heard: break
            default: running.remove(request)
            }
            feed(input)
        }

        mutating func step() {
            switch random.next() % 10 {
            case 0: feed(.written(isAnswered: random.next() % 2 == 0))
            case 1: feed(.announced(pick([[], [MachineFixture.here], [MachineFixture.there]])))
            case 2...4:
                guard let wake = fixture.machine.nextWake else { return }
                fixture.now = max(fixture.now, wake)
                feed(.woke)
                #expect(fixture.machine.nextWake.map { $0 > fixture.now } ?? true, "the wake-up was not needed")
            case 5:
                let pause = Duration.milliseconds(Int(random.next() % 3000))
                fixture.now = min(fixture.now + pause, max(fixture.machine.nextWake ?? .seconds(1 << 40), fixture.now))
            default:
                guard !running.isEmpty else { return }
                // The order of a set differs from run to run.
                end(pick(running.sorted { "\($0)" < "\($1)" }))
            }
        }
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `no request runs twice, none runs on after a loss, and there is always a next step`(
        seed: UInt64
    ) {
        var world = World(seed: seed)
        world.feed(.started)
        for _ in 1...2000 {
            world.step()
            #expect(
                !world.running.isEmpty || world.fixture.machine.nextWake != nil,
                "stuck in \(world.fixture.machine.state)")
        }
        #expect(world.connections > 0 && world.losses > 0)
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `a stream that falls silent at any moment is detected within thirty seconds`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var fixture = MachineFixture.following
        func wind(_ duration: Duration) {
            let end = fixture.now + duration
            while let wake = fixture.machine.nextWake, wake <= end, fixture.machine.state.name == .following {
                fixture.now = max(fixture.now, wake)
                for case let .begin(request) in fixture.feed(.woke) {
                    // The bridge answers at once.
                    switch request {
                    case .keepAliveProbe: fixture.feed(.probed(canEcho: true))
                    case let .audit(audit): fixture.feed(.audited(audit, foundDifference: false))
                    default: Issue.record("\(request)")
                    }
                }
            }
            fixture.now = end
        }
        for _ in 0..<random.next() % 40 {
            wind(.milliseconds(Int(random.next() % 4000)))
            fixture.feed(random.next() % 3 == 0 ? .written(isAnswered: true) : .heard)
        }
        fixture.feed(.heard)
        wind(.seconds(30))
        #expect(fixture.machine.state.name != .following)
    }
}
