/// What a person wants at hand: which lights and rooms, in which order, and how each is displayed.
public struct Dashboard: Equatable, Codable, Sendable {
    public typealias Pin = DashboardPin

    public let pins: [Pin]

    // swift-format-ignore
    public enum Change: Equatable, Sendable {
        case pinning  (Pinning  ); public enum Pinning  : Equatable, Sendable { case it(Target) }
        case unpinning(Unpinning); public enum Unpinning: Equatable, Sendable { case it(Target) }
        /// Moves it to a place counted from 0, or to the nearest end of the list.
        case moving   (Moving   ); public enum Moving   : Equatable, Sendable { case it(Target, to: Int) }
        case toggling (Toggling ); public enum Toggling : Equatable, Sendable { case display(of: Target, to: LevelControl) }
    }

    public init(pins: [Pin] = []) {
        self.pins = pins
    }

    public func alter(by changes: Change...) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    public func shows(_ target: Target) -> Bool { pins.contains { $0.target == target } }

    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .pinning  (.it     (t              )): shows(t) ? self : Self(pins: pins + [Pin(t)])
        case let .unpinning(.it     (t              )): Self(pins: pins.filter { $0.target != t })
        case let .moving   (.it     (t    , to: place)): moved(t, to: place)
        case let .toggling (.display(of: t, to: d    )): Self(pins: pins.map { $0.target == t ? Pin(t, display: d) : $0 })
        }
    }

    private func moved(_ target: Target, to place: Int) -> Self {
        guard let pin = pins.first(where: { $0.target == target }) else { return self }
        let others = pins.filter { $0.target != target }
        let place = min(max(place, 0), others.count)
        return Self(pins: others[..<place] + [pin] + others[place...])
    }
}

/// A light, a room or the whole home on the dashboard.
public struct DashboardPin: Equatable, Codable, Sendable {
    public let target: Target
    public let display: LevelControl

    public init(_ target: Target, display: LevelControl = .slider) {
        self.target = target
        self.display = display
    }
}
