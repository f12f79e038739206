public import Lighting

/// How the gateway looks for bridges, and how much it asks of them.
public struct GatewaySettings: Sendable {
    /// Whether to look for bridges by mDNS.
    public var usesMDNS = true
    /// Whether to ask the maker's list of the bridges behind this home's public address, and its URL.
    public var usesCloud = false
    public var cloudURL = "https://discovery.meethue.com/"
    /// Addresses to try as well.
    public var hosts: [Bridge.Address] = []
    /// Light commands a second for each bridge.
    public var lightsPerSecond = Budget().lightsPerSecond
    /// Group commands a second for each bridge: each is a broadcast to the whole mesh.
    public var groupsPerSecond = Budget().groupsPerSecond
    /// Concurrent requests to each bridge.
    public var requestsInFlight = Budget().inFlight
    /// How long a command may take until its caller is answered, including waiting and retries. It may still be sent
    /// later.
    public var commandDeadline: Duration = .seconds(10)
    /// How long a bridge may take to answer one request.
    public var requestTimeout: Duration { min(timeouts.answer, commandDeadline) }
    /// Whether a light that was out of reach gets, on its return, what was asked of it meanwhile.
    public var appliesOnReturn = true
    /// How long commands for a light or bridge that is out of reach are kept.
    public var offlineCommandLifetime: Duration = .seconds(600)
    /// How often a bridge without an event stream is asked for its lights.
    public var pollInterval: Duration = .seconds(5)
    /// How we appear in the bridge's list of apps: the machine's name, of which 19 characters count.
    public var instance = "lightd"
    /// The maker's root certificates (PEM). Not public: only tests use others.
    var makerRoots = MakerRoots.pem
    /// Not public: only tests use shorter values.
    var timeouts = Timeouts()
    /// Not public: only tests use another.
    var clock = BridgeClock.system

    public init() {}

    var budget: Budget {
        Budget(lightsPerSecond: lightsPerSecond, groupsPerSecond: groupsPerSecond, inFlight: requestsInFlight)
    }

    var returning: OfflineCommands.Policy {
        OfflineCommands.Policy(applies: appliesOnReturn, keeps: offlineCommandLifetime)
    }
}
