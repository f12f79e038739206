import Foundation
import TestSupport
import Testing

@testable import LightDaemon

/// Arguments override the environment, which overrides the file, which overrides the defaults.
struct PrecedenceTests {
    private func defaults(_ change: (inout Configuration) -> Void) throws -> Configuration {
        var configuration = try Configuration.of("")
        change(&configuration)
        return configuration
    }

    @Test(arguments: SettingFixture.all)
    func `the file changes its key and nothing else`(setting: SettingFixture) throws {
        #expect(try Configuration.of(setting.yaml(setting.inFile.yaml)) == defaults(setting.inFile.change))
    }

    @Test(arguments: SettingFixture.all)
    func `the environment changes its key and nothing else`(setting: SettingFixture) throws {
        let environment = [setting.variable: setting.inEnvironment.text]
        #expect(try Configuration.of("", environment: environment) == defaults(setting.inEnvironment.change))
    }

    @Test(arguments: SettingFixture.all)
    func `the environment overrides the file`(setting: SettingFixture) throws {
        let configuration = try Configuration.of(
            setting.yaml(setting.inFile.yaml), environment: [setting.variable: setting.inEnvironment.text])
        #expect(try configuration == defaults(setting.inEnvironment.change))
    }

    @Test func `each argument overrides both`() throws {
        let environment = ["LIGHTD_SOCKET": "/e/s", "LIGHTD_STATE_DIR": "/e/d"]
        let file = "socket: /f/s\nstate_dir: /f/d\n"
        let both = try Configuration.of(
            file, Arguments(socket: "/a/s", stateDirectory: "/a/d"), environment: environment)
        #expect((both.socket, both.stateDirectory) == ("/a/s", "/a/d"))
        let socket = try Configuration.of(file, Arguments(socket: "/a/s"), environment: environment)
        #expect((socket.socket, socket.stateDirectory) == ("/a/s", "/e/d"))
        let state = try Configuration.of(file, Arguments(stateDirectory: "/a/d"))
        #expect((state.socket, state.stateDirectory) == ("/f/s", "/a/d"))
    }

    @Test func `an empty list in the environment overrides the list in the file`() throws {
        let configuration = try Configuration.of(
            "discovery: {hosts: [192.0.2.1]}", environment: ["LIGHTD_DISCOVERY_HOSTS": ""])
        #expect(configuration.discovery.hosts.isEmpty)
    }

    @Test func `an argument overrides LIGHTD_CONFIG, which overrides the default file`() async throws {
        try await withTemporaryDirectory { directory in
            let usual = ["XDG_CONFIG_HOME": "\(directory.path)/config", "HOME": directory.path]
            try FileManager.default.createDirectory(
                atPath: "\(directory.path)/config/lightd", withIntermediateDirectories: true)
            try directory.write("config/lightd/lightd.yaml", "journal: {entries: 1001}")
            let second = try directory.write("second.yaml", "journal: {entries: 1002}")
            let third = try directory.write("third.yaml", "journal: {entries: 1003}")
            let named = usual.merging(["LIGHTD_CONFIG": second]) { $1 }
            #expect(try Configuration.read(Arguments(), environment: usual, isRoot: false).journal.entries == 1001)
            #expect(try Configuration.read(Arguments(), environment: named, isRoot: false).journal.entries == 1002)
            #expect(
                try Configuration.read(Arguments(config: third), environment: named, isRoot: false).journal.entries
                    == 1003)
        }
    }
}
