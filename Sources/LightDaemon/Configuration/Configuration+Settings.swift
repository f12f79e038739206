import ControlServer
import Logging

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
