import Foundation
import TestSupport
import Testing

@testable import LightDaemon

/// Every configuration mistake is reported with its location and what was expected.
struct RefusalTests {
    @Test(arguments: SettingFixture.all)
    func `a wrong value is refused with its line and what is expected`(setting: SettingFixture) {
        for value in setting.wrong {
            let message = Configuration.refusal("# a comment\n\n" + setting.yaml(value))
            #expect(
                message
                    == "lightd.yaml:\(setting.line + 2): '\(setting.path)' is '\(value)'; expected \(setting.expected)")
        }
    }

    @Test(arguments: SettingFixture.all)
    func `a wrong variable is refused with its name`(setting: SettingFixture) {
        for value in setting.wrong {
            let message = Configuration.refusal("", environment: [setting.variable: value])
            #expect(message == "environment variable \(setting.variable): '\(value)' is not \(setting.expected)")
        }
    }

    /// YAML's null, a list or a mapping is not a value, and a value is not a list.
    @Test(arguments: SettingFixture.all, ["", "~", "null", "{a: 1}", "[[a]]", "[~]"])
    func `a node of the wrong kind is refused`(setting: SettingFixture, value: String) throws {
        let message = try #require(Configuration.refusal(setting.yaml(value)))
        #expect(message.hasPrefix("lightd.yaml:\(setting.line): "))
        #expect(message.contains("'\(setting.path)'") && message.contains("expected "))
    }

    private static let lists: Set = ["discovery.hosts", "tcp.names", "tcp.proxies", "mqtt.tags", "mqtt.include"]

    @Test(arguments: SettingFixture.all.filter { !lists.contains($0.path) })
    func `an empty variable is a wrong value`(setting: SettingFixture) {
        #expect(
            Configuration.refusal("", environment: [setting.variable: ""])
                == "environment variable \(setting.variable): '' is not \(setting.expected)")
    }

    @Test(arguments: [
        ("lights_per_second: 3", "lightd.yaml:1: unknown key 'lights_per_second'"),
        ("log_level: info\nsokcet: /a", "lightd.yaml:2: unknown key 'sokcet', did you mean 'socket'?"),
        (
            "journal:\n  enabled: true\n  flsuh: 2s",
            "lightd.yaml:3: unknown key 'journal.flsuh', did you mean 'journal.flush'?"
        ),
        ("jurnal:\n  flush: 2s", "lightd.yaml:1: unknown key 'jurnal', did you mean 'journal'?"),
        ("Socket: /a", "lightd.yaml:1: unknown key 'Socket', did you mean 'socket'?"),
        ("zigbee: {}", "lightd.yaml:1: unknown key 'zigbee'; known keys: "),
        ("zigbee:", "lightd.yaml:1: unknown key 'zigbee'; known keys: "),
        ("discovery: {hots: []}", "lightd.yaml:1: unknown key 'discovery.hots', did you mean 'discovery.hosts'?"),
        ("tcp:\n  port: 1\n  web:\n    cert: /c", "lightd.yaml:3: unknown key 'tcp.web'"),
        (
            "tcp: true",
            "lightd.yaml:1: 'tcp' is a group of keys: "
                + "tcp.enabled, tcp.host, tcp.names, tcp.port, tcp.proxies, tcp.tls.certificate, tcp.tls.key, "
                + "tcp.token_file"
        ),
        ("tcp: [1]", "lightd.yaml:1: 'tcp' is a group of keys: "),
        ("log_level: {debug: true}", "lightd.yaml:1: 'log_level' is not a single value; expected one of "),
        (
            "journal.flush: 2s",
            "lightd.yaml:1: a key contains no dot; write 'journal:' and, indented below it, 'flush:'"
        ),
        ("? [a, b]\n: c", "lightd.yaml:1: a key must be a plain word"),
        ("socket: /a\nlog_level: info\nsocket: /b", "lightd.yaml:1: duplicate key: socket"),
        ("tcp:\n  port: 1\n  port: 2", "lightd.yaml:2: duplicate key: port"),
        ("log_level: info\n\"log_level\": info", "lightd.yaml:1: duplicate key: log_level"),
        (
            "discovery:\n  hosts:\n    - 192.0.2.1\n    - 'no good:1:2'",
            "lightd.yaml:4: in 'discovery.hosts': expected a host or HOST:PORT"
        ),
        (
            "discovery:\n  hosts: 192.0.2.1",
            "lightd.yaml:2: 'discovery.hosts' is not a list; expected [a host or HOST:PORT, …]"
        ),
        ("- socket: /a", "lightd.yaml:1: expected keys with values, like 'log_level: info'"),
        ("\n\njust words", "lightd.yaml:3: expected keys with values, like 'log_level: info'"),
        ("socket: [\n", "lightd.yaml:2: invalid YAML: "),
        ("socket: 'a", "lightd.yaml:1: invalid YAML: "),
        ("log_level: info\nsocket: *nobody", "lightd.yaml:2: invalid YAML: "),
        ("journal:\n\tentries: 100", "lightd.yaml:2: invalid YAML: "),
        ("journal:\n  enabled: true\n entries: 100", "lightd.yaml:3: invalid YAML: "),
        ("log_level: info\nsocket: /a\u{1}b", "lightd.yaml:2: invalid YAML: "),
        ("log_level: info\n---\nlog_level: debug", "lightd.yaml:2: invalid YAML: "),
        ("defaults: &d {port: 1}\ntcp:\n  <<: *d", "lightd.yaml:1: unknown key 'defaults'"),
        ("tcp: {<<: {port: 1}}", "lightd.yaml:1: unknown key 'tcp.<<'"),
        ("log_level: info\r\nsocket: /a\r\nsokcet: /b\r\n", "lightd.yaml:3: unknown key 'sokcet'"),
        ("\u{feff}log_level: info\nsokcet: /b\n", "lightd.yaml:2: unknown key 'sokcet'"),
    ])
    func `a mistake in the file is reported with its line`(yaml: String, beginning: String) throws {
        let message = try #require(Configuration.refusal(yaml), "\(yaml) is accepted")
        #expect(message.hasPrefix(beginning))
        #expect(!message.contains("\n"))
    }

    @Test(arguments: [
        "", "\n", "# nothing\n", "---\n", "~", "null", "{}", "journal:\n", "journal: {}\n", "journal: ~",
        "--- {}\n...\n", "\u{feff}",
    ])
    func `an empty file sets nothing`(yaml: String) throws {
        #expect(try Configuration.of(yaml) == .of(""))
    }

    @Test(arguments: [
        "journal:\n  entries: 777\n", "journal:\r\n  entries: 777\r\n", "\u{feff}journal:\n  entries: 777\n",
        "{journal: {entries: 777}}", "---\njournal: {\"entries\": \"777\"}\n...\n", "journal: &j\n  entries: 777\n",
        "journal:\n  entries: &n 777\n", "journal:\n  entries: 777   # many\n",
        "%YAML 1.1\n---\njournal:\n  entries: 777", "{\"journal\": {\"entries\": 777}}",
    ])
    func `every YAML spelling of a setting is accepted`(yaml: String) throws {
        var expected = try Configuration.of("")
        expected.journal.entries = 777
        #expect(try Configuration.of(yaml) == expected)
    }

    @Test func `an alias has the value of its anchor`() throws {
        let limits = try Configuration.of("limits: {lights_per_second: &n 7, groups_per_second: *n}").limits
        #expect((limits.lightsPerSecond, limits.groupsPerSecond) == (7, 7))
    }

    // MARK: The file itself

    @Test func `a named file must exist`() async throws {
        try await withTemporaryDirectory { directory in
            let missing = directory.path + "/none.yaml"
            let error = ConfigurationError(missing, "cannot be read: no such file")
            #expect(throws: error) {
                try Configuration.read(Arguments(config: missing), environment: [:], isRoot: false)
            }
            #expect(throws: error) {
                try Configuration.read(Arguments(), environment: ["LIGHTD_CONFIG": missing], isRoot: false)
            }
            let environment = ["HOME": directory.path]
            let configuration = try Configuration.read(Arguments(), environment: environment, isRoot: false)
            let state = directory.path + "/.local/state/lightd"
            #expect(configuration == Configuration(socket: state + "/lightd.sock", stateDirectory: state))
        }
    }

    @Test func `a mistake is reported with the path of the file`() async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write("l.yaml", "log_level: loud")
            let expected = "one of trace, debug, info, notice, warning, error, critical"
            #expect(throws: ConfigurationError("\(file):1", "'log_level' is 'loud'; expected \(expected)")) {
                try Configuration.read(Arguments(config: file), environment: [:], isRoot: false)
            }
        }
    }

    @Test func `all mistakes are told at once, and in one line the first of them`() throws {
        let yaml = "log_level: loud\njournal:\n  entries: many\n  flushh: 1s\njurnal: {flush: 1s, entries: 9}\n"
        let error = try #require(throws: ConfigurationError.self) {
            try Configuration.of(yaml, environment: ["LIGHTD_TCP_PORT": "x", "LIGHTD_ZIGBEE": "1"])
        }
        let places = error.lines.map { String($0.prefix { $0 != " " }) }
        #expect(
            places == [
                "lightd.yaml:1:", "lightd.yaml:3:", "environment", "lightd.yaml:4:", "lightd.yaml:5:", "environment",
            ],
            "\(error.lines)")
        #expect("\(error)".hasPrefix("lightd.yaml:1: 'log_level' is 'loud'; expected one of"))
        #expect("\(error)".hasSuffix(" (and 5 more: 'lightd --check-config' lists them)"))
    }

    @Test func `a binary file and a directory are reported with the reason`() async throws {
        try await withTemporaryDirectory { directory in
            let binary = try directory.write("binary.yaml", Data([0x73, 0x3a, 0x20, 0xff, 0xfe]))
            #expect(throws: ConfigurationError(binary, "cannot be read: it is not UTF-8")) {
                try Configuration.read(Arguments(config: binary), environment: [:], isRoot: false)
            }
            #expect(throws: ConfigurationError(directory.path, "cannot be read: it is a directory")) {
                try Configuration.read(Arguments(config: directory.path), environment: [:], isRoot: false)
            }
        }
    }

    // MARK: The environment and arguments

    @Test(arguments: [
        ("LIGHTD_JOURNAL_FLUSHH", "unknown variable, did you mean 'LIGHTD_JOURNAL_FLUSH'? known variables: "),
        ("LIGHTD_JOURNALFLUSH", "unknown variable, did you mean 'LIGHTD_JOURNAL_FLUSH'? known variables: "),
        ("LIGHTD_CONFIGURATION", "unknown variable; known variables: LIGHTD_CONFIG, "),
        ("LIGHTD_ZIGBEE", "unknown variable; known variables: "),
        ("LIGHTD_", "unknown variable; known variables: "),
    ])
    func `a variable that begins with LIGHTD_ and names no key is refused`(name: String, beginning: String) throws {
        let message = try #require(Configuration.refusal("", environment: [name: "1"]))
        #expect(message.hasPrefix("environment variable \(name): \(beginning)"))
    }

    @Test func `other variables are ignored`() throws {
        let environment = [
            "LIGHTD": "1", "LIGHTCTL_SOCKET": "/s", "lightd_socket": "/s", "LIGHTD_TEST_AVAHI": "1",
            "NOTIFY_SOCKET": "/n",
            "LIGHTD_CONFIG": "/etc/other.yaml",
        ]
        #expect(try Configuration.of("", environment: environment) == .of(""))
    }

    @Test func `an empty path is refused in every source`() {
        let none = Arguments()
        for (arguments, environment, place) in [
            (Arguments(config: ""), [:], "argument --config"), (Arguments(socket: ""), [:], "argument --socket"),
            (Arguments(stateDirectory: ""), [:], "argument --state-dir"),
            (none, ["LIGHTD_CONFIG": ""], "environment variable LIGHTD_CONFIG"),
            (none, ["LIGHTD_SOCKET": ""], "environment variable LIGHTD_SOCKET"),
        ] {
            #expect(throws: ConfigurationError(place, "'' is not a path")) {
                try Configuration.read(arguments, environment: environment, isRoot: true)
            }
        }
    }

    @Test func `a socket path that is too long is reported at its source`() throws {
        let long = "/" + String(repeating: "s", count: 107)
        let message = "the socket path is longer than 107 bytes: \(long)"
        #expect(Configuration.refusal("\nsocket: \(long)") == "lightd.yaml:2: \(message)")
        #expect(Configuration.refusal("", Arguments(socket: long)) == "argument --socket: \(message)")
        #expect(
            Configuration.refusal("", environment: ["LIGHTD_SOCKET": long])
                == "environment variable LIGHTD_SOCKET: \(message)")
        #expect(try Configuration.of("socket: \(long.dropLast())").socket.utf8.count == 107)
        // Counted in bytes, not characters.
        #expect(Configuration.refusal("socket: /" + String(repeating: "ü", count: 54)) != nil)
    }
}
