/// A light's power, and what one asks of it: `turn(.on)`.
public enum Turn: String, Codable, Sendable, CaseIterable {
    case on, off

    public var toggled: Self { self == .on ? .off : .on }
}
