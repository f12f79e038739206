import ControlProtocol

/// What happened to a button or a dial, as Home Assistant's event entities read it. Not retained: nobody wants to hear of a
/// press that was an hour ago.
struct ButtonPayload: Encodable {
    let event: String

    private enum CodingKeys: String, CodingKey { case event = "event_type" }
}

struct DialPayload: Encodable {
    let kind: Kind
    /// Degrees.
    let degrees: Double

    enum Kind: String, Encodable, CaseIterable {
        case clockwise = "clock_wise"
        case counterClockwise = "counter_clock_wise"
    }

    private enum CodingKeys: String, CodingKey {
        case degrees
        case kind = "event_type"
    }
}

extension ButtonPress {
    /// In the words that Home Assistant's own Hue integration has, so that automations can be taken over.
    var event: String {
        switch self {
        case .pressed: "initial_press"
        case .held: "repeat"
        case .released: "short_release"
        case .longPressed: "long_press"
        case .releasedLong: "long_release"
        case .releasedTwice: "double_short_release"
        }
    }
}
