import Foundation
import HueBridge
import Lighting
import TestSupport
import Testing

@testable import LightDaemon

/// `Config/lightd.yaml`, which users copy, agrees with the code.
struct ConfigurationFileTests {
    private let text: String

    init() throws { text = try Repository.text("Config/lightd.yaml") }

    @Test func `the values in lightd.yaml are the defaults`() throws {
        #expect(try Configuration.of(text) == .of(""))
    }

    @Test(arguments: [
        ("socket: /", "lightd.yaml:2: '/' exists and is not a socket; choose another path, or move it away"),
        ("state_dir: /dev/null", "lightd.yaml:2: '/dev/null' exists and is not a directory; choose another path"),
        ("socket_group: nobody-has-it", "lightd.yaml:2: there is no group 'nobody-has-it'"),
        ("home:\n  latitude: 52", "lightd.yaml:3: expected 'home.longitude', too"),
        ("home:\n  longitude: 13", "lightd.yaml:3: expected 'home.latitude', too"),
    ])
    func `what only this machine knows to be wrong is reported with its line`(yaml: String, words: String) throws {
        let configuration = try Configuration.withOrigins("log_level: info\n\(yaml)")
        let error = #expect(throws: ConfigurationError.self) { try configuration.checkFiles() }
        #expect("\(error as Any)".contains(words), "\(error as Any)")
    }

    /// The file with every example setting ("#socket: …", "  #token_file: …") uncommented.
    private var examples: String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.contains(#/^ *#[a-z_]+: /#) ? $0.replacing("#", with: "", maxReplacements: 1) : $0 }
            .joined(separator: "\n")
    }

    @Test func `the commented examples are valid`() throws {
        let configuration = try Configuration.of(examples)
        var expected = try Configuration.of("")
        expected.socket = "/run/lightd/lightd.sock"
        expected.socketGroup = "lights"
        expected.stateDirectory = "/var/lib/lightd"
        expected.tcp.tokenFile = "/etc/lightd/token"
        expected.tcp.tls = .init(certificate: "/etc/lightd/tls/fullchain.pem", key: "/etc/lightd/tls/privkey.pem")
        expected.home = .init(latitude: 52.52, longitude: 13.41, timeZone: "Europe/Berlin")
        expected.mqtt.broker = .init("mqtts://broker.lan")
        (expected.mqtt.user, expected.mqtt.passwordFile) = ("lightd", "/etc/lightd/mqtt-password")
        expected.mqtt.authority = "/etc/lightd/broker-ca.pem"
        (expected.mqtt.certificate, expected.mqtt.key) = ("/etc/lightd/mqtt.pem", "/etc/lightd/mqtt-key.pem")
        #expect(configuration == expected)
    }

    @Test func `lightd.yaml shows every key, and no unknown one`() throws {
        var groups: [Substring] = []
        var shown: Set<String> = []
        for line in examples.split(separator: "\n") {
            guard let key = line.firstMatch(of: /^( *)([a-z_]+):(.*)$/) else { continue }
            groups = groups.prefix(key.1.count / 2) + [key.2]
            if !key.3.isEmpty { shown.insert(groups.joined(separator: ".")) }
        }
        #expect(shown == Set(SettingFixture.all.map(\.path)))
        #expect(shown == Set(try Configuration.of("").settings.keys))
    }

    @Test(arguments: SettingFixture.all) func `every setting is told as it is set`(setting: SettingFixture) throws {
        let defaults = try Configuration.of("").settings
        let settings = try Configuration.of(setting.yaml(setting.inFile.yaml)).settings
        #expect(settings.filter { defaults[$0.key] != $0.value }.map(\.key) == [setting.path])
    }

    @Test(arguments: [
        ("https://discovery.meethue.com/", "https://discovery.meethue.com/"),
        ("https://me:secret@host:8443/a/b?key=1#x", "https://host:8443/a/b"), ("http://host", "http://host"),
    ]) func `a URL is told without its user and its query`(url: String, told: String) {
        #expect(Configuration.withoutSecrets(url: url) == told)
    }

    @Test func `the file leaves the gateway's own defaults unchanged`() throws {
        let settings = try Configuration.of(text).gatewaySettings
        let defaults = GatewaySettings()
        #expect(settings.usesMDNS == defaults.usesMDNS && settings.hosts == defaults.hosts)
        #expect(settings.usesCloud == defaults.usesCloud && settings.cloudURL == defaults.cloudURL)
        #expect(settings.lightsPerSecond == defaults.lightsPerSecond)
        #expect(settings.groupsPerSecond == defaults.groupsPerSecond)
        #expect(settings.requestsInFlight == defaults.requestsInFlight)
        #expect(settings.commandDeadline == defaults.commandDeadline)
        #expect(settings.pollInterval == defaults.pollInterval)
        #expect(settings.appliesOnReturn == defaults.appliesOnReturn)
        #expect(settings.offlineCommandLifetime == defaults.offlineCommandLifetime)
    }
}
