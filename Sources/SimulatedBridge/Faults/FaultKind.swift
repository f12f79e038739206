/// The faults and quirks of a simulated bridge by name. `FaultKind+Catalogue` describes each and names where it was
/// seen; the effects are in the fault injectors.
public enum FaultKind: String, CaseIterable, Sendable {
    // Requests and responses.
    case busy
    case latency
    case slow
    case hang
    case hangUp = "hang-up"
    case reset
    case truncated
    case goaway
    case keyRevoked = "key-revoked"
    case loneWrites = "lone-writes"
    case errorAfterUptime = "error-after-uptime"
    case eventsRefused = "events-429"
    // Limits.
    case unlimited
    case inFlight = "in-flight"
    case lightsPerSecond = "lights-per-second"
    case groupsPerSecond = "groups-per-second"
    case burst
    case limitStatus = "limit-status"
    case mostLights = "most-lights"
    // Pairing, time, and the bridge's address.
    case noButton = "no-button"
    case buttonPressed = "button-pressed"
    case clockWrong = "clock-wrong"
    case http1
    case certificate
    case reboot
    case move
    // The network.
    case blackHole = "black-hole"
    case halfOpen = "half-open"
    case slowDrip = "slow-drip"
    case noNewConnections = "no-new-connections"
    // The event stream.
    case silentStream = "silent-stream"
    case streamEnds = "stream-ends"
    case splitStream = "split-stream"
    case crlfStream = "crlf-stream"
    case trailingBlanks = "trailing-blanks"
    case duplicateEvents = "duplicate-events"
    case reorderEvents = "reorder-events"
    case loseEvents = "lose-events"
    case unknownIDs = "unknown-ids"
    case lateEffects = "late-effects"
    case errorEvent = "error-event"
    case ghostButtons = "ghost-buttons"
    case eventFlood = "event-flood"
    // Documents.
    case unknownTypes = "unknown-types"
    case unknownEnums = "unknown-enums"
    case missingFields = "missing-fields"
    case emptyFeatures = "empty-features"
    case nullFeatures = "null-features"
    case noIDV1 = "no-id-v1"
    case missingOwner = "missing-owner"
    case oddVersion = "odd-version"
    case mirekNull = "mirek-null"
    case brokenMirek = "broken-mirek"
    case brokenSchema = "broken-schema"
    case wideSchema = "wide-schema"
    case zeroGamut = "zero-gamut"
    case noGamut = "no-gamut"
    case otherGamut = "other-gamut"
    case colourShift = "colour-shift"
    case zeroBrightness = "zero-brightness"
    case noDimming = "no-dimming"
    case missingPoints = "missing-points"
    case effectsDisagree = "effects-disagree"
    case noGroupedLight = "no-grouped-light"
    case halfBooted = "half-booted"
    // Commands.
    case stragglers
    case popcorn
    case offTransitionLevel = "off-transition-level"
    case communicationErrors = "communication-errors"
    case quietUnreachable = "quiet-unreachable"
    case takesBack = "takes-back"
    case error201 = "error-201"
}

extension FaultKind {
    /// What a fault strikes, and so which limits its scope may have.
    ///
    /// The raw values are those of `GET /faults?known`.
    enum Target: String, Sendable {
        /// Requests of any kind.
        case request
        /// Responses of API v2 with resources, and frames of the event stream.
        case response = "answer"
        /// Commands to lamps and groups.
        case command
        /// Frames of the event stream.
        case frame
        /// The whole bridge, for as long as the fault lasts.
        case bridge
        /// The whole bridge, once.
        case lifecycle = "life"
    }

    var target: Target { catalogueRow.target }
    var form: FaultValueForm { catalogueRow.form }
    /// The name with its value: "busy[:STATUS]".
    var usage: String {
        guard let value = form.usage else { return rawValue }
        return value.hasPrefix("[") ? "\(rawValue)[:\(value.dropFirst())" : "\(rawValue):\(value)"
    }
}

extension Set<FaultKind> {
    /// The faults that alter documents.
    static let documents = Set(FaultKind.allCases.filter { $0.target == .response })
    /// The faults that answer a request before it is read.
    static let immediate: Self = [.busy, .hang, .hangUp, .loneWrites, .errorAfterUptime, .eventsRefused]
    /// The faults that need another certificate or another server.
    static let needingRestart: Self = [.http1, .certificate]
    /// The faults of the network that last.
    static let ofNetwork: Self = [.slowDrip, .noNewConnections]
}
