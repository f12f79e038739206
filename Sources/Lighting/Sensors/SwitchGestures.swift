import Khipu

/// What a button of a bound switch does.
public enum ButtonRole: Hashable, Sendable {
    /// Turns the lights on; if all are on already, recalls the next scene.
    case on
    case off
    /// A step, and while it is held, on and on.
    case brighter, darker
    /// The scene with this number, counted from 0; without so many scenes, on and off.
    ///
    /// - Parameter holds: whether the button tells that it is held, which turns off.
    case scene(Int, holds: Bool)
    /// On and off; while it is held, brighter or darker in turns.
    case toggle
}

extension Sensor {
    /// What its buttons do, by their numbers. It follows the maker's own switches, of which API v1 and v2 tell the name.
    public var roles: [Int: ButtonRole] {
        Dictionary(buttons.map { ($0.number, role(of: $0.number)) }) { $1 }
    }

    /// - Parameter number: from 1, of one of its buttons.
    func role(of number: Int) -> ButtonRole {
        if abilities.contains(.dial) { return .scene(number - 1, holds: true) }
        // The tap has no battery: pressing it makes the power for one message.
        if product?.lowercased().hasSuffix("tap switch") == true { return .scene(number - 1, holds: false) }
        let dimmer: [ButtonRole] = [.on, .brighter, .darker, .off]
        return buttons.count == dimmer.count && dimmer.indices.contains(number - 1) ? dimmer[number - 1] : .toggle
    }
}

/// The presses and turns of one switch, as what its lights shall do. A value: it is told what happened and when, and says
/// what to do; nothing in it waits or knows a clock.
///
/// It acts when a button goes down, unless that would be wrong if the button is then held. Bridges tell at most one event
/// of a button in a second and leave out others, so that a release may come without its press, and a press without its
/// release.
struct SwitchGestures {
    /// What it has to know of the lights at that moment.
    struct Lights {
        /// Of those that have power.
        let areAnyOn, areAllOn: Bool
        /// The mean brightness of those that are on and dim, 0…1; `nil` if none is.
        let mean: Double?
        /// How many scenes the switch recalls.
        let scenes: Int
    }

    enum Action: Equatable {
        case turn(Turn)
        /// The scene with this number, counted from 0.
        case recall(Int)
        /// The mean brightness, 0…1.
        case mean(Double, over: Transition)
    }

    /// Names the press or the turn that is under way: what it does is undone in one step.
    private(set) var gesture = ""

    private var press: Press?
    private var lastTurn: Timestamp?
    /// The scene that pressing `on` again recalls, and when it was pressed.
    private var cycle: (next: Int, at: Timestamp)?
    private var lastDirection: Direction?

    private enum Direction {
        case up, down
        var sign: Double { self == .up ? 1 : -1 }
    }

    /// A button that is down, as far as is known.
    private struct Press {
        let button: Int
        let began: Timestamp
        var last: Timestamp
        var hasActed = false
        /// Where holding it leads.
        var direction: Direction?
        var fade: Fade?
    }

    /// The brightness is on its way, at a constant speed.
    private struct Fade {
        let from, to: Double
        let began: Timestamp
        let duration: Duration

        /// Where it is; `nil` if it has arrived.
        func level(at time: Timestamp) -> Double? {
            let share = time.since(began) / duration
            return share < 1 ? from + (to - from) * max(share, 0) : nil
        }
    }

    // MARK: The feel

    /// A short press, of what the eye sees from dark to full: an eighth, as with the maker's dimmer switch.
    private static let step = 12.5
    /// Holding goes from dark to full in this time.
    private static let range = Duration.seconds(4)
    /// How often a bridge repeats that a button is held, if that is not known better.
    private static let usualRepeat = Duration.milliseconds(800)
    private static let repeats = Duration.milliseconds(200)...Duration.milliseconds(1500)
    /// What comes after a longer pause is another press, and another turn of the dial.
    private static let longestPause = Duration.seconds(2)
    /// After a longer pause, `on` begins with the first scene again.
    private static let longestCycle = Duration.seconds(10)
    /// A full turn of the dial is the whole range.
    private static let fullTurn = 1000.0
    /// A lamp stops within this time when the button is released: at once, but without a jump.
    private static let stop = Transition.milliseconds(100)

    // MARK: Buttons

    mutating func told(
        _ pressed: Sensor.Report.Pressed, as role: ButtonRole, at time: Timestamp, _ lights: Lights
    ) -> Action? {
        let button = pressed.button
        switch pressed.kind {
        case .pressed:
            begin(button, at: time)
            return role.actsAtOnce(lights) ? act(role, at: time, lights) : nil
        case .released, .releasedTwice:
            // It may be told late: how long the button was down, its bridge knows.
            if let press, press.button == button, press.direction == nil,
                pressed.after ?? time.since(press.began) <= Self.longestPause
            {
                defer { self.press = nil }
                return press.hasActed ? nil : act(role, at: time, lights)
            }
            // Its beginning was left out.
            begin(button, at: time)
            defer { press = nil }
            return act(role, at: time, lights)
        case .held, .longPressed:
            if press?.button != button { begin(button, at: time.advanced(by: .zero - Self.usualRepeat)) }
            return hold(role, at: time, lights)
        case .releasedLong:
            guard press?.button == button else { return nil }
            defer { press = nil }
            return release(role, at: time)
        }
    }

    private mutating func begin(_ button: Int, at time: Timestamp) {
        press = Press(button: button, began: time, last: time)
        lastTurn = nil
        gesture = "button \(button) at \(time.milliseconds)"
    }

    private mutating func act(_ role: ButtonRole, at time: Timestamp, _ lights: Lights) -> Action? {
        press?.hasActed = true
        switch role {
        case .on:
            guard lights.areAllOn, lights.scenes > 0 else {
                cycle = nil
                return .turn(.on)
            }
            let isAgain = cycle.map { time.since($0.at) <= Self.longestCycle } ?? false
            let scene = isAgain ? (cycle?.next ?? 0) % lights.scenes : 0
            cycle = (scene + 1, time)
            return .recall(scene)
        case .off: return .turn(.off)
        case .brighter: return stepped(by: Self.step, lights)
        case .darker: return stepped(by: -Self.step, lights)
        case let .scene(number, _) where number < lights.scenes: return .recall(number)
        case .scene, .toggle: return .turn(lights.areAnyOn ? .off : .on)
        }
    }

    private mutating func hold(_ role: ButtonRole, at time: Timestamp, _ lights: Lights) -> Action? {
        let pause = time.since(press?.last ?? time)
        press?.last = time
        switch role {
        case .on, .off: return nil
        case .scene:
            guard press?.hasActed == false else { return nil }
            press?.hasActed = true
            return .turn(.off)
        case .brighter: return fade(.up, over: pause, at: time, lights)
        case .darker: return fade(.down, over: pause, at: time, lights)
        case .toggle:
            press?.hasActed = true
            let first: Direction = (lights.mean ?? 0) > 0.5 ? .down : .up
            let direction = press?.direction ?? lastDirection.map { $0 == .up ? .down : .up } ?? first
            lastDirection = direction
            return fade(direction, over: pause, at: time, lights)
        }
    }

    /// One more piece of the way, which takes as long as the next repeat probably does. However often a bridge repeats,
    /// the speed is the same.
    private mutating func fade(
        _ direction: Direction, over pause: Duration, at time: Timestamp, _ lights: Lights
    ) -> Action? {
        press?.direction = direction
        press?.fade = nil
        let duration = min(max(pause, Self.repeats.lowerBound), Self.repeats.upperBound)
        let points = direction.sign * 100 * (duration / Self.range)
        guard let mean = lights.mean ?? (lights.areAnyOn || direction == .down ? nil : 0) else { return nil }
        guard let next = Self.stepped(mean, by: points) else { return nil }
        press?.fade = Fade(from: mean, to: next, began: time, duration: duration)
        return .mean(next, over: .over(duration))
    }

    private func release(_ role: ButtonRole, at time: Timestamp) -> Action? {
        if case .scene = role { return press?.hasActed == false ? .turn(.off) : nil }
        return press?.fade?.level(at: time).map { .mean($0, over: Self.stop) }
    }

    /// - Parameter points: below 0 for darker.
    private func stepped(by points: Double, _ lights: Lights) -> Action? {
        guard let mean = lights.mean ?? (lights.areAnyOn || points < 0 ? nil : 0) else { return nil }
        return Self.stepped(mean, by: points).map { .mean($0, over: .usual) }
    }

    /// `nil` if nothing would change: the lights are at this end already. Bridges report the lowest level rounded.
    private static func stepped(_ mean: Double, by points: Double) -> Double? {
        let isLowest = mean <= Light.lowestLevel || Light.Values.brightnessAgrees(mean, Light.lowestLevel)
        guard points > 0 ? mean < 1 : !isLowest else { return nil }
        return Message.Lighting.Increment.lightness(points).mean(from: mean)
    }

    // MARK: The dial

    /// - Parameter steps: 1000 are a full turn, clockwise is positive.
    mutating func turned(by steps: Int, at time: Timestamp, _ lights: Lights) -> Action? {
        if lastTurn.map({ time.since($0) > Self.longestPause }) ?? true {
            gesture = "dial at \(time.milliseconds)"
        }
        lastTurn = time
        return stepped(by: Double(steps) * 100 / Self.fullTurn, lights)
    }

    /// Whether the next turn begins a new gesture.
    func isFirstTurn(at time: Timestamp) -> Bool { lastTurn.map { time.since($0) > Self.longestPause } ?? true }
}

extension ButtonRole {
    /// Whether it acts when the button goes down. Of those that do something else when they are held, only what turns on:
    /// lights that are off are neither turned off nor dimmed.
    fileprivate func actsAtOnce(_ lights: SwitchGestures.Lights) -> Bool {
        switch self {
        case .on, .off, .brighter, .darker, .scene(_, holds: false): true
        case .scene(_, holds: true), .toggle: !lights.areAnyOn
        }
    }
}
