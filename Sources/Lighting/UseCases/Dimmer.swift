public import Khipu

/// Steps a value up or down, each light from where it is at this moment: two quick steps are two steps, and the lamps of a
/// room keep their ratios. Stops at the ends of the range; never turns a light off, and lights that are off stay as they are.
public struct Dimmer: UseCase {
    public enum Request {
        case increase(Light.Value, by: Step, on: Target, Transition, Ticket)
        case decrease(Light.Value, by: Step, on: Target, Transition, Ticket)
    }

    public enum Response {
        case increasing(Light.Value, by: Step, on: Target, Outcome, Ticket)
        case decreasing(Light.Value, by: Step, on: Target, Outcome, Ticket)
    }

    public typealias Step = Message.Lighting.Increment

    private let store: AppStore
    private let stack: LightStack
    private let respond: Output<Response>

    public init(store: AppStore, stack: LightStack, responder: @escaping Output<Response>) {
        self.store = store
        self.stack = stack
        self.respond = responder
    }

    public func request(to request: Request) {
        switch request {
        case let .increase(value, by: step, on: target, transition, ticket):
            let command = Message.Lighting.increase(value, by: step, on: target, over: transition)
            move(value, by: step.points, target, transition, command, ticket) { [respond] outcome in
                respond(.increasing(value, by: step, on: target, outcome, ticket))
            }
        case let .decrease(value, by: step, on: target, transition, ticket):
            let command = Message.Lighting.decrease(value, by: step, on: target, over: transition)
            move(value, by: -step.points, target, transition, command, ticket) { [respond] outcome in
                respond(.decreasing(value, by: step, on: target, outcome, ticket))
            }
        }
    }

    @DomainActor
    private func move(
        _ value: Light.Value, by points: Double, _ target: Target, _ transition: Transition,
        _ command: Message.Lighting, _ ticket: Ticket, _ reply: @escaping Reply<Outcome>
    ) {
        guard points.isFinite else { return reply(.failed(.invalid("a step of \(points) points is not a number"))) }
        let lights: [Light]
        switch store.lights(of: target) {
        case let .failure(failure): return reply(.failed(failure))
        case let .success(found): lights = found
        }
        let able = lights.filter { $0.can(step: value) }
        guard !able.isEmpty else { return reply(.failed(.cannot(light: lights[0].name, what: value.ability))) }
        let lit = able.filter { $0.power == .on }
        guard !lit.isEmpty else {
            return reply(.failed(.cannot(light: able[0].name, what: "be stepped while it is off; turn it on first")))
        }
        let orders = lit.map { DesiredState($0.id, setting: $0.stepped(value, by: points)) }
        store.record(command, on: lit.map(\.id), by: ticket)
        for (light, order) in zip(lit, orders) {
            store.expect(order.setting?.changes ?? [], of: [light], by: ticket)
        }
        stack.set(orders, transition, ticket, reply)
    }
}

extension Message.Lighting.Increment {
    fileprivate var points: Double {
        switch self {
        case let .pt(points): points
        }
    }
}

extension Light {
    fileprivate func can(step value: Value) -> Bool {
        switch value {
        case .brightness: limits.dims
        case .hue, .saturation: modes.contains(.hsb)
        case .temperature: modes.contains(.ct)
        }
    }

    /// Some lamps go dark at their lowest level (openhab/openhab-addons#21057): steps end one point above it.
    private static let lowestStep = 0.01

    fileprivate func stepped(_ value: Value, by points: Double) -> Setting {
        let share = points / 100
        switch value {
        case .brightness:
            let floor = min(Self.lowestStep, brightness)
            return .bri(min(max(brightness + share, floor), 1))
        case .hue:
            return .hsb(hue: (hue + share).heldToUnit, saturation: saturation, brightness: nil)
        case .saturation:
            return .hsb(hue: hue, saturation: (saturation + share).heldToUnit, brightness: nil)
        case .temperature:
            let range = limits.temperature ?? 153.mirek...500.mirek
            let span = Double(range.upperBound.value - range.lowerBound.value)
            let step = (span * min(max(share, -1), 1)).rounded(.toNearestOrAwayFromZero)
            return .ct(limits.held((temperature.value + Int(step)).mirek), brightness: nil)
        }
    }
}

extension Light.Value {
    fileprivate var ability: String {
        switch self {
        case .brightness: "be dimmed"
        case .hue, .saturation: "show colours"
        case .temperature: "change its white tone"
        }
    }
}
