import ControlServer
import FoundationEssentials
import Glibc
import HueBridge
import Lighting
import Logging
import MQTT
import MQTTSurface
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

    /// The time of the home: its zone, and its place if that is configured.
    ///
    /// - Throws: if the zone cannot be read, or the place is only half known.
    func homeTime() throws(ConfigurationError) -> HomeTime {
        let zone =
            if let name = home.timeZone { try zoneFiles.zone(named: name) } else { try zoneFiles.machineZone() }
        switch (home.latitude, home.longitude) {
        case let (latitude?, longitude?):
            return HomeTime(zone: zone, place: Place(latitude: latitude, longitude: longitude))
        case (nil, nil): return HomeTime(zone: zone)
        case (_?, nil):
            throw mistake(in: "home.latitude", "expected 'home.longitude', too: set both, or neither")
        case (nil, _?):
            throw mistake(in: "home.longitude", "expected 'home.latitude', too: set both, or neither")
        }
    }

    var zoneFiles: ZoneFiles { ZoneFiles(variable: zoneVariable) }

    /// Checks what the configuration names on this machine: the socket and its group, the state directory, the time zone,
    /// and the files of token and certificate if TCP is on.
    ///
    /// - Throws: the error with which the daemon would refuse to start.
    public func checkFiles() throws(ConfigurationError) {
        // The socket itself, as lightd neither follows nor replaces a link there.
        if let kind = Self.kind(of: socket, lstat), kind != S_IFSOCK {
            throw mistake(
                in: "socket", "'\(socket)' exists and is not a socket; choose another path, or move it away")
        }
        if let kind = Self.kind(of: stateDirectory), kind != S_IFDIR {
            throw mistake(
                in: "state_dir",
                "'\(stateDirectory)' exists and is not a directory; choose another path, or move it away")
        }
        _ = try socketGroupID()
        _ = try homeTime()
        if tcp.enabled {
            _ = try secret(.token, in: tcp.tokenFile)
            _ = try certificate()
        }
        _ = try mqttSettings()
    }

    /// - Returns: `nil` if no broker is named.
    /// - Throws: if a file that is named cannot be used.
    func mqttSettings() throws(ConfigurationError) -> MQTTSurfaceSettings? {
        guard let broker = mqtt.broker else { return nil }
        func file(_ path: String, in key: String) throws(ConfigurationError) -> String? {
            guard !path.isEmpty else { return nil }
            guard access(path, R_OK) == 0 else {
                throw mistake(in: key, "'\(path)' cannot be read: \(String(cString: strerror(errno)))")
            }
            return path
        }
        try requireBoth(("mqtt.tls.certificate", mqtt.certificate), ("mqtt.tls.key", mqtt.key))
        let tls = MQTTSettings.TLS(
            authority: try file(mqtt.authority, in: "mqtt.tls.authority"),
            certificate: try file(mqtt.certificate, in: "mqtt.tls.certificate"),
            key: try file(mqtt.key, in: "mqtt.tls.key"))
        guard broker.usesTLS || tls == MQTTSettings.TLS() else {
            throw mistake(in: "mqtt.broker", "'mqtt.tls' is set, but \(broker.setting) is without TLS: write mqtts://")
        }
        let password = try secret(.password, in: mqtt.passwordFile)
        return MQTTSurfaceSettings(
            MQTTSettings(
                host: broker.host, port: broker.port, tls: broker.usesTLS ? tls : nil, clientID: "",
                user: mqtt.user.isEmpty ? nil : mqtt.user, password: password),
            site: mqtt.site, tags: mqtt.tags, allows: mqtt.allow, discovery: mqtt.discovery)
    }

    /// Checks the files from which systemd will pass the token and the password, as `lightd --check-config` can outside of
    /// the service. Only root can read them; anybody else finds nothing wrong.
    ///
    /// - Throws: the error with which the service would refuse to start.
    public func checkStoredSecrets() throws(ConfigurationError) { try checkStoredSecrets(at: \.stored) }

    func checkStoredSecrets(at path: (SecretFile.Kind) -> String) throws(ConfigurationError) {
        var kinds: [SecretFile.Kind] = []
        if tcp.enabled, tcp.tokenFile.isEmpty { kinds.append(.token) }
        if mqtt.broker != nil, mqtt.passwordFile.isEmpty { kinds.append(.password) }
        for kind in kinds where credentialsDirectory == nil {
            var status = stat()
            let path = path(kind)
            guard access(path, R_OK) == 0, stat(path, &status) == 0 else { continue }
            _ = try SecretFile(kind, path: path, credentials: nil).content(status)
        }
    }

    /// What kind of file is at a path, as `S_IFDIR`; `nil` if that cannot be found out, or nothing is there.
    private static func kind(
        of path: String, _ look: (UnsafePointer<CChar>, UnsafeMutablePointer<stat>) -> CInt = stat
    ) -> mode_t? {
        var status = stat()
        return look(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    /// - Parameter file: which the configuration names; if it is empty, systemd's credential counts.
    private func secret(_ kind: SecretFile.Kind, in file: String) throws(ConfigurationError) -> String? {
        guard let path = file.isEmpty ? kind.credential(in: credentialsDirectory) : file else { return nil }
        return try SecretFile(kind, path: path, credentials: credentialsDirectory).secret()
    }

    /// - Throws: if only one of two keys is set.
    func requireBoth(_ keys: (name: String, value: String)...) throws(ConfigurationError) {
        let (given, missing) = (keys.filter { !$0.value.isEmpty }, keys.filter(\.value.isEmpty))
        guard let given = given.first, let missing = missing.first else { return }
        throw mistake(in: given.name, "expected '\(missing.name)', too: set both, or neither")
    }

    private func socketGroupID() throws(ConfigurationError) -> gid_t? {
        guard let socketGroup else { return nil }
        guard let id = gid_t(group: socketGroup) else {
            throw mistake(
                in: "socket_group", "there is no group '\(socketGroup)'; 'groupadd \(socketGroup)' makes it")
        }
        return id
    }

    /// The socket of the control API: the service manager's, or one that lightd makes.
    ///
    /// - Throws: ``ConfigurationError`` or `ControlServerError` if it cannot be used.
    func controlSocket(_ environment: [String: String], logger: Logger) throws -> ControlSocket {
        let group = try socketGroupID()
        guard let passed = try ControlSocket.passed(by: environment, at: socket) else {
            return try ControlSocket(at: socket, group: group)
        }
        passed.give(to: group, logger: logger)
        return passed
    }

    /// - Returns: `nil` if TCP is off.
    /// - Throws: if a file of the token or of TLS cannot be read, is accessible to others, or is of no use.
    func tcpSettings(_ descriptors: Descriptors) throws(ConfigurationError) -> ControlServerSettings.TCP? {
        guard tcp.enabled else { return nil }
        return .init(
            host: tcp.host, port: tcp.port, token: try secret(.token, in: tcp.tokenFile), names: tcp.names,
            proxies: tcp.proxies,
            certificate: try certificate(), maximumConnections: descriptors.forTCP,
            maximumStreams: descriptors.forTCPStreams)
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

extension gid_t {
    /// By its name or its number; `nil` if there is no such group.
    fileprivate init?(group: String) {
        var entry = GroupEntry()
        var found: UnsafeMutablePointer<GroupEntry>?
        var buffer = [CChar](repeating: 0, count: 1024)
        // The members' names may need more room.
        while getgrnam_r(group, &entry, &buffer, buffer.count, &found) == ERANGE {
            buffer = [CChar](repeating: 0, count: 2 * buffer.count)
        }
        guard let id = found?.pointee.gr_gid ?? Self(group) else { return nil }
        self = id
    }
}

/// C's `struct group`, whose name the parameter above takes.
private typealias GroupEntry = group
