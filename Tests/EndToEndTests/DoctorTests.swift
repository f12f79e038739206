import ControlProtocol
import Foundation
import Glibc
import LightDaemon
import SimulatedBridge
import TestSupport
import Testing

/// The checks of the daemon against a bridge over real TLS, each made to fail for real, and `lightctl doctor` as a
/// program.
@Suite(.timeLimit(.minutes(5)))
struct DoctorTests {
    private static func withPairedHome(
        adjust: @escaping @Sendable (inout Configuration) -> Void = { _ in },
        _ body: @escaping @Sendable (SimulatedBridge, ControlClient, _ path: String) async throws -> Void
    ) async throws {
        try await withFlatHome { bridge, path in
            let ready = try await bridge.ready
            let host = Configuration.Host(host: ready.host, port: ready.httpsPort)
            try await withDaemon(at: path, [host], adjust: adjust) { client in
                try await bridge.controls.withButtonPressed { try await client.post(.pair()) }
                try await body(bridge, client, path)
            }
        }
    }

    private static func checks(_ client: ControlClient) async throws -> [String: CheckBody] {
        let found = try await client.get(DiagnosisBody.self, Routes.diagnosis).checks
        return Dictionary(found.map { ($0.name, $0) }) { first, _ in first }
    }

    private static func doctor(at path: String, _ arguments: String...) async throws -> Program.End {
        try await Program.run(.lightctl, ["--socket", "\(path)/lightd.sock", "doctor"] + arguments)
    }

    @Test func `in a healthy home every check of the bridge and of the state is ok`() async throws {
        try await Self.withPairedHome { _, client, path in
            let checks = try await Self.checks(client)
            let names = [
                "configuration", "descriptors", "system clock", "mdns", "bridge", "certificate", "key", "firmware",
                "clock", "capacity", "updates",
                "state directory", "database", "journal",
            ]
            for name in names { #expect(checks[name]?.result == .ok, "\(name): \(checks[name] as Any)") }
            #expect(checks["bridge"]?.subject == "Flat" && checks["bridge"]?.exitCode == nil)

            let end = try await Self.doctor(at: path)
            #expect(end.status == 0 && end.errors.isEmpty, "\(end)")
            #expect(end.output.hasPrefix("ok\tlightd\t-\tanswers, version \(Release.version)\t-\n"), "\(end)")
            #expect(end.output.contains("\nok\tsocket\t-\t"), "\(end)")
            let json = try await Self.doctor(at: path, "--json")
            let array = try JSONDecoder().decode([CheckBody].self, from: Data(json.output.utf8))
            #expect(array.count == end.output.split(separator: "\n").count && array.allSatisfy { $0.exitCode == nil })
        }
    }

    @Test func `a bridge whose clock is wrong is a warning, which is no failure`() async throws {
        try await Self.withPairedHome { bridge, client, path in
            await bridge.controls.begin(try Fault("clock-wrong:-300"))
            let clock = try await Self.checks(client)["clock"]
            #expect(clock?.result == .warning && clock?.remedy?.contains("timedatectl") == true, "\(clock as Any)")
            #expect(clock?.text.hasSuffix(" s behind this machine's") == true, "\(clock as Any)")
            #expect(try await Self.doctor(at: path).status == 0)
        }
    }

    @Test func `a revoked key is a failure with exit code 2, and the remedy is to pair again`() async throws {
        try await Self.withPairedHome { bridge, client, path in
            await bridge.controls.revokeKeys()
            let id = try await bridge.ready.bridgeID
            let key = try await Self.checks(client)["key"]
            #expect(key?.result == .failure && key?.exitCode == 2, "\(key as Any)")
            #expect(key?.remedy?.contains("lightctl pair \(id)") == true, "\(key as Any)")
            #expect(try await Self.doctor(at: path).status == 2)
        }
    }

    @Test func `a changed certificate is a failure with exit code 2`() async throws {
        try await Self.withPairedHome { bridge, client, path in
            bridge.controls.renewCertificate()
            // The bridge listens anew, and cannot be reached for a moment.
            try await until("the bridge shows its new certificate") {
                let certificate = try await Self.checks(client)["certificate"]
                return certificate?.result == .failure && certificate?.exitCode == 2
                    && certificate?.text.contains("public key") == true
            }
            // lightd's own connection may end before it sees why.
            try await until("the doctor says so") { try await Self.doctor(at: path).status == 2 }
        }
    }

    @Test func `a bridge that is away is a failure with exit code 3`() async throws {
        try await withFlatHome { bridge, path in
            let host = Configuration.Host(host: try await bridge.ready.host, port: try await bridge.ready.httpsPort)
            try await withDaemon(at: path, [host]) { client in
                _ = try await bridge.controls.withButtonPressed { try await client.post(.pair()) }
            }
            bridge.controls.reboot(for: .seconds(3600))
            try await withDaemon(at: path, []) { client in
                try await until("the bridge is away") { try await Self.checks(client)["bridge"]?.result == .failure }
                let away = try await Self.checks(client)["bridge"]
                #expect(away?.exitCode == 3 && away?.remedy?.contains("powered") == true, "\(away as Any)")
                #expect(try await Self.doctor(at: path).status == 3)
            }
        }
    }

    @Test func `files that others can read are a failure with exit code 6 and the chmod that mends it`() async throws {
        try await Self.withPairedHome { _, client, path in
            chmod("\(path)/state/lightd.sqlite", 0o644)
            let found = try await Self.checks(client)["state directory"]
            #expect(found?.result == .failure && found?.exitCode == 6, "\(found as Any)")
            #expect(found?.remedy == "chmod 600 \(path)/state/lightd.sqlite")
            #expect(try await Self.doctor(at: path).status == 6)
        }
    }

    @Test func `a socket that everybody can use is a failure with exit code 2`() async throws {
        try await Self.withPairedHome { _, _, path in
            chmod("\(path)/lightd.sock", 0o666)
            let end = try await Self.doctor(at: path)
            #expect(
                end.status == 2 && end.output.contains("failure\tsocket\t-\tevery user may control lights"), "\(end)")
        }
    }

    @Test func `a configuration file that changed since the start is a warning, and a failure if it is wrong`()
        async throws
    {
        try await withTemporaryDirectory { place in
            let file = try place.write("lightd.yaml", "discovery: {mdns: false}\n")
            let lightd = try Program(
                .lightd, ["--config", file, "--socket", place.socket, "--state-dir", place.state])
            defer { lightd.signal(SIGKILL) }
            let client = ControlClient(socket: place.socket)
            try await until("lightd answers") { (try? await Self.checks(client)["configuration"]) ?? nil != nil }
            #expect(try await Self.checks(client)["configuration"]?.text == file)
            #expect(try await Self.checks(client)["bridges"]?.remedy?.contains("lightctl pair") == true)
            let later = Date(timeIntervalSinceNow: 60)
            try FileManager.default.setAttributes([.modificationDate: later], ofItemAtPath: file)
            #expect(try await Self.checks(client)["configuration"]?.result == .warning)
            try place.write("lightd.yaml", "discovery:\n  mdns: perhaps\n")
            try FileManager.default.setAttributes([.modificationDate: later], ofItemAtPath: file)
            let wrong = try await Self.checks(client)["configuration"]
            #expect(wrong?.exitCode == 6 && wrong?.text.contains("\(file):2: ") == true, "\(wrong as Any)")
        }
    }

    @Test(
        .enabled(
            if: ProcessInfo.processInfo.environment["LIGHTD_TEST_SMALL_DISK"] != nil,
            "needs a file system of one megabyte: run by scripts/run-tests, as 'make test' does"))
    func `a disk that is almost full is a failure`() async throws {
        let disk = try #require(ProcessInfo.processInfo.environment["LIGHTD_TEST_SMALL_DISK"])
        try await withTemporaryDirectory { place in
            let lightd = try Program(
                .lightd, ["--socket", place.socket, "--state-dir", "\(disk)/doctor"],
                environment: ["LIGHTD_DISCOVERY_MDNS": "false", "HOME": place.path])
            defer {
                lightd.signal(SIGKILL)
                try? FileManager.default.removeItem(atPath: "\(disk)/doctor")  // the disk ends with the test run
            }
            let client = ControlClient(socket: place.socket)
            try await until("lightd answers") { (try? await Self.checks(client)["disk"]) ?? nil != nil }
            let found = try await Self.checks(client)["disk"]
            #expect(found?.result == .failure && found?.exitCode == 6, "\(found as Any)")
        }
    }

    @Test func `without lightd doctor makes the checks that it can and exits with 3`() async throws {
        try await withTemporaryDirectory { place in
            let end = try await Self.doctor(at: place.path)
            let rows = end.output.split(separator: "\n").map {
                $0.split(separator: "\t").prefix(2).joined(separator: " ")
            }
            #expect(end.status == 3 && end.errors.isEmpty, "\(end)")
            #expect(rows.first == "failure lightd" && rows.last == "warning lightd's checks", "\(end)")
            #expect(end.output.hasSuffix("\t'lightd --check-config' checks the configuration\n"), "\(end)")
            #expect(rows.contains { $0.hasSuffix("mdns") } && rows.contains { $0.hasSuffix("network") }, "\(end)")
        }
    }

    @Test func `the report has everything but secrets, and never overwrites a file`() async throws {
        let token = "t0ken-\(UUID().uuidString)-\(UUID().uuidString)"
        let place = try TemporaryDirectory()
        defer { place.remove() }
        let tokenFile = try place.write("token", token + "\n", mode: 0o600)
        try await Self.withPairedHome(adjust: {
            $0.tcp.enabled = true
            $0.tcp.port = 0
            $0.tcp.tokenFile = tokenFile
            $0.discovery.cloudURL = "https://me:pa55w0rd@example.invalid/list?key=qu3ry"
        }) { bridge, client, path in
            try await client.post(.turn(to: .on, target: "all"), wait: true)
            let file = "\(place.path)/report.json"
            let end = try await Self.doctor(at: path, "--bundle", file)
            #expect(end.status == 0 && end.errors.isEmpty, "\(end)")
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600)
            let text = try String(contentsOfFile: file, encoding: .utf8)

            // Everything secret in this run: the bridge's keys and the pin as the database keeps them, the token.
            var secrets = [token, "pa55w0rd", "qu3ry", try await bridge.ready.pin]
            for name in ["lightd.sqlite", "lightd.sqlite-wal"] {
                let bytes = try Data(contentsOf: URL(filePath: "\(path)/state/\(name)"))
                let stored = String(decoding: bytes, as: UTF8.self)
                secrets += stored.matches(of: /[0-9A-Za-z\-]{40}|[0-9A-F]{32}/).map { String($0.output) }
            }
            #expect(secrets.count >= 6, "the key and the client key were found: \(secrets.count)")
            for secret in secrets { #expect(!text.contains(secret)) }

            let report = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            #expect((report["lights"] as? [Any])?.count == 5 && (report["journal"] as? [Any])?.isEmpty == false)
            let configuration = try #require(report["configuration"] as? [String: String])
            #expect(configuration["discovery.cloud_url"] == "https://example.invalid/list")
            #expect(configuration["tcp.token_file"] == tokenFile)

            let again = try await Self.doctor(at: path, "--bundle", file)
            #expect(again.status == 1 && again.errors.contains("exists already"), "\(again)")
            #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
        }
    }
}
