import ControlServer
import Foundation
import Logging
import TestSupport
import Testing

@testable import LightDaemon

/// A configuration key with two valid values and some wrong ones.
struct SettingFixture: Sendable, CustomTestStringConvertible {
    let path: String
    /// A value in the file, and its effect.
    let inFile: (yaml: String, change: @Sendable (inout Configuration) -> Void)
    /// A value in the environment, and its effect.
    let inEnvironment: (text: String, change: @Sendable (inout Configuration) -> Void)
    /// Values that are refused in both.
    let wrong: [String]
    /// What the error message says is expected.
    let expected: String

    var testDescription: String { path }
    var variable: String { "LIGHTD_" + path.uppercased().replacing(".", with: "_") }

    /// A file that sets only this key: one line for a top-level key, one more for each group that it is in.
    func yaml(_ value: String) -> String {
        let parts = path.split(separator: ".")
        let lines = parts.enumerated().map { String(repeating: "  ", count: $0) + "\($1):" }
        return lines.joined(separator: "\n") + " \(value)\n"
    }

    /// The key's line in ``yaml(_:)``.
    var line: Int { path.split(separator: ".").count }

    static let all: [SettingFixture] = [
        SettingFixture(
            path: "socket", inFile: ("/f/s", { $0.socket = "/f/s" }), inEnvironment: ("/e/s", { $0.socket = "/e/s" }),
            wrong: [], expected: "a path"),
        SettingFixture(
            path: "socket_group", inFile: ("lights", { $0.socketGroup = "lights" }),
            inEnvironment: ("4711", { $0.socketGroup = "4711" }), wrong: [], expected: "a group"),
        SettingFixture(
            path: "state_dir", inFile: ("/f/d", { $0.stateDirectory = "/f/d" }),
            inEnvironment: ("/e/d", { $0.stateDirectory = "/e/d" }), wrong: [], expected: "a path"),
        SettingFixture(
            path: "log_level", inFile: ("debug", { $0.logLevel = .debug }),
            inEnvironment: ("error", { $0.logLevel = .error }), wrong: ["verbose", "INFO", "1"],
            expected: "one of trace, debug, info, notice, warning, error, critical"),
        SettingFixture(
            path: "discovery.mdns", inFile: ("false", { $0.discovery.mdns = false }),
            inEnvironment: ("true", { $0.discovery.mdns = true }), wrong: ["yes", "on", "0", "False"],
            expected: "true or false"),
        SettingFixture(
            path: "discovery.hosts",
            inFile: ("[192.0.2.1]", { $0.discovery.hosts = [.init(host: "192.0.2.1")] }),
            inEnvironment: (
                "192.0.2.2:8443, [2001:db8::1]:444",
                { $0.discovery.hosts = [.init(host: "192.0.2.2", port: 8443), .init(host: "2001:db8::1", port: 444)] }
            ), wrong: [], expected: "a host or HOST:PORT"),
        SettingFixture(
            path: "discovery.cloud", inFile: ("true", { $0.discovery.cloud = true }),
            inEnvironment: ("false", { $0.discovery.cloud = false }), wrong: ["yes"], expected: "true or false"),
        SettingFixture(
            path: "discovery.cloud_url",
            inFile: ("http://127.0.0.1:1/", { $0.discovery.cloudURL = "http://127.0.0.1:1/" }),
            inEnvironment: ("https://x.example/", { $0.discovery.cloudURL = "https://x.example/" }),
            wrong: ["discovery.meethue.com", "ftp://x"], expected: "an http or https URL"),
        SettingFixture(
            path: "limits.lights_per_second", inFile: ("5", { $0.limits.lightsPerSecond = 5 }),
            inEnvironment: ("1000", { $0.limits.lightsPerSecond = 1000 }), wrong: ["0", "1001", "-1", "2.5", "ten"],
            expected: "a whole number from 1 to 1000"),
        SettingFixture(
            path: "limits.groups_per_second", inFile: ("2", { $0.limits.groupsPerSecond = 2 }),
            inEnvironment: ("1000", { $0.limits.groupsPerSecond = 1000 }),
            wrong: ["0", "1001", "99999999999999999999"],
            expected: "a whole number from 1 to 1000"),
        SettingFixture(
            path: "limits.in_flight", inFile: ("1", { $0.limits.inFlight = 1 }),
            inEnvironment: ("100", { $0.limits.inFlight = 100 }), wrong: ["0", "101", "many"],
            expected: "a whole number from 1 to 100"),
        SettingFixture(
            path: "limits.command_deadline", inFile: ("1500ms", { $0.limits.commandDeadline = .milliseconds(1500) }),
            inEnvironment: ("5m", { $0.limits.commandDeadline = .seconds(300) }),
            wrong: [
                "10", "999ms", "301s", "-2s", "s", "1d", "nans", "infs", "0x10s", "1e300h",
                "1" + String(repeating: "0", count: 300) + "h",
            ],
            expected: "a duration from 1s to 5m, like 2s or 500ms"),
        SettingFixture(
            path: "polling.interval", inFile: ("2s", { $0.polling.interval = .seconds(2) }),
            inEnvironment: ("1m", { $0.polling.interval = .seconds(60) }), wrong: ["5", "999ms", "6m"],
            expected: "a duration from 1s to 5m, like 2s or 500ms"),
        SettingFixture(
            path: "returning.policy", inFile: ("leave", { $0.returning.policy = .leave }),
            inEnvironment: ("apply", { $0.returning.policy = .apply }), wrong: ["true", "Apply", "keep"],
            expected: "one of apply, leave"),
        SettingFixture(
            path: "returning.keep", inFile: ("1m", { $0.returning.keep = .seconds(60) }),
            inEnvironment: ("24h", { $0.returning.keep = .seconds(86_400) }), wrong: ["0.5s", "25h", "600"],
            expected: "a duration from 1s to 24h, like 2s or 500ms"),
        SettingFixture(
            path: "journal.enabled", inFile: ("false", { $0.journal.enabled = false }),
            inEnvironment: ("true", { $0.journal.enabled = true }), wrong: ["off", "1"], expected: "true or false"),
        SettingFixture(
            path: "journal.entries", inFile: ("100", { $0.journal.entries = 100 }),
            inEnvironment: ("10000000", { $0.journal.entries = 10_000_000 }),
            wrong: ["99", "10000001", "1e5", "100_000"],
            expected: "a whole number from 100 to 10000000"),
        SettingFixture(
            path: "journal.megabytes", inFile: ("1", { $0.journal.megabytes = 1 }),
            inEnvironment: ("10000", { $0.journal.megabytes = 10_000 }), wrong: ["0", "10001", "32MB", "1.5"],
            expected: "a whole number from 1 to 10000"),
        SettingFixture(
            path: "journal.flush", inFile: ("100ms", { $0.journal.flush = .milliseconds(100) }),
            inEnvironment: ("1h", { $0.journal.flush = .seconds(3600) }), wrong: ["99ms", "61m", "2 s", "2S"],
            expected: "a duration from 100ms to 1h, like 2s or 500ms"),
        SettingFixture(
            path: "tcp.enabled", inFile: ("true", { $0.tcp.enabled = true }),
            inEnvironment: ("false", { $0.tcp.enabled = false }), wrong: ["2", "ja"], expected: "true or false"),
        SettingFixture(
            path: "tcp.host", inFile: ("'::1'", { $0.tcp.host = "::1" }),
            inEnvironment: ("192.0.2.7", { $0.tcp.host = "192.0.2.7" }), wrong: [], expected: "an address to listen on"),
        SettingFixture(
            path: "tcp.port", inFile: ("0", { $0.tcp.port = 0 }), inEnvironment: ("65535", { $0.tcp.port = 65535 }),
            wrong: ["65536", "-1", "http"], expected: "a whole number from 0 to 65535"),
        SettingFixture(
            path: "tcp.token_file", inFile: ("/f/t", { $0.tcp.tokenFile = "/f/t" }),
            inEnvironment: ("/e/t", { $0.tcp.tokenFile = "/e/t" }), wrong: [], expected: "a path"),
        SettingFixture(
            path: "tcp.names", inFile: ("[a.example]", { $0.tcp.names = ["a.example"] }),
            inEnvironment: ("b.example,c", { $0.tcp.names = ["b.example", "c"] }), wrong: [], expected: "a host name"),
        SettingFixture(
            path: "tcp.proxies", inFile: ("[127.0.0.1]", { $0.tcp.proxies = [AddressRange("127.0.0.1")!] }),
            inEnvironment: (
                "192.0.2.0/24, ::1", { $0.tcp.proxies = [AddressRange("192.0.2.0/24")!, AddressRange("::1")!] }
            ), wrong: [], expected: "an IP address or a network, like 10.0.0.0/8"),
        SettingFixture(
            path: "tcp.tls.certificate", inFile: ("/f/c", { $0.tcp.tls.certificate = "/f/c" }),
            inEnvironment: ("/e/c", { $0.tcp.tls.certificate = "/e/c" }), wrong: [], expected: "a path"),
        SettingFixture(
            path: "tcp.tls.key", inFile: ("/f/k", { $0.tcp.tls.key = "/f/k" }),
            inEnvironment: ("/e/k", { $0.tcp.tls.key = "/e/k" }), wrong: [], expected: "a path"),
        SettingFixture(
            path: "home.latitude", inFile: ("52.52", { $0.home.latitude = 52.52 }),
            inEnvironment: ("-90", { $0.home.latitude = -90 }), wrong: ["90.1", "nan", "0x10", "52N", "north"],
            expected: "a number from -90 to 90, like 52.52"),
        SettingFixture(
            path: "home.longitude", inFile: ("13.41", { $0.home.longitude = 13.41 }),
            inEnvironment: ("-180.0", { $0.home.longitude = -180 }), wrong: ["180.5", "inf", "1e1", "east"],
            expected: "a number from -180 to 180, like 13.41"),
        SettingFixture(
            path: "home.time_zone", inFile: ("Europe/Berlin", { $0.home.timeZone = "Europe/Berlin" }),
            inEnvironment: ("UTC", { $0.home.timeZone = "UTC" }),
            wrong: ["Europe/Berlni", "Europe", "../../etc/passwd", "/etc/localtime"],
            expected: "a time zone, like Europe/Berlin"),
        SettingFixture(
            path: "mqtt.broker", inFile: ("mqtt://broker.lan", { $0.mqtt.broker = .init("mqtt://broker.lan:1883") }),
            inEnvironment: ("mqtts://[::1]:8884", { $0.mqtt.broker = .init("mqtts://[::1]:8884") }),
            wrong: ["broker.lan", "http://broker.lan", "mqtt://", "mqtt://a:b:c", "mqtt://user:word@host"],
            expected: "mqtt://HOST, mqtts://HOST, or one with :PORT"),
        SettingFixture(
            path: "mqtt.site", inFile: ("hotel-12", { $0.mqtt.site = "hotel-12" }),
            inEnvironment: ("cabin", { $0.mqtt.site = "cabin" }), wrong: ["Cabin", "a/b", "a+", "a b"],
            expected: "small letters, digits and '-', at most 64"),
        SettingFixture(
            path: "mqtt.tags", inFile: ("[north]", { $0.mqtt.tags = ["north"] }),
            inEnvironment: ("north, old", { $0.mqtt.tags = ["north", "old"] }), wrong: [], expected: "a word"),
        SettingFixture(
            path: "mqtt.user", inFile: ("lightd", { $0.mqtt.user = "lightd" }),
            inEnvironment: ("ada", { $0.mqtt.user = "ada" }), wrong: [], expected: "a user's name"),
        SettingFixture(
            path: "mqtt.password_file", inFile: ("/f/p", { $0.mqtt.passwordFile = "/f/p" }),
            inEnvironment: ("/e/p", { $0.mqtt.passwordFile = "/e/p" }), wrong: [], expected: "a path"),
        SettingFixture(
            path: "mqtt.tls.authority", inFile: ("/f/ca", { $0.mqtt.authority = "/f/ca" }),
            inEnvironment: ("/e/ca", { $0.mqtt.authority = "/e/ca" }), wrong: [], expected: "a path"),
        SettingFixture(
            path: "mqtt.tls.certificate", inFile: ("/f/c", { $0.mqtt.certificate = "/f/c" }),
            inEnvironment: ("/e/c", { $0.mqtt.certificate = "/e/c" }), wrong: [], expected: "a path"),
        SettingFixture(
            path: "mqtt.tls.key", inFile: ("/f/k", { $0.mqtt.key = "/f/k" }),
            inEnvironment: ("/e/k", { $0.mqtt.key = "/e/k" }), wrong: [], expected: "a path"),
        SettingFixture(
            path: "mqtt.allow", inFile: ("look", { $0.mqtt.allow = .look }),
            inEnvironment: ("full", { $0.mqtt.allow = .full }), wrong: ["none", "Full", "true"],
            expected: "one of look, read_only, control, full"),
        SettingFixture(
            path: "mqtt.discovery", inFile: ("component", { $0.mqtt.discovery.form = .component }),
            inEnvironment: ("off", { $0.mqtt.discovery.form = .off }), wrong: ["on", "Device"],
            expected: "one of device, component, off"),
        SettingFixture(
            path: "mqtt.discovery_prefix", inFile: ("ha", { $0.mqtt.discovery.prefix = "ha" }),
            inEnvironment: ("hass", { $0.mqtt.discovery.prefix = "hass" }), wrong: ["a/#", "+"],
            expected: "a topic without '+', '#' and '/'"),
        SettingFixture(
            path: "mqtt.include", inFile: ("[rooms]", { $0.mqtt.discovery.include = [.rooms] }),
            inEnvironment: ("scenes, buttons", { $0.mqtt.discovery.include = [.scenes, .buttons] }), wrong: [],
            expected: "one of lights, rooms, scenes, sensors, buttons, automations, bridges"),
        SettingFixture(
            path: "mqtt.plug_as", inFile: ("switch", { $0.mqtt.discovery.plug = .switch }),
            inEnvironment: ("light", { $0.mqtt.discovery.plug = .light }), wrong: ["plug", "Switch"],
            expected: "one of light, switch"),
    ]
}

extension Configuration {
    /// The configuration of a user with an empty environment: what is set, not where it was.
    static func of(
        _ yaml: String, _ arguments: Arguments = Arguments(), environment: [String: String] = [:]
    ) throws(ConfigurationError) -> Self {
        var configuration = try withOrigins(yaml, arguments, environment: environment)
        configuration.origins = [:]
        return configuration
    }

    static func withOrigins(
        _ yaml: String, _ arguments: Arguments = Arguments(), environment: [String: String] = [:]
    ) throws(ConfigurationError) -> Self {
        try read(
            yaml: yaml, file: "lightd.yaml", arguments, environment: environment,
            DefaultPaths(environment: ["HOME": "/home/ada"], isRoot: false))
    }

    /// The error message, or `nil` if the configuration is accepted.
    static func refusal(
        _ yaml: String, _ arguments: Arguments = Arguments(), environment: [String: String] = [:]
    ) -> String? {
        do throws(ConfigurationError) {
            _ = try of(yaml, arguments, environment: environment)
            return nil
        } catch {
            return error.description
        }
    }
}
