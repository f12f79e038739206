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
