/// The state that one light shall show: now, or whenever a scene is recalled.
public struct DesiredState: Equatable, Codable, Sendable {
    public let light: Light.ID
    /// `nil` leaves it as it is. Bridges ignore values for a lamp that is off, so turning on is sent with them.
    public let power: Turn?
    /// The values as asked for, not limited to this lamp's colours and white tones: equal settings for all lamps of a
    /// room stay equal.
    public let setting: Light.Setting?

    public init(_ light: Light.ID, power: Turn? = nil, setting: Light.Setting? = nil) {
        self.light = light
        self.power = power
        self.setting = setting
    }
}
