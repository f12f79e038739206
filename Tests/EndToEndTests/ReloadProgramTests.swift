import Curl
import Foundation
import TestSupport
import Testing

/// SIGHUP and the real program.
@Suite(.timeLimit(.minutes(5)))
struct ReloadProgramTests {
    @Test func `other limits change neither the bridge's connection nor the streams of clients`() async throws {
        try await ProgramsFixture.running(configuration: "limits: {lights_per_second: 10}\n") { programs in
            try await programs.pairAndWait()
            let bridges = try await programs.lightctl("list", "bridges", "--json").output
            let watch = try programs.start("watch", "--json")
            defer { watch.signal(SIGKILL) }
            try await until("the stream is open") { watch.errors.contains("watching") }

            try await programs.reload(
                """
                limits: {lights_per_second: 20}
                log_level: debug
                home: {latitude: 52.5, longitude: 13.4, time_zone: Asia/Tokyo}
                """)
            try await programs.logs("limits.lights_per_second 10 → 20, log_level info → debug")
            #expect(try await programs.setting("limits.lights_per_second") == "20")
            let sun = try await programs.lightctl("sun", "--json")
            #expect(sun.output.contains("Tokyo"), "\(sun)")

            let events = watch.lines.count
            #expect(try await programs.lightctl("toggle", "Desk", "--wait").status == 0)
            try await until("the stream tells of it") { watch.lines.count > events }
            #expect(!watch.errors.contains("reconnecting"))
            #expect(try await programs.lightctl("list", "bridges", "--json").output == bridges)

            try await programs.reload(nil)
            try await programs.logs("configuration unchanged")
        }
    }

    @Test func `a wrong file is refused with its line, and the old one stays`() async throws {
        try await ProgramsFixture.running(configuration: "polling: {interval: 7s}\n") { programs in
            try await programs.reload("polling:\n  interval: often\n")
            try await programs.logs("lightd.yaml:2: 'polling.interval' is 'often'")
            #expect(programs.lightd.errors.contains("stays as it is"))
            #expect(try await programs.setting("polling.interval") == "7s")
            let doctor = try await programs.lightctl("doctor").output
            #expect(doctor.contains("systemctl reload lightd"), "\(doctor)")

            try await programs.reload("polling:\n  interval: 8s\nstate_dir: /elsewhere\n")
            try await programs.logs("configuration reloaded: polling.interval 7s → 8s")
            #expect(try await programs.setting("polling.interval") == "8s")
        }
    }

    @Test func `a restore goes on without TCP where that cannot be had`() async throws {
        try await ProgramsFixture.running { programs in
            let reason = "TCP is off, and is tried again every 10 s: cannot listen on 203.0.113.1"
            // An address of no machine (RFC 5737).
            try await programs.reload("tcp: {enabled: true, host: 203.0.113.1}\n")
            try await programs.logs(reason)
            let restored = try await programs.shell.run("$lightctl backup home.backup && $lightctl restore home.backup")
            #expect(restored.status == 0, "\(restored)")
            try await until("lightd says so again") {
                programs.lightd.errors.components(separatedBy: reason).count == 3
            }
            #expect(try await programs.lightctl("status").status == 0)
        }
    }

    @Test func `TCP is switched on and off, and the unix socket's streams stay`() async throws {
        try await ProgramsFixture.running { programs in
            let (http, watch) = (HTTPClient(), try programs.start("watch", "--json"))
            defer {
                http.shutdown()
                watch.signal(SIGKILL)
            }
            try await until("the stream is open") { watch.errors.contains("watching") }
            func answers(_ port: String) async -> Bool {
                let request = HTTPRequest(.get, "http://127.0.0.1:\(port)/health/live")
                return (try? await http.send(request))?.status == 200
            }
            var ports: [String] = []
            for round in 1...2 {
                try await programs.reload("tcp: {enabled: true, port: 0}\n")
                try await until("TCP is on; lightd logged \(programs.lightd.errors)") {
                    programs.tcpPorts.count == round
                }
                ports = programs.tcpPorts
                #expect(await answers(ports[round - 1]))
                try await programs.reload("tcp: {enabled: false, port: 0}\n")
                try await until("TCP is off") { await !answers(ports[round - 1]) }
            }
            #expect(try await programs.lightctl("open").status != 0)
            #expect(watch.isRunning && !watch.errors.contains("reconnecting"))
        }
    }
}

extension ProgramsFixture {
    fileprivate func pairAndWait() async throws {
        #expect(try await lightctl("pair").status == 0)
        try await until("the lights are known") { try await lightctl("list", "--json").output.contains("Desk") }
    }

    /// - Parameter yaml: the new configuration; `nil`: as it is.
    fileprivate func reload(_ yaml: String?) async throws {
        if let yaml { try place.write("lightd.yaml", yaml) }
        lightd.signal(SIGHUP)
    }

    fileprivate func logs(_ words: String) async throws {
        try await until("lightd logs '\(words)'; it logged \(lightd.errors)", within: .seconds(20)) {
            lightd.errors.contains(words)
        }
    }

    /// The value in use.
    fileprivate func setting(_ key: String) async throws -> String? {
        struct Report: Decodable { let configuration: [String: String] }
        let answer = try await http.send(HTTPRequest(.get, "http://lightd/v1/diagnosis", unixSocket: place.socket))
        return try JSONDecoder().decode(Report.self, from: Data(answer.body)).configuration[key]
    }

    /// On which it has listened, in turn.
    fileprivate var tcpPorts: [String] {
        lightd.errors.split(separator: "\n").compactMap { line in
            guard line.contains("listens on TCP port="), let port = line.split(separator: "port=").last else {
                return nil
            }
            return String(port.prefix { $0.isNumber })
        }
    }
}
