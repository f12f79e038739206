/// Whether a light is on or off, and what a command turns it to.
public enum Turn: String, Codable, Sendable, CaseIterable {
    case on, off

    public var toggled: Self { self == .on ? .off : .on }
}
