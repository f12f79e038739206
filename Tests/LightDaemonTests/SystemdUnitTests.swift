import Foundation
import TestSupport
import Testing

/// What `systemd/lightd.service` promises to those who operate it, and the code relies on.
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
        ("RuntimeDirectory", "lightd"), ("ConfigurationDirectory", "lightd"), ("UMask", "0077"),
        ("NoNewPrivileges", "yes"),
        ("ProtectSystem", "strict"), ("ProtectHome", "yes"), ("MemoryDenyWriteExecute", "yes"),
        ("CapabilityBoundingSet", ""), ("ExecStart", "/usr/local/bin/lightd"),
    ])
    func `the unit says`(key: String, value: String) {
        #expect(values(key) == [value])
    }

    @Test func `it lets through what lightd speaks: unix sockets, the network, and who its neighbours are`() {
        let families = values("RestrictAddressFamilies").flatMap { $0.split(separator: " ") }
        #expect(Set(families) == ["AF_UNIX", "AF_INET", "AF_INET6", "AF_NETLINK"])
    }

    @Test func `a stop is given more time than a stop takes`() throws {
        #expect(try #require(Int(values("TimeoutStopSec").first ?? "")) > 1)
    }

    @Test func `the start waits for no network and no bridge`() {
        #expect(!lines.contains { $0.contains("network-online") })
        #expect(values("Requires").isEmpty && values("BindsTo").isEmpty)
    }

    @Test func `its user is the one that sysusers makes`() throws {
        let user = try Repository.text("systemd/lightd.sysusers").split(separator: "\n").first { $0.hasPrefix("u ") }
        #expect(user?.split(separator: " ")[1] == "lightd")
        #expect(values("User") == ["lightd"] && values("Group") == ["lightd"])
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze")))
    func `systemd understands every line of it`() async throws {
        try await withTemporaryDirectory { scratch in
            let unit = lines.map { $0.hasPrefix("ExecStart=") ? "ExecStart=\(Program.path(of: .lightd))" : $0 }
            let file = try scratch.write("lightd.service", unit.joined(separator: "\n") + "\n")
            let end = try await Program(
                .at("/usr/bin/systemd-analyze"), ["verify", "--man=no", "--recursive-errors=no", file],
                environment: ["PATH": "/usr/bin:/bin", "HOME": scratch.path]
            ).end()
            #expect(end.status == 0, "\(end)")
            #expect(!end.errors.contains("lightd.service:"), "\(end)")
        }
    }
}
