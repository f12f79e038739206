public import Lighting

/// How the gateway looks for bridges, and what it asks of them at most.
public struct GatewaySettings: Sendable {
    /// Whether to look by mDNS.
    public var usesMDNS = true
    /// Whether the maker's list of the bridges behind this home's public address is asked, where it is, and where it is.
    public var usesCloud = false
    public var cloudURL = "https://discovery.meethue.com/"
    /// Addresses to try besides.
    public var hosts: [Bridge.Address] = []
    /// Light commands a second for each bridge.
    public var lightsPerSecond = Budget().lightsPerSecond
    /// Group commands a second for each bridge: a group command is a broadcast to the whole mesh.
    public var groupsPerSecond = Budget().groupsPerSecond
    /// Requests to each bridge at once.
    public var requestsInFlight = Budget().inFlight
    /// Within which a command is answered, its waiting and its retries included. What it asked for is sent also after that.
    public var commandDeadline: Duration = .seconds(10)
    /// Within which a bridge must answer one request.
    public var answerPatience: Duration { min(.seconds(5), commandDeadline) }
    /// Whether a lamp that was out of reach is told, on its return, what was asked of it meanwhile.
    public var appliesOnReturn = true
    /// For how long what was asked of a lamp or bridge that is away is kept.
    public var keepsWishes: Duration = .seconds(600)
    /// How often a bridge without an event stream is asked for its lights.
    public var pollInterval: Duration = .seconds(5)
    /// How the bridge's owner sees us in the list of apps: the machine's name; at most 19 characters count.
    public var instance = "lightd"
    /// The roots that a certificate of the maker chains to (PEM). Not public: only tests use others.
    var makerRoots = MakerRoots.pem
    /// Not public: only tests use shorter values.
    var timeouts = Timeouts()
    /// Not public: only tests use another.
    var clock = BridgeClock.system

    public init() {}

    var budget: Budget {
        Budget(lightsPerSecond: lightsPerSecond, groupsPerSecond: groupsPerSecond, inFlight: requestsInFlight)
    }

    var returning: OfflineCommands.Policy { OfflineCommands.Policy(applies: appliesOnReturn, keeps: keepsWishes) }
}
