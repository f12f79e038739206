import SimulatedBridge

/// What the chaos does to the bridge, the network and lightd.
enum Disturbance: Hashable, CustomStringConvertible {
    /// A fault of the bridge or its network, with the other members of the body of `POST /faults`.
    case fault(FaultKind, with: String)
    /// lightd is stopped by SIGTERM, and started again later.
    case stop
    /// lightd is ended by SIGKILL, and started again later.
    case kill

    var description: String {
        switch self {
        case let .fault(kind, with: _): kind.rawValue
        case .stop: "lightd stopped"
        case .kill: "lightd killed"
        }
    }

    static let all: [Self] = faults.map { .fault($0, with: $1) } + [.stop, .kill]

    private static let faults: [(FaultKind, String)] = [
        (.busy, #""value":429,"method":"PUT""#),
        (.busy, #""value":503,"probability":0.5"#),
        (.latency, #""value":300"#),
        (.slow, #""value":1500"#),
        (.hang, #""count":1,"method":"PUT""#),
        (.hangUp, #""probability":0.3"#),
        (.reset, #""count":2"#),
        (.truncated, #""count":2"#),
        (.goaway, #""value":20"#),
        (.loneWrites, ""),
        (.eventsRefused, ""),
        (.reboot, #""value":4"#),
        (.blackHole, ""),
        (.halfOpen, ""),
        (.slowDrip, ""),
        (.noNewConnections, ""),
        (.silentStream, ""),
        (.streamEnds, #""count":1"#),
        (.splitStream, ""),
        (.duplicateEvents, ""),
        (.reorderEvents, #""count":2"#),
        (.loseEvents, #""probability":0.3"#),
        (.unknownIDs, #""count":2"#),
        (.errorEvent, #""count":2"#),
        (.unknownTypes, ""),
        (.colourShift, #""value":60"#),
        (.stragglers, #""value":2,"count":1"#),
        (.quietUnreachable, ""),
        (.communicationErrors, #""probability":0.3"#),
    ]

    /// Whether it is over as soon as it has happened.
    var isMomentary: Bool {
        switch self {
        case .fault(.blackHole, with: _), .fault(.halfOpen, with: _): true
        default: false
        }
    }
}
