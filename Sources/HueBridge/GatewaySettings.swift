public import Lighting

/// How the gateway looks for bridges, and what it asks of them at most.
public struct GatewaySettings: Equatable, Sendable {
    /// Whether to look by mDNS.
    public var usesMDNS = true
    /// Addresses to try besides.
    public var hosts: [Bridge.Address] = []
    /// Light commands a second for each bridge.
    public var lightsPerSecond = 10
    /// Group commands a second for each bridge: a group command is a broadcast to the whole mesh.
    public var groupsPerSecond = 1
    /// Within which a command must be answered, its waiting and its retries included.
    public var commandDeadline: Duration = .seconds(10)
    /// How the bridge's owner sees us in the list of apps: the machine's name; at most 19 characters count.
    public var instance = "lightd"

    public init() {}
}
