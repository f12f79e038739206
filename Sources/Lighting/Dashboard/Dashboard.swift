/// What a person wants at hand: which lights and rooms, in which order, and how each is displayed; and which lights are
/// left out of what concerns all others.
public struct Dashboard: Equatable, Codable, Sendable {
    public typealias Pin = DashboardPin

    public let pins: [Pin]
    /// Never empty where there is one.
    public let exclusions: [Exclusion: Set<Light.ID>]

    // swift-format-ignore
    public enum Change: Equatable, Sendable {
        case pinning  (Pinning  ); public enum Pinning  : Equatable, Sendable { case it(Target) }
        case unpinning(Unpinning); public enum Unpinning: Equatable, Sendable { case it(Target) }
        /// Moves it to a place counted from 0, or to the nearest end of the list.
        case moving   (Moving   ); public enum Moving   : Equatable, Sendable { case it(Target, to: Int) }
        case toggling (Toggling ); public enum Toggling : Equatable, Sendable { case display(of: Target, to: LevelControl) }
        case excluding(Excluding); public enum Excluding: Equatable, Sendable { case lights([Light.ID], from: Exclusion) }
        case including(Including); public enum Including: Equatable, Sendable { case lights([Light.ID], in: Exclusion) }
    }

    public init(pins: [Pin] = [], exclusions: [Exclusion: Set<Light.ID>] = [:]) {
        self.pins = pins
        self.exclusions = exclusions.filter { !$1.isEmpty }
    }

    public func alter(by changes: Change...) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    public func shows(_ target: Target) -> Bool { pins.contains { $0.target == target } }

    public func excludes(_ light: Light.ID, from exclusion: Exclusion) -> Bool {
        exclusions[exclusion]?.contains(light) ?? false
    }

    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .pinning  (.it     (t              )): shows(t) ? self : arranged(pins + [Pin(t)])
        case let .unpinning(.it     (t              )): arranged(pins.filter { $0.target != t })
        case let .moving   (.it     (t    , to: place)): moved(t, to: place)
        case let .toggling (.display(of: t, to: d    )): arranged(pins.map { $0.target == t ? Pin(t, display: d) : $0 })
        case let .excluding(.lights (l, from: e     )): excluding(exclusions[e, default: []].union(l), from: e)
        case let .including(.lights (l, in: e       )): excluding(exclusions[e, default: []].subtracting(l), from: e)
        }
    }

    private func moved(_ target: Target, to place: Int) -> Self {
        guard let pin = pins.first(where: { $0.target == target }) else { return self }
        let others = pins.filter { $0.target != target }
        let place = min(max(place, 0), others.count)
        return arranged(others[..<place] + [pin] + others[place...])
    }

    private func arranged(_ pins: [Pin]) -> Self { Self(pins: pins, exclusions: exclusions) }

    private func excluding(_ lights: Set<Light.ID>, from exclusion: Exclusion) -> Self {
        Self(pins: pins, exclusions: exclusions.merging([exclusion: lights]) { $1 })
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
