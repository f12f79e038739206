import Foundation
import TestSupport
import Testing

@testable import LightDaemon

/// The settings of `systemd/lightd.service` that the code and the documentation rely on.
struct SystemdUnitTests {
    private let lines: [String]

    init() throws {
        lines = try Repository.text("systemd/lightd.service").split(separator: "\n").map(String.init)
            .filter { !$0.hasPrefix("#") }
    }

    private func values(_ key: String) -> [String] {
        lines.filter { $0.hasPrefix(key + "=") }.map { String($0.dropFirst(key.count + 1)) }
    }

    @Test(arguments: [
        ("Type", "notify"), ("NotifyAccess", "main"), ("WatchdogSec", "30"), ("Restart", "on-failure"),
        ("RestartPreventExitStatus", "6"), ("StateDirectory", "lightd"), ("StateDirectoryMode", "0700"),
        ("ConfigurationDirectory", "lightd"), ("UMask", "0077"), ("Requires", "lightd.socket"),
        ("Also", "lightd.socket"),
        ("NoNewPrivileges", "yes"),
        ("ProtectSystem", "strict"), ("ProtectHome", "yes"), ("MemoryDenyWriteExecute", "yes"),
        ("CapabilityBoundingSet", ""), ("LimitNOFILE", "8192"), ("LimitCORE", "0"), ("StartLimitIntervalSec", "0"),
        ("ExecStart", "/usr/local/bin/lightd"),
    ])
    func `the unit sets each key to its value`(key: String, value: String) {
        #expect(values(key) == [value])
    }

    @Test func `the unit allows the address families that lightd uses`() {
        let families = values("RestrictAddressFamilies").flatMap { $0.split(separator: " ") }
        #expect(Set(families) == ["AF_UNIX", "AF_INET", "AF_INET6", "AF_NETLINK"])
    }

    @Test func `the unit hides neither the users nor the programs of the socket's clients from lightd`() {
        #expect(values("PrivateUsers").isEmpty && values("ProtectProc").isEmpty)
    }

    @Test func `systemd waits longer for a stop than lightd takes`() throws {
        let seconds = try #require(Int(values("TimeoutStopSec").first ?? ""))
        #expect(.seconds(seconds) > LightDaemon.shutdownLimit)
    }

    @Test func `the start does not wait for a network or a bridge`() {
        #expect(!lines.contains { $0.contains("network-online") })
        #expect(values("Requires") == ["lightd.socket"] && values("BindsTo").isEmpty)
    }

    @Test func `the socket is where lightd and lightctl look for it, for its group alone`() throws {
        let socket = try Repository.text("systemd/lightd.socket").split(separator: "\n").map(String.init)
        let paths = DefaultPaths(environment: ["STATE_DIRECTORY": "/var/lib/lightd"], isRoot: false)
        for line in [
            "ListenStream=\(paths.socket)", "SocketMode=0660", "SocketGroup=lightd", "WantedBy=sockets.target",
        ] {
            #expect(socket.contains(line))
        }
        // The service's runtime directory would be removed, with the socket in it, whenever the service stops.
        #expect(values("RuntimeDirectory").isEmpty)
    }

    @Test func `a client that waits starts a lightd with a wrong configuration no more than twenty times`() throws {
        let socket = try Repository.text("systemd/lightd.socket").split(separator: "\n")
        #expect(socket.contains("TriggerLimitIntervalSec=60s") && socket.contains("TriggerLimitBurst=20"))
        // The start of the service, by which a person goes on, makes a socket that has failed again.
        #expect(values("Requires") == ["lightd.socket"])
    }

    @Test func `a reload checks the file first, so that it fails visibly`() {
        #expect(values("ExecReload") == ["/usr/local/bin/lightd --check-config", "/bin/kill -HUP $MAINPID"])
    }

    @Test func `the unit's user is the one that sysusers creates`() throws {
        let user = try Repository.text("systemd/lightd.sysusers").split(separator: "\n").first { $0.hasPrefix("u ") }
        #expect(user?.split(separator: " ")[1] == "lightd")
        #expect(values("User") == ["lightd"] && values("Group") == ["lightd"])
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze")))
    func `systemd-analyze accepts the unit`() async throws {
        try await withTemporaryDirectory { directory in
            let unit = lines.map {
                $0.replacingOccurrences(of: "/usr/local/bin/lightd", with: Program.path(of: .lightd))
            }
            let file = try directory.write("lightd.service", unit.joined(separator: "\n") + "\n")
            let socket = try directory.write("lightd.socket", try Repository.text("systemd/lightd.socket"))
            let end = try await Program(
                .at("/usr/bin/systemd-analyze"), ["verify", "--man=no", "--recursive-errors=no", file, socket],
                environment: ["PATH": "/usr/bin:/bin", "HOME": directory.path]
            ).end()
            #expect(end.status == 0, "\(end)")
            #expect(!end.errors.contains("lightd.service:") && !end.errors.contains("lightd.socket:"), "\(end)")
        }
    }
}
