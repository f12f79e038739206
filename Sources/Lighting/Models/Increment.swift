extension Message.Lighting.Increment {
    /// Hundredths of the range, or of what the eye sees of it.
    public var points: Double {
        switch self {
        case let .pt(points), let .lightness(points): points
        }
    }

    /// As far in the other direction.
    public var reversed: Self {
        switch self {
        case let .pt(points): .pt(-points)
        case let .lightness(points): .lightness(-points)
        }
    }

    /// The dimming law: the level one step above or below another, held to the range. Some lamps go dark at their lowest
    /// level (openhab/openhab-addons#21057), so steps end one point above it.
    ///
    /// - Parameter level: 0…1.
    func level(from level: Double) -> Double { max(stepped(level), min(RoomRatios.lowest, level)) }

    /// The same for the mean of several lights: down to 0, at which each of them is at its lowest level.
    ///
    /// - Parameter mean: 0…1.
    func mean(from mean: Double) -> Double { stepped(mean) }

    private func stepped(_ level: Double) -> Double {
        switch self {
        case let .pt(points): (level + points / 100).heldToUnit
        case let .lightness(points): Lightness.level(of: Lightness.of(level: level) + points).heldToUnit
        }
    }
}
