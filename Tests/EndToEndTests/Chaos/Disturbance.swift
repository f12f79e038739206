import SimulatedBridge

/// What the chaos does to the bridge, the network and lightd.
enum Disturbance: Hashable, CustomStringConvertible {
    /// A fault of the bridge or its network, with the other members of the body of `POST /faults`.
    case fault(FaultKind, with: String)
    /// lightd is stopped by SIGTERM, and started again later.
    case stop
    /// lightd is ended by SIGKILL, and started again later.
    case kill
    /// lightd stands still, as while its machine sleeps.
    case suspend
    /// The home gets another time zone.
    case zone
    /// The wall clock is set.
    case clock
    /// lightd starts again on a machine that has forgotten the time, and is told it later.
    case bootIn1970
    /// lightd is ended by SIGKILL, and starts again while its bridge reboots.
    case lateBridge
    /// Only asks for something that must not be lost.
    case lampWithoutMains

    var description: String {
        switch self {
        case let .fault(kind, with: _): kind.rawValue
        case .stop: "lightd stopped"
        case .kill: "lightd killed"
        case .suspend: "lightd suspended"
        case .zone: "another time zone"
        case .clock: "the clock is set"
        case .bootIn1970: "a boot in 1970"
        case .lateBridge: "lightd before its bridge"
        case .lampWithoutMains: "a lamp without mains"
        }
    }

    static let all: [Self] =
        faults.map { .fault($0, with: $1) }
        + [.stop, .kill, .suspend, .zone, .clock, .bootIn1970, .lateBridge, .lampWithoutMains]

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
        (.keyRevoked, #""count":1,"method":"GET""#),
        (.keyRevoked, #""count":1,"method":"PUT""#),
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
        (.popcorn, ""),
        (.ghostButtons, ""),
        (.crlfStream, ""),
        (.trailingBlanks, ""),
        (.unknownEnums, ""),
        (.missingFields, ""),
        (.emptyFeatures, ""),
        (.nullFeatures, ""),
        (.noIDV1, ""),
        (.missingOwner, ""),
        (.oddVersion, ""),
        (.mirekNull, #""value":"Sofa""#),
        (.brokenMirek, #""value":65535"#),
        (.brokenSchema, #""value":"Stove""#),
        (.wideSchema, #""value":"Stove""#),
        (.zeroGamut, #""value":"Desk""#),
        (.noGamut, #""value":"Desk""#),
        (.otherGamut, #""value":"Desk""#),
        (.clockWrong, #""value":-40000"#),
        (.http1, ""),
        (.inFlight, #""value":1"#),
        (.lightsPerSecond, #""value":3"#),
        (.groupsPerSecond, #""value":1"#),
        (.burst, #""value":1"#),
        (.limitStatus, #""value":503"#),
    ]

    /// What does not take part, and why.
    static let left: [FaultKind: String] = [
        .errorAfterUptime: "lasts until a reboot", .unlimited: "is for benchmarks",
        .mostLights: "only concerns new lamps", .noButton: "only concerns pairing",
        .buttonPressed: "only concerns pairing", .certificate: "is another bridge's, which lightd must not trust",
        .move: "leaves an address at which nobody finds it without mDNS",
        .zeroBrightness: "is a lie about a lamp, which lightd shows as it is told",
        .noDimming: "is a lie about a lamp, which lightd shows as it is told",
        .noGroupedLight: "has no room that an app could set", .error201: "is of API v1",
        .eventFlood: "is measured by itself", .halfBooted: "is a lie about the home, tried by itself",
        .takesBack: "is tried with lamps that are cut from the mains",
        .offTransitionLevel: "changes a level that nobody asked for",
        .lateEffects: "is tried with effects, which nobody sets here",
        .effectsDisagree: "is tried with effects, which nobody sets here",
        .missingPoints: "is tried with gradients, which nobody sets here",
    ]

    /// For how long the bridge is off.
    var off: Duration? {
        switch self {
        case .fault(.reboot, with: _): .seconds(4)
        case .lateBridge: .seconds(6)
        default: nil
        }
    }

    /// Whether lightd may make no request for seconds that it would disturb.
    var isRare: Bool { if case .fault(.keyRevoked, with: _) = self { true } else { false } }

    /// Whether it is over as soon as it has happened.
    var isMomentary: Bool {
        switch self {
        case .fault(.blackHole, with: _), .fault(.halfOpen, with: _): true
        default: false
        }
    }
}
