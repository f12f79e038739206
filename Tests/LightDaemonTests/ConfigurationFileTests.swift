import Foundation
import TestSupport
import Testing

@testable import LightDaemon

/// `Config/lightd.yaml` is what people copy: it says the truth.
struct ConfigurationFileTests {
    private let text: String

    init() throws { text = try Repository.text("Config/lightd.yaml") }

    @Test func `what stands in lightd.yaml are the defaults`() throws {
        #expect(try Configuration.of(text) == .of(""))
    }

    /// "#socket: …", "  #token_file: …": what a person would take the '#' from.
    private var examples: String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.contains(#/^ *#[a-z_]+: /#) ? $0.replacing("#", with: "", maxReplacements: 1) : $0 }
            .joined(separator: "\n")
    }

    @Test func `the examples that are commented out are good as well`() throws {
        let configuration = try Configuration.of(examples)
        var expected = try Configuration.of("")
        expected.socket = "/run/lightd/lightd.sock"
        expected.stateDirectory = "/var/lib/lightd"
        expected.tcp.tokenFile = "/etc/lightd/token"
        #expect(configuration == expected)
    }

    @Test func `it shows every key that there is, and no other`() throws {
        var group = ""
        var shown: Set<String> = []
        for line in examples.split(separator: "\n") {
            if let top = line.firstMatch(of: /^([a-z_]+):/) {
                group = String(top.1)
                if line.trimmingCharacters(in: .whitespaces) != "\(group):" { shown.insert(group) }
            } else if let inner = line.firstMatch(of: /^  ([a-z_]+):/) {
                shown.insert("\(group).\(inner.1)")
            }
        }
        #expect(shown == Set(SettingFixture.all.map(\.path)))
    }

    @Test func `a value that it names as the default is the one a fresh daemon has`() throws {
        let fresh = Configuration(socket: "", stateDirectory: "")
        #expect(fresh.journal.entries == 100_000)
        #expect(fresh.tcp.port == 8377)
        #expect(fresh.limits.commandDeadline == .seconds(10))
        #expect(fresh.discovery.mdns && fresh.journal.enabled && !fresh.tcp.enabled)
    }
}
