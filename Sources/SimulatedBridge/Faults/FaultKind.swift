/// Every way in which a simulated bridge can be otherwise than usual, by its name. What each does, and where it was seen, is in
/// ``FaultKind/entry``.
public enum FaultKind: String, CaseIterable, Sendable {
    // Requests, and how they are answered.
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
    // Pairing, time, and the bridge's place on the net.
    case noButton = "no-button"
    case buttonPressed = "button-pressed"
    case clockWrong = "clock-wrong"
    case http1
    case certificate
    case reboot
    case move
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
    case errorEvent = "error-event"
    case ghostButtons = "ghost-buttons"
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
    case noGroupedLight = "no-grouped-light"
    // Commands, and what lamps make of them.
    case stragglers
    case popcorn
    case offTransitionLevel = "off-transition-level"
    case communicationErrors = "communication-errors"
    case error201 = "error-201"
}

extension FaultKind {
    /// What a fault strikes, and with that what can be said of it besides its value.
    enum Target: String, Sendable {
        /// Requests of any kind.
        case request
        /// Answers of API v2 that hold resources, and the event stream's frames.
        case response
        /// Commands to lamps and groups.
        case command
        /// The event stream's frames.
        case frame
        /// Nothing single: it is so for as long as it lasts.
        case bridge
        /// A moment of the bridge's life.
        case life
    }

    var target: Target { catalogueRow.target }
    var form: FaultValueForm { catalogueRow.form }
    /// "busy[:STATUS]".
    var usage: String {
        guard let value = form.usage else { return rawValue }
        return value.hasPrefix("[") ? "\(rawValue)[:\(value.dropFirst())" : "\(rawValue):\(value)"
    }
}
