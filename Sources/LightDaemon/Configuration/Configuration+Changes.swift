import ControlServer
import Logging

extension Configuration {
    /// A key whose value differs between two configurations.
    struct Change: Equatable, Sendable, CustomStringConvertible {
        let key: String
        let old: String
        let new: String
        /// Whether it takes effect only when lightd starts.
        var needsRestart: Bool { Configuration.startKeys.contains(key) }

        var description: String { "\(key) \(Self.words(old)) → \(Self.words(new))" }

        private static func words(_ value: String) -> String { value.isEmpty ? "(none)" : value }
    }

    /// The keys that take effect only when lightd starts: what is open then stays open.
    static let startKeys: Set = ["socket", "socket_group", "state_dir", "journal.enabled"]

    /// What differs in another configuration, by key.
    func changes(to new: Self) -> [Change] {
        let (old, new) = (settings, new.settings)
        return old.keys.sorted().compactMap { key in
            guard let before = old[key], let after = new[key], before != after else { return nil }
            return Change(key: key, old: before, new: after)
        }
    }

    /// Another configuration, as far as it can take effect while lightd runs with this one.
    func reloaded(as new: Self) -> Self {
        var result = new
        (result.socket, result.socketGroup, result.stateDirectory) = (socket, socketGroup, stateDirectory)
        result.journal.enabled = journal.enabled
        for key in Self.startKeys { result.origins[key] = origins[key] }
        return result
    }
}

extension Configuration {
    /// Every key of the file with the value in use, whether it comes from the file, the environment, an argument or the
    /// defaults. Without secrets: a URL's user and query are left out, and the token is not a setting.
    var settings: [String: String] {
        [
            "socket": socket,
            "socket_group": socketGroup ?? "",
            "state_dir": stateDirectory,
            "log_level": logLevel.rawValue,
            "discovery.mdns": "\(discovery.mdns)",
            "discovery.hosts": discovery.hosts.map { "\($0.host):\($0.port)" }.joined(separator: ", "),
            "discovery.cloud": "\(discovery.cloud)",
            "discovery.cloud_url": Self.withoutSecrets(url: discovery.cloudURL),
            "limits.lights_per_second": "\(limits.lightsPerSecond)",
            "limits.groups_per_second": "\(limits.groupsPerSecond)",
            "limits.in_flight": "\(limits.inFlight)",
            "limits.command_deadline": limits.commandDeadline.setting,
            "polling.interval": polling.interval.setting,
            "returning.policy": returning.policy.rawValue,
            "returning.keep": returning.keep.setting,
            "journal.enabled": "\(journal.enabled)",
            "journal.entries": "\(journal.entries)",
            "journal.megabytes": "\(journal.megabytes)",
            "journal.flush": journal.flush.setting,
            "tcp.enabled": "\(tcp.enabled)",
            "tcp.host": tcp.host,
            "tcp.port": "\(tcp.port)",
            "tcp.token_file": tcp.tokenFile,
            "tcp.names": tcp.names.joined(separator: ", "),
            "tcp.proxies": tcp.proxies.map(\.description).joined(separator: ", "),
            "tcp.tls.certificate": tcp.tls.certificate,
            "tcp.tls.key": tcp.tls.key,
            "home.latitude": home.latitude.map { "\($0)" } ?? "",
            "home.longitude": home.longitude.map { "\($0)" } ?? "",
            "home.time_zone": home.timeZone ?? "",
        ]
    }

    /// "https://user:secret@host/list?key=1" becomes "https://host/list".
    static func withoutSecrets(url: String) -> String {
        let plain = url.prefix { $0 != "?" && $0 != "#" }
        let parts = plain.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, let host = parts[2].split(separator: "@").last else { return String(plain) }
        return (parts[..<2] + [host] + parts[3...]).joined(separator: "/")
    }
}
