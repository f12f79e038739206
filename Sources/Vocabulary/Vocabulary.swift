// Words with one meaning everywhere: in the domain, in the JSON of the API, in files and on disk. What a case is called
// there is its raw value, so that no case can be renamed without a reader for what was written before.

/// Whether a light is on or off, and what a command turns it to.
public enum Turn: String, Codable, Sendable, CaseIterable { case on, off }

/// A value of a light that can be stepped up and down.
public enum LightValue: String, Codable, Sendable, CaseIterable { case brightness, saturation, hue, temperature }

/// A value that lights can follow a curve in. A colour takes the place of the white tone: whoever sets one takes over the
/// temperature.
public enum FollowedValue: String, Codable, CodingKeyRepresentable, Sendable, CaseIterable, Comparable {
    case brightness, temperature

    public static func < (one: Self, other: Self) -> Bool { one == .brightness && other == .temperature }
}

/// What a lamp shows when its mains power returns (API v2 `powerup.preset`, API v1 `config.startup.mode`).
public enum Powerup: String, Codable, Sendable, CaseIterable {
    /// On, bright and warm, whatever it showed before.
    case safety
    /// As before, but only after a power cut: not after somebody used the switch at the wall. The lamp tells the two
    /// apart.
    case powerfail
    /// As before, including on or off.
    case lastOnState = "last_on_state"
    /// Values that another app has stored. Can be read, but not set.
    case custom
}

/// Whether a bridge has newer firmware for itself. lightd installs none.
public enum FirmwareUpdate: String, Codable, Sendable, CaseIterable {
    case upToDate = "none"
    /// The bridge knows of one, and does not have it yet.
    case pending
    /// Whoever has the maker's app can install it.
    case ready
    case installing
}

/// How a lamp is set up, apart from what it shows: it keeps this by itself, and no step to undo is made of it. What its
/// bridge does not report is `nil`.
public struct LightConfiguration: Hashable, Codable, Sendable {
    public let powerup: Powerup?

    /// A new value of one property.
    public enum Change: Hashable, Codable, Sendable { case powerup(Powerup) }

    /// What can be read and set; the raw value is its name in JSON.
    public enum Property: String, Sendable, CaseIterable { case powerup }

    public init(powerup: Powerup? = nil) { self.powerup = powerup }

    public func alter(by change: Change) -> Self {
        switch change {
        case let .powerup(powerup): Self(powerup: powerup)
        }
    }

    /// One configuration in place of this and a later report, which names what has changed.
    public func merged(with next: Self) -> Self { Self(powerup: next.powerup ?? powerup) }

    /// The word for its value; `nil` if its bridge does not report it.
    public func value(of property: Property) -> String? {
        switch property {
        case .powerup: powerup?.rawValue
        }
    }
}

extension LightConfiguration.Change {
    public var property: LightConfiguration.Property {
        switch self {
        case .powerup: .powerup
        }
    }

    /// The word for the new value.
    public var value: String {
        switch self {
        case let .powerup(powerup): powerup.rawValue
        }
    }

    /// Why no command may set it; `nil` if one may.
    public var objection: String? {
        switch self {
        case .powerup(.custom): "'custom' can only be set in the app that made it"
        case .powerup: nil
        }
    }
}

extension LightConfiguration.Property {
    /// When it matters: "does 'safety' after a power cut".
    public var occasion: String {
        switch self {
        case .powerup: "after a power cut"
        }
    }

    /// What it is called among a lamp's settings.
    public var title: String {
        switch self {
        case .powerup: "Power-on behaviour"
        }
    }

    /// The words for the values that a command may set.
    public var settable: [String] {
        switch self {
        case .powerup:
            Powerup.allCases.filter { LightConfiguration.Change.powerup($0).objection == nil }.map(\.rawValue)
        }
    }

    /// `nil` for a word that is no value of it.
    public func change(to word: String) -> LightConfiguration.Change? {
        switch self {
        case .powerup: Powerup(rawValue: word).map { .powerup($0) }
        }
    }

    /// Completes "'Stove' cannot …".
    public var ability: String { "be told what to do \(occasion)" }
}

/// How the dashboard shows a light's level: a slider to drag, or a value to scrub over.
public enum LevelControl: String, Codable, Sendable, CaseIterable { case slider, scrubbing }

/// What can leave a light out: the button "All off", which then leaves it on, and the page, on which it is then hidden.
public enum Exclusion: String, Codable, Sendable, CaseIterable {
    case page
    case allOff = "all_off"
}

/// A light is in one room, and in any number of zones.
public enum RoomKind: String, Codable, Sendable, CaseIterable { case room, zone }

/// What happens to a button, in this order: `pressed`, then `released`; or `pressed`, `held` and perhaps `longPressed`,
/// `held`…, then `releasedLong`. Bridges report a button at most once a second, and leave out what came in between.
public enum ButtonPress: String, Codable, Sendable, CaseIterable {
    case pressed
    /// It is still down; repeated about every 0.8 s.
    case held
    /// After a short press.
    case released
    /// It has been down for long. Not every switch says this, and no bridge of API v1: there the first `held` means it.
    case longPressed = "long_pressed"
    /// After it was held.
    case releasedLong = "released_long"
    /// After a second short press, soon after the first.
    case releasedTwice = "released_twice"
}

/// What a name in a command or an automation is of.
public enum NameRole: String, Codable, Sendable {
    /// A light, "@room", or a room if no light has the name.
    case lights
    /// A room or zone, with @ or without.
    case room
    case scene
    /// A sensor or switch, or a room with some.
    case sensor
    case bridge
}

/// What happens if an automation is triggered while it runs.
public enum RunMode: String, Codable, Sendable, CaseIterable {
    /// It goes on as if nothing had happened.
    case single
    /// It begins again.
    case restart
}
