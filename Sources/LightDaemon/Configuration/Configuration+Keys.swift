import ControlProtocol
import ControlServer
import Logging
import MQTTSurface

extension Configuration {
    /// Every key of the file, in the order in which mistakes are told. `Config/lightd.yaml` explains them.
    static let keys: [Key] = [
        Key("socket", \.socket, .text("a path"), isForStart: true),
        Key("state_dir", \.stateDirectory, .text("a path"), isForStart: true),
        Key("log_level", \.logLevel, .choice),
        Key("socket_group", \.socketGroup, .optional(.text("a group")), isForStart: true),

        Key("discovery.mdns", \.discovery.mdns, .flag),
        Key("discovery.hosts", \.discovery.hosts, .list("a host or HOST:PORT", { Host(text: $0) }, as: \.setting)),
        Key("discovery.cloud", \.discovery.cloud, .flag),
        Key("discovery.cloud_url", \.discovery.cloudURL, .url),

        Key("limits.lights_per_second", \.limits.lightsPerSecond, .number(in: 1...1000)),
        Key("limits.groups_per_second", \.limits.groupsPerSecond, .number(in: 1...1000)),
        Key("limits.in_flight", \.limits.inFlight, .number(in: 1...100)),
        Key("limits.command_deadline", \.limits.commandDeadline, .duration(in: .seconds(1) ... .seconds(300))),
        Key("polling.interval", \.polling.interval, .duration(in: .seconds(1) ... .seconds(300))),
        Key("returning.policy", \.returning.policy, .choice),
        Key("returning.keep", \.returning.keep, .duration(in: .seconds(1) ... .seconds(86_400))),

        Key("journal.enabled", \.journal.enabled, .flag, isForStart: true),
        Key("journal.entries", \.journal.entries, .number(in: 100...10_000_000)),
        Key("journal.megabytes", \.journal.megabytes, .number(in: 1...10_000)),
        Key("journal.flush", \.journal.flush, .duration(in: .milliseconds(100) ... .seconds(3600))),

        Key("tcp.enabled", \.tcp.enabled, .flag),
        Key("tcp.host", \.tcp.host, .text("an address to listen on")),
        Key("tcp.port", \.tcp.port, .number(in: 0...65535)),
        Key("tcp.token_file", \.tcp.tokenFile, .text("a path")),
        Key(
            "tcp.names", \.tcp.names,
            .list("a host name", { ControlServerSettings.TCP.isName($0) ? $0 : nil }, as: { $0 })),
        // What is believed of everybody is believed of strangers.
        Key(
            "tcp.proxies", \.tcp.proxies,
            .list(
                "an IP address or a network, like 10.0.0.0/8",
                { AddressRange($0).flatMap { $0.isEverybody ? nil : $0 } }, as: \.description)),
        Key("tcp.tls.certificate", \.tcp.tls.certificate, .text("a path")),
        Key("tcp.tls.key", \.tcp.tls.key, .text("a path")),

        Key("home.latitude", \.home.latitude, .optional(.decimal(in: -90...90, like: "52.52"))),
        Key("home.longitude", \.home.longitude, .optional(.decimal(in: -180...180, like: "13.41"))),
        Key(
            "home.time_zone", \.home.timeZone,
            .optional(.text(ZoneFiles.expectation) { ZoneFiles().mayExist($0) })),

        Key("mqtt.broker", \.mqtt.broker, .optional(.broker)),
        Key(
            "mqtt.site", \.mqtt.site,
            .text("small letters, digits and '-', at most 64", where: SiteTopics.isSite)),
        Key("mqtt.tags", \.mqtt.tags, .list("a word", { SiteTopics.isSite($0) ? $0 : nil }, as: { $0 })),
        Key("mqtt.user", \.mqtt.user, .text("a user's name")),
        Key("mqtt.password_file", \.mqtt.passwordFile, .text("a path")),
        Key("mqtt.tls.authority", \.mqtt.authority, .text("a path")),
        Key("mqtt.tls.certificate", \.mqtt.certificate, .text("a path")),
        Key("mqtt.tls.key", \.mqtt.key, .text("a path")),
        Key("mqtt.allow", \.mqtt.allow, .choice),
        Key("mqtt.discovery", \.mqtt.discovery.form, .choice),
        Key(
            "mqtt.discovery_prefix", \.mqtt.discovery.prefix,
            .text("a topic without '+', '#' and '/'") { !$0.isEmpty && !$0.contains { "+#/".contains($0) } }),
        Key(
            "mqtt.include", \.mqtt.discovery.include,
            .list(
                "one of " + MQTTSurfaceSettings.DiscoverySettings.Kind.allCases.map(\.rawValue).joined(separator: ", "),
                { MQTTSurfaceSettings.DiscoverySettings.Kind(rawValue: $0) }, as: \.rawValue)),
        Key("mqtt.plug_as", \.mqtt.discovery.plug, .choice),
    ]

    /// What one key of the file sets, and how that is read and printed.
    struct Key: Sendable {
        let name: String
        /// Whether it takes effect only when lightd starts: what is open then stays open.
        let isForStart: Bool
        /// Sets it if the file or the environment does.
        let read: @Sendable (inout SettingsReader, inout Configuration) throws(ConfigurationError) -> Void
        let print: @Sendable (Configuration) -> String
        /// Sets it as another configuration does.
        let copy: @Sendable (Configuration, inout Configuration) -> Void

        init<Value>(
            _ name: String, _ value: any WritableKeyPath<Configuration, Value> & Sendable, _ format: Format<Value>,
            isForStart: Bool = false
        ) {
            (self.name, self.isForStart) = (name, isForStart)
            read = { settings, configuration throws(ConfigurationError) in
                if let read = try format.read(&settings, name) { configuration[keyPath: value] = read }
            }
            print = { format.print($0[keyPath: value]) }
            copy = { $1[keyPath: value] = $0[keyPath: value] }
        }
    }

    /// Every key with the value in use, whether it comes from the file, the environment, an argument or the defaults.
    /// Without secrets: a URL's user and query are left out, and the token is not a setting.
    var settings: [String: String] {
        Dictionary(Self.keys.map { ($0.name, $0.print(self)) }) { first, _ in first }
    }

    /// "https://user:secret@host/list?key=1" becomes "https://host/list".
    static func withoutSecrets(url: String) -> String {
        let plain = url.prefix { $0 != "?" && $0 != "#" }
        let parts = plain.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, let host = parts[2].split(separator: "@").last else { return String(plain) }
        return (parts[..<2] + [host] + parts[3...]).joined(separator: "/")
    }
}

extension Configuration {
    /// A key whose value differs between two configurations.
    struct Change: Equatable, Sendable, CustomStringConvertible {
        let key: String
        let old: String
        let new: String
        /// Whether it takes effect only when lightd starts.
        let needsRestart: Bool

        var description: String { "\(key) \(Self.words(old)) → \(Self.words(new))" }

        private static func words(_ value: String) -> String { value.isEmpty ? "(none)" : value }
    }

    /// What differs in another configuration, by key.
    func changes(to new: Self) -> [Change] {
        Self.keys.map { Change(key: $0.name, old: $0.print(self), new: $0.print(new), needsRestart: $0.isForStart) }
            .filter { $0.old != $0.new }.sorted { $0.key < $1.key }
    }

    /// Another configuration, as far as it can take effect while lightd runs with this one.
    func reloaded(as new: Self) -> Self {
        var result = new
        for key in Self.keys where key.isForStart {
            key.copy(self, &result)
            result.origins[key.name] = origins[key.name]
        }
        return result
    }
}

/// How a value is written in the file and in the environment.
struct Format<Value: Sendable>: Sendable {
    fileprivate let read: @Sendable (inout SettingsReader, String) throws(ConfigurationError) -> Value?
    fileprivate let print: @Sendable (Value) -> String

    /// - Parameters: as for ``SettingsReader/scalar(_:expected:_:)``.
    private static func scalar(
        _ expected: String, _ parse: @escaping @Sendable (String) -> Value?,
        print: @escaping @Sendable (Value) -> String
    ) -> Self {
        Self(
            read: { settings, key throws(ConfigurationError) in try settings.scalar(key, expected: expected, parse) },
            print: print)
    }

    /// What is not set is printed as nothing.
    static func optional<Wrapped>(_ format: Format<Wrapped>) -> Self where Value == Wrapped? {
        Self(
            read: { settings, key throws(ConfigurationError) in
                if let value = try format.read(&settings, key) { .some(value) } else { nil }
            }, print: { $0.map(format.print) ?? "" })
    }

    /// A YAML list in the file, a comma-separated list in the environment.
    static func list<Element>(
        _ expected: String, _ parse: @escaping @Sendable (String) -> Element?,
        as print: @escaping @Sendable (Element) -> String
    ) -> Self where Value == [Element] {
        Self(
            read: { settings, key throws(ConfigurationError) in try settings.list(key, expected: expected, parse) },
            print: { $0.map(print).joined(separator: ", ") })
    }
}

extension Format where Value: CaseIterable & RawRepresentable<String> {
    static var choice: Self {
        scalar("one of " + Value.allCases.map(\.rawValue).joined(separator: ", "), Value.init, print: \.rawValue)
    }
}

extension Format<String> {
    static func text(
        _ expected: String, where isValid: @escaping @Sendable (String) -> Bool = { !$0.isEmpty }
    ) -> Self {
        scalar(expected, { isValid($0) ? $0 : nil }, print: { $0 })
    }

    static var url: Self {
        scalar(
            "an http or https URL", { $0.hasPrefix("https://") || $0.hasPrefix("http://") ? $0 : nil },
            print: Configuration.withoutSecrets)
    }
}

extension Format<Configuration.MQTT.Broker> {
    static var broker: Self {
        scalar(
            "mqtt://HOST, mqtts://HOST, or one with :PORT", Configuration.MQTT.Broker.init, print: \.setting)
    }
}

extension Format<Bool> {
    static var flag: Self { scalar("true or false", { ["true": true, "false": false][$0] }, print: \.description) }
}

extension Format<Int> {
    static func number(in range: ClosedRange<Int>) -> Self {
        scalar(
            "a whole number from \(range.lowerBound) to \(range.upperBound)",
            { Int($0).flatMap { range.contains($0) ? $0 : nil } }, print: \.description)
    }
}

extension Format<Double> {
    static func decimal(in range: ClosedRange<Double>, like example: String) -> Self {
        scalar(
            "a number from \(Int(range.lowerBound)) to \(Int(range.upperBound)), like \(example)",
            { text in
                // Double also accepts "nan" and "0x1p4".
                guard text.allSatisfy({ "-+0123456789.".contains($0) }) else { return nil }
                return Double(text).flatMap { range.contains($0) ? $0 : nil }
            }, print: \.description)
    }
}

extension Format<Duration> {
    static func duration(in range: ClosedRange<Duration>) -> Self {
        scalar(
            "a duration from \(range.lowerBound.setting) to \(range.upperBound.setting), like 2s or 500ms",
            { Duration($0).flatMap { range.contains($0) ? $0 : nil } }, print: \.setting)
    }
}

extension Duration {
    private static let units: [(name: String, seconds: Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600)]

    /// As it is written in the file, in the largest unit of which it is a whole number: "100ms", "1s", "24h".
    fileprivate var setting: String {
        for (unit, seconds) in Self.units.reversed() {
            if let number = Int(exactly: self / .seconds(seconds)), number != 0 { return "\(number)\(unit)" }
        }
        return "0s"
    }

    /// Parses "2s", "500ms", "1m" or "1h".
    fileprivate init?(_ text: String) {
        for (unit, seconds) in Self.units where text.hasSuffix(unit) {
            let digits = text.dropLast(unit.count)
            // Double also accepts "nan" and "0x1p4".
            guard digits.allSatisfy({ "0123456789.".contains($0) }),
                let number = Double(digits), case let milliseconds = number * seconds * 1000,
                // Far beyond every allowed range, but within Int64.
                milliseconds < 1e15
            else { continue }
            self = .milliseconds(Int64(milliseconds.rounded()))
            return
        }
        return nil
    }
}
