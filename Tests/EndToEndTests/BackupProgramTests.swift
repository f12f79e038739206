import ControlProtocol
import Foundation
import TestSupport
import Testing

/// Backups with the real programs: made, restored, and killed while they are restored.
@Suite(.timeLimit(.minutes(5)))
struct BackupProgramTests {
    private static let curve = ["07:00 60% 4000K", "22:00 30% 2700K"]

    @Test func `a backup without keys brings a changed home back while lightd runs, and lightd stays paired`()
        async throws
    {
        try await ProgramsFixture.running { programs in
            #expect(try await programs.lightctl("pair").status == 0)
            #expect(try await programs.lightctl("dashboard", "pin", "desk").status == 0)
            #expect(try await programs.lightctl(["curve", "set", "study"] + Self.curve).status == 0)
            #expect(try await programs.lightctl("token", "create", "panel").status == 0)
            let file = programs.place.path + "/home.backup"
            // Under another mask than usual too, only its owner can read it.
            let saved = try await programs.shell.run("umask 0; $lightctl backup home.backup")
            #expect(saved.status == 0 && saved.output == "", "\(saved)")
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            let bytes = try Data(contentsOf: URL(filePath: file))
            // The file in a pipe is the same, but for its time.
            let piped = try await programs.lightctl("backup", "-")
            #expect(piped.status == 0 && abs(piped.output.utf8.count - bytes.count) < 8)
            // No secret of the database is in it.
            for secret in try await Self.secrets(in: programs.place.state + "/lightd.sqlite") {
                #expect(bytes.range(of: Data(secret.utf8)) == nil)
            }

            #expect(try await programs.lightctl("curve", "remove", "study").status == 0)
            #expect(try await programs.lightctl("dashboard", "pin", "sofa").status == 0)
            let dry = try await programs.lightctl("restore", "--dry-run", file)
            #expect(dry.status == 0 && dry.output.contains("1 curve") && dry.output.contains("1 pin"), "\(dry)")
            let before: StatusBody = try await Self.json(programs, "status")
            // Whoever comes while lightd begins anew waits.
            async let others = programs.shell.run(
                "while ! [ -e restored ]; do $lightctl list >list 2>&1 || { cat list; exit 1; }; done")
            let restored = try await programs.lightctl("--json", "restore", file)
            try Data().write(to: URL(filePath: programs.place.path + "/restored"))
            let end = try await others
            #expect(end.status == 0, "\(end)")
            #expect(restored.status == 0, "\(restored)")
            let body = try JSONDecoder().decode(BackupBody.self, from: Data(restored.output.utf8))
            #expect(body.contents.bridges.count == 1 && body.contents.curves == 1 && body.contents.pins == 1)
            #expect(body.replaced.curves == 0 && body.replaced.pins == 2)
            #expect(body.withoutKey == [] && body.unpaired == [] && !body.keys)

            // lightd is back already, in the same process, and reaches its bridge with the key that it had.
            let after: StatusBody = try await Self.json(programs, "status")
            #expect(after.started != before.started && after.restored == StatusBody.Restored())
            let pins: [PinBody] = try await Self.json(programs, "dashboard")
            #expect(pins.map(\.name) == ["Desk"])
            #expect(try await programs.lightctl("curve", "show", "study").status == 0)
            try await until("the bridge is connected") {
                try await (Self.json(programs, "status") as StatusBody).bridges.allSatisfy(\.connected)
            }
            #expect(try await programs.lightctl("on", "desk", "--wait").status == 0)
            #expect(try await programs.lightctl("token", "list").output.hasPrefix("panel\t"))
        }
    }

    @Test func `with keys a backup makes another lightd the same, and without them it names what must be paired`()
        async throws
    {
        try await ProgramsFixture.running { programs in
            #expect(try await programs.lightctl("pair").status == 0)
            #expect(try await programs.lightctl("--quiet", "token", "create", "panel").status == 0)
            #expect(
                try await programs.shell.run("$lightctl backup whole --with-keys && $lightctl backup rest").status == 0)
            try await withTemporaryDirectory { place in
                let other = try await Daemon(in: place)
                defer { other.program.signal(SIGKILL) }
                let rest = try await other.ctl("restore", programs.place.path + "/rest")
                #expect(rest.status == 0 && rest.errors.contains("must be paired again"), "\(rest)")
                #expect(try await other.ctl("list", "bridges").output == "")
                let whole = try await other.ctl("restore", programs.place.path + "/whole")
                #expect(whole.status == 0 && whole.errors == "", "\(whole)")
                #expect(try await other.ctl("token", "list").output.hasPrefix("panel\t"))
                try await until("the bridge is connected") {
                    try await other.ctl("--json", "list", "bridges").output.contains(#""connected":true"#)
                }
                other.program.signal(SIGTERM)
                #expect(try await other.program.end().status == 0)
            }
        }
    }

    @Test func `what is not a backup is refused and changes nothing`() async throws {
        try await withTemporaryDirectory { place in
            let lightd = try await Daemon(in: place)
            defer { lightd.program.signal(SIGKILL) }
            let shell = Shell(path: place.path, socket: place.socket)
            #expect(try await shell.run("$lightctl backup good").status == 0)
            let good = try String(contentsOf: URL(filePath: place.path + "/good"), encoding: .utf8)
            for (text, status, words) in [
                (good.replacingOccurrences(of: "scene", with: "scone"), 6, "is damaged or not complete"),
                (String(good.dropLast(20)), 6, "is damaged or not complete"),
                (
                    good.replacingOccurrences(of: "lightd-backup 1", with: "lightd-backup 2"), 6,
                    "not known to this lightd"
                ),
                ("shopping list", 6, "neither a backup nor a snapshot"), ("", 6, "is empty; it must be a backup"),
                ("{}", 64, "is not a list of lights"),
            ] {
                try shell.write(text, to: "bad")
                let end = try await shell.run("$lightctl restore bad")
                #expect(end.status == status && end.errors.contains(words), "\(end)")
            }
            for (arguments, status) in [
                ("restore good --wait", 64), ("restore good --over 2s", 64), ("restore missing", 64),
                ("backup", 64), ("backup .", 1), ("backup missing/file", 1), ("backup /dev/null", 1),
            ] {
                let end = try await shell.run("$lightctl \(arguments)")
                #expect(end.status == status, "\(arguments): \(end)")
            }
            #expect(try await shell.run("test -c /dev/null && $lightctl status").output.contains("restored") == false)
            #expect(!lightd.program.errors.contains("a backup was restored"))
            lightd.program.signal(SIGTERM)
            #expect(try await lightd.program.end().status == 0)
            #expect(try await shell.run("$lightctl backup good").status == 3)
            #expect(try await shell.run("$lightctl restore good").status == 3)
        }
    }

    @Test func `a lightd that has lost its bridges replaces no backup`() async throws {
        try await withTemporaryDirectory { place in
            let lightd = try await Daemon(in: place)
            defer { lightd.program.signal(SIGKILL) }
            let shell = Shell(path: place.path, socket: place.socket)
            try shell.write("the last good backup", to: "night.backup")
            let end = try await shell.run("$lightctl backup --with-keys night.backup")
            #expect(end.status == 1 && end.errors.contains("'night.backup' is not replaced"), "\(end)")
            #expect(
                try await shell.run("cat night.backup; ls").output == "the last good backup"
                    + "night.backup\ns\nstate\n")
            // Nothing is lost with a file that is new or empty.
            let others = "touch empty && $lightctl backup empty && $lightctl backup new && test -s empty && test -s new"
            #expect(try await shell.run(others).status == 0)
        }
    }

    /// Where lightd is killed.
    enum Moment: CaseIterable { case sent, kept, begun, done }

    @Test(arguments: Moment.allCases)
    func `killed while it restores, lightd has the old state or the new one, never some of both`(moment: Moment)
        async throws
    {
        try await withTemporaryDirectory { place in
            var lightd = try await Daemon(in: place)
            let file = place.path + "/backup"
            try await lightd.make("new")
            #expect(try await lightd.ctl("backup", "--with-keys", file).status == 0)
            #expect(try await lightd.ctl("token", "revoke", "new").status == 0)
            #expect(try await lightd.ctl("curve", "remove", "new").status == 0)
            try await lightd.make("old")

            let restore = try Program(.lightctl, ["--socket", place.socket, "--timeout", "20", "restore", file])
            defer { restore.signal(SIGKILL) }
            let staged = place.path + "/state/lightd.sqlite.restore"
            let before = place.path + "/state/lightd.sqlite.before-restore"
            func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
            switch moment {
            case .sent: break
            case .kept: try await until("the backup is kept") { exists(staged) || exists(before) }
            case .begun: try await until("the old state is kept") { exists(before) }
            case .done: try await until("it is done") { lightd.program.errors.contains("a backup was restored") }
            }
            // lightctl would send again to the next lightd what this one has left unread.
            restore.signal(SIGKILL)
            _ = try await restore.end()
            lightd.program.signal(SIGKILL)
            _ = try await lightd.program.end()
            lightd = try await Daemon(in: place)
            let tokens = try await lightd.ctl("token", "list").output.split(separator: "\n").map {
                $0.prefix { $0 != "\t" }
            }
            let curves = try await lightd.ctl("curve", "show").output
            #expect(tokens == ["old"] || tokens == ["new"])
            for name in ["old", "new"] {
                #expect(curves.contains("\(name)\t") == (tokens == [Substring(name)]), "\(curves)")
            }
            // Once the backup is kept it is the new one.
            if moment != .sent { #expect(tokens == ["new"]) }
            #expect(!exists(staged))
            lightd.program.signal(SIGKILL)
            _ = try await lightd.program.end()
        }
    }

    @Test func `a damaged database does not keep lightd from starting, and both status and doctor name it`()
        async throws
    {
        try await withTemporaryDirectory { place in
            var lightd = try await Daemon(in: place)
            try await lightd.make("panel")
            let file = place.path + "/backup"
            #expect(try await lightd.ctl("backup", "--with-keys", file).status == 0)
            lightd.program.signal(SIGTERM)
            _ = try await lightd.program.end()
            try Data(String(repeating: "shopping list\n", count: 999).utf8).write(
                to: URL(filePath: place.path + "/state/lightd.sqlite"))
            lightd = try await Daemon(in: place)
            #expect(lightd.program.errors.components(separatedBy: " error ").count == 2, "\(lightd.program.errors)")
            #expect(try await lightd.ctl("status").output.contains("warning\ta damaged database was set aside as"))
            #expect(try await lightd.ctl("doctor").output.contains("lightd.sqlite.damaged-"))
            #expect(try await lightd.ctl("restore", file).status == 0)
            #expect(try await lightd.ctl("token", "list").output.hasPrefix("panel\t"))
            lightd.program.signal(SIGTERM)
            #expect(try await lightd.program.end().status == 0)
        }
    }

    /// A restore replaces the state, not the configuration, which only a reload or a start reads.
    @Test func `a restore goes on with the token that lightd has read, whatever has become of its file`() async throws {
        try await withTemporaryDirectory { place in
            let token = try place.write("token", "0123456789abcdef\n", mode: 0o600)
            let lightd = try await Daemon(
                in: place,
                environment: [
                    "LIGHTD_TCP_ENABLED": "true", "LIGHTD_TCP_PORT": "0", "LIGHTD_TCP_TOKEN_FILE": token,
                ])
            let file = place.path + "/backup"
            #expect(try await lightd.ctl("backup", file).status == 0)
            try FileManager.default.moveItem(atPath: token, toPath: token + ".away")
            #expect(try await lightd.ctl("restore", file).status == 0)
            var ports: [String] = []
            try await until("lightd listens on TCP again") {
                ports = lightd.program.errors.matches(of: /listens on TCP port=([0-9]+)\n/).map { String($0.1) }
                return ports.count == 2
            }
            let url = "http://127.0.0.1:\(ports[1])"
            #expect(try await lightd.ctl("--url", url, "--token-file", token + ".away", "status").status == 0)
            #expect(try await lightd.ctl("doctor").output.contains("\(token): cannot read the token file"))
            lightd.program.signal(SIGTERM)
            #expect(try await lightd.program.end().status == 0)
        }
    }

    /// A lightd without a bridge.
    private struct Daemon {
        let program: Program
        let socket: String

        init(in place: TemporaryDirectory, environment: [String: String] = [:]) async throws {
            let own = ["HOME": place.path, "LIGHTD_DISCOVERY_MDNS": "false"]
            let program = try Program(
                .lightd, ["--socket", place.socket, "--state-dir", place.path + "/state"],
                environment: own.merging(environment) { $1 })
            (self.program, socket) = (program, place.socket)
            try await until("lightd is ready") {
                guard program.isRunning else { throw TestError("lightd has ended: \(program.errors)") }
                return program.errors.contains(" ready ")
            }
        }

        func ctl(_ arguments: String...) async throws -> Program.End { try await ctl(arguments) }

        func ctl(_ arguments: [String]) async throws -> Program.End {
            let endpoint = arguments.contains("--url") ? [] : ["--socket", socket]
            let program = try Program(.lightctl, endpoint + arguments)
            defer { program.signal(SIGKILL) }
            return try await program.end()
        }

        /// Things of this name in two tables.
        func make(_ name: String) async throws {
            #expect(try await ctl("--quiet", "token", "create", name).status == 0)
            #expect(try await ctl(["curve", "set", name] + BackupProgramTests.curve).status == 0)
        }
    }

    private static func json<Body: Decodable>(_ programs: ProgramsFixture, _ arguments: String...) async throws -> Body
    {
        let end = try await programs.lightctl(["--json"] + arguments)
        return try JSONDecoder().decode(Body.self, from: Data(end.output.utf8))
    }

    /// The keys of the bridges and the tokens' digests.
    private static func secrets(in database: String) async throws -> [String] {
        let script = """
            import sqlite3, sys
            db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
            rows = list(db.execute("SELECT key, clientKey FROM bridge")) + list(db.execute("SELECT digest FROM token"))
            print("\\n".join(value for row in rows for value in row if value))
            """
        let end = try await Program(.at("/usr/bin/python3"), ["-c", script, database]).end()
        let secrets = end.output.split(separator: "\n").map(String.init)
        #expect(secrets.count >= 2, "\(end)")
        return secrets
    }
}
