import Testing

@testable import LightDaemon

struct DefaultPathsTests {
    private func expect(
        _ environment: [String: String], isRoot: Bool = false, _ configuration: String, _ socket: String,
        _ state: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let defaults = DefaultPaths(environment: environment, isRoot: isRoot)
        #expect(defaults.configuration == configuration, sourceLocation: sourceLocation)
        #expect(defaults.socket == socket, sourceLocation: sourceLocation)
        #expect(defaults.state == state, sourceLocation: sourceLocation)
    }

    @Test func `root uses the system's paths, whatever its XDG variables say`() {
        let xdg = ["HOME": "/root", "XDG_CONFIG_HOME": "/x", "XDG_STATE_HOME": "/y", "XDG_RUNTIME_DIR": "/z"]
        for environment in [[:], xdg] {
            expect(
                environment, isRoot: true, "/etc/lightd/lightd.yaml", "/run/lightd/lightd.sock", "/var/lib/lightd")
        }
    }

    @Test func `a service uses the directories that systemd created`() {
        expect(
            [
                "STATE_DIRECTORY": "/var/lib/private/lightd", "RUNTIME_DIRECTORY": "/run/lightd",
                "CONFIGURATION_DIRECTORY": "/etc/lightd", "HOME": "/", "XDG_STATE_HOME": "/y",
            ], "/etc/lightd/lightd.yaml", "/run/lightd/lightd.sock", "/var/lib/private/lightd")
        expect(["STATE_DIRECTORY": "/srv/l"], "/etc/lightd/lightd.yaml", "/run/lightd/lightd.sock", "/srv/l")
    }

    @Test func `the first of several directories counts`() {
        expect(
            ["STATE_DIRECTORY": "/a:/b", "RUNTIME_DIRECTORY": "/c:/d", "CONFIGURATION_DIRECTORY": "/e:/f"],
            "/e/lightd.yaml", "/c/lightd.sock", "/a")
    }

    @Test func `a user's lightd uses the XDG variables`() {
        expect(
            [
                "HOME": "/home/ada", "XDG_CONFIG_HOME": "/x/config", "XDG_STATE_HOME": "/x/state",
                "XDG_RUNTIME_DIR": "/run/user/1000",
            ], "/x/config/lightd/lightd.yaml", "/run/user/1000/lightd/lightd.sock", "/x/state/lightd")
        expect(
            ["HOME": "/home/ada", "XDG_RUNTIME_DIR": "/run/user/1000"], "/home/ada/.config/lightd/lightd.yaml",
            "/run/user/1000/lightd/lightd.sock", "/home/ada/.local/state/lightd")
    }

    @Test(arguments: ["", "relative/path"])
    func `an XDG variable with a relative path counts as unset`(value: String) {
        expect(
            ["HOME": "/home/ada", "XDG_CONFIG_HOME": value, "XDG_STATE_HOME": value, "XDG_RUNTIME_DIR": value],
            "/home/ada/.config/lightd/lightd.yaml", "/home/ada/.local/state/lightd/lightd.sock",
            "/home/ada/.local/state/lightd")
    }

    @Test func `no default path is in a directory that others can write`() {
        for environment in [[:], ["HOME": "/home/ada"], ["HOME": ""]] {
            let defaults = DefaultPaths(environment: environment, isRoot: false)
            for place in [defaults.configuration, defaults.socket, defaults.state] {
                #expect(place.hasPrefix("/") && !place.hasPrefix("/tmp"))
            }
        }
    }
}
