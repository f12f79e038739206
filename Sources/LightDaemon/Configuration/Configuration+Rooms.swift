import ControlServer
import FoundationEssentials
import Glibc
import HueBridge
import Lighting
import Persistence

/// The settings of each part of the daemon, taken from the configuration.
extension Configuration {
    var gatewaySettings: GatewaySettings {
        var settings = GatewaySettings()
        settings.usesMDNS = discovery.mdns
        settings.hosts = discovery.hosts.map { Bridge.Address(host: $0.host, port: $0.port) }
        settings.usesCloud = discovery.cloud
        settings.cloudURL = discovery.cloudURL
        settings.lightsPerSecond = limits.lightsPerSecond
        settings.groupsPerSecond = limits.groupsPerSecond
        settings.requestsInFlight = limits.inFlight
        settings.commandDeadline = limits.commandDeadline
        settings.pollInterval = polling.interval
        settings.appliesOnReturn = returning.policy == .apply
        settings.offlineCommandLifetime = returning.keep
        settings.instance = Self.hostName
        return settings
    }

    /// Checks the files that the configuration names: the token file, if TCP is on.
    ///
    /// - Throws: the error with which the daemon would refuse to start.
    public func checkFiles() throws(ConfigurationError) {
        if tcp.enabled { _ = try tokenFile.token() }
    }

    private var tokenFile: TokenFile { TokenFile(path: tcp.tokenFile, credentials: credentialsDirectory) }

    /// - Throws: if the token file cannot be read, is too short, or is accessible to others.
    func serverSettings(_ descriptors: Descriptors) throws(ConfigurationError) -> ControlServerSettings {
        var settings = ControlServerSettings(socket: socket, maximumConnections: descriptors.forSocket)
        guard tcp.enabled else { return settings }
        settings.tcp = .init(
            host: tcp.host, port: tcp.port, token: try tokenFile.token(), names: tcp.names,
            maximumConnections: descriptors.forTCP)
        return settings
    }

    /// The machine's name without its domain.
    private static var hostName: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "lightd" }
        let name = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return name.split(separator: ".").first.map(String.init) ?? "lightd"
    }
}

extension Configuration.Journal {
    var policy: JournalPolicy { enabled ? .on(entries: entries, bytes: megabytes << 20, flush: flush) : .off }
}
