import HashTreeCollections
import Khipu
import LightingTestKit

@testable import Lighting

/// `HomeFixture` with sensors and automations, a clock that starts at a moment, and what is kept over a restart.
@DomainActor
struct AutomationFixture {
    let domain: DomainFixture
    /// What its bridge reports when it is first read.
    private let lights: [Light]
    private let sensors: [Sensor]
    private let time: HomeTime
    /// What the archive had at the start.
    private let kept: AutomationState

    /// Connected, with these automations.
    init(_ automations: [Automation], sensors: [Sensor], time: HomeTime = .utc, at start: Timestamp) {
        self.init(AutomationState(), lights: HomeFixture.lights, sensors, time, start, firstTicket: 1)
        begin()
        domain.send(Message.Automations.replace(automations))
    }

    private init(
        _ automations: AutomationState, lights: [Light], _ sensors: [Sensor], _ time: HomeTime, _ start: Timestamp,
        firstTicket: UInt64
    ) {
        let state = AppState.make(bridges: [.make(connection: .lost(since: start, because: .notReachedYet(.sample)))])
            .alter(by: .replacing(.automations(by: automations)))
        let stack = MemoryStack(
            lights: lights, rooms: HomeFixture.rooms, scenes: [HomeFixture.relax], sensors: sensors)
        (self.lights, self.sensors, self.time, kept) = (lights, sensors, time, automations)
        domain = DomainFixture(
            state, stack: stack, clock: ManualClock(at: start.milliseconds), time: time, firstTicket: firstTicket)
    }

    /// The bridge connects, and is read.
    func begin() {
        refetch(with: sensors)
        domain.stack.tell(.connected(.sample, by: .stream))
        domain.settle()
    }

    /// As after lightd has ended and started again.
    ///
    /// - Parameters:
    ///   - forgettingCauses: whether nobody knows any more why lights show what they show, as after it was killed.
    ///   - saves: how many saves were done when it was killed; `nil` if all.
    func restarted(
        after pause: Duration, begins: Bool = true, forgettingCauses: Bool = false, saves: Int? = nil
    ) -> Self {
        var (automations, memory) = (kept.all, kept.memory)
        for item in domain.archive.items.prefix(saves ?? .max) {
            switch item {
            case let .automations(kept): automations = kept
            case let .automationMemory(kept): memory = kept
            default: break
            }
        }
        let home = Self(
            AutomationState(automations, memory),
            lights: domain.store.state().lights.values.map { forgettingCauses ? $0.readAnew : $0 }, sensors, time,
            domain.clock.now.advanced(by: pause), firstTicket: 1000)
        if begins { home.begin() }
        return home
    }

    // MARK: What happens

    func refetch(with sensors: [Sensor]) {
        let known = domain.store.state().lights
        domain.stack.tell(
            .home(
                .sample, lights: lights.map { known[$0.id] ?? $0 }, rooms: HomeFixture.rooms,
                scenes: [HomeFixture.relax], sensors: sensors))
        domain.settle()
    }

    func report(_ sensor: Sensor, _ report: Sensor.Report) {
        domain.stack.tell(.sensor(sensor.id, report))
        domain.settle()
    }

    func press(_ sensor: Sensor, _ button: Int, _ presses: ButtonPress...) {
        for press in presses { report(sensor, .init(press: .init(button, press))) }
    }

    // MARK: What comes of it

    var state: AutomationState { domain.store.state().automations }

    func truth(_ check: Automation.Check) -> Bool? {
        let state = domain.store.state()
        return HomeView(state: state, names: HomeNames(state), time: time, now: domain.clock.now).truth(of: check)
    }

    /// The commands of automations, in order.
    var sent: [Message.Lighting] {
        domain.recorder.messages.compactMap { message in
            guard case let .lighting(command, ticket) = message, ticket.holder.isAutomation, command.outcome == nil,
                command.settlement == nil
            else { return nil }
            return command
        }
    }

    /// The same in the words of `TestCommands`, without what is restored.
    var texts: [String] {
        let lights = domain.store.state().lights
        func name(_ target: Target) -> String {
            switch target {
            case let .light(id): lights[id]?.name.lowercased() ?? "?"
            case .room: "@kitchen"
            case .all: "all"
            }
        }
        return sent.compactMap { command in
            switch command {
            case let .turn(power, target, _): "\(power.rawValue) \(name(target))"
            case let .toggle(target, _): "toggle \(name(target))"
            case let .apply(.values(patch), target, _):
                patch.brightness.map { "dim \(name(target)) \(Int(($0 * 100).rounded()))" }
            default: nil
            }
        }
    }

    func started(_ name: String) -> Int {
        domain.recorder.messages.count {
            if case .automations(.started(Automation.ID(name), _, _, _), _) = $0 { true } else { false }
        }
    }

    func skips(_ name: String) -> Int {
        domain.recorder.messages.count {
            if case .automations(.skipped(Automation.ID(name), _, _), _) = $0 { true } else { false }
        }
    }

    func ended(_ name: String) -> [AutomationRun.Ended] { state.ended[Automation.ID(name)] ?? [] }
}

extension String {
    fileprivate var isAutomation: Bool { hasPrefix("automation") || hasPrefix("timer") }
}

extension Light {
    /// As a lightd that has just started reads it from its bridge.
    fileprivate var readAnew: Self {
        Light(
            id: id, name: name, values: reported, modes: modes, limits: limits, configuration: configuration,
            heard: heard)
    }
}
