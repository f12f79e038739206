import ControlSurface
import Curl
import Foundation
import TestSupport
import Testing

/// Prometheus as Debian has it: its `promtool` reads what lightd answers and what `Config` holds for it, and it scrapes a
/// home itself.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Prometheus.canBeUsed, "it takes Debian's package 'prometheus'"))
struct MonitoringTests {
    // MARK: - The files of Config

    @Test func `promtool takes the alerts, and each fires when it should`() async throws {
        for arguments in [
            ["check", "rules", Repository.file("Config/prometheus-lightd-alerts.yml")],
            ["test", "rules", Repository.file("Tests/Monitoring/alerts.test.yml")],
        ] {
            let end = try await Program.run(Prometheus.tool, arguments)
            #expect(end.status == 0, "\(end)")
        }
        // None without a test of its own.
        let rules = try Repository.text("Config/prometheus-lightd-alerts.yml")
        let tests = try Repository.text("Tests/Monitoring/alerts.test.yml")
        let names = rules.matches(of: /alert: (\w+)/).map(\.1)
        #expect(names.count == 7)
        for name in names { #expect(tests.contains("alertname: \(name)\n"), "\(name)") }
    }

    @Test func `dashboard and alerts name only metrics and labels that lightd has`() throws {
        let families = MetricFamily.allCases
        let histograms = families.filter { if case .histogram = $0.kind { true } else { false } }
        let names = Set(families.map(\.rawValue)).union(histograms.map { $0.rawValue + "_bucket" })
        let alerts = try Repository.text("Config/prometheus-lightd-alerts.yml")
            .split(separator: "\n").filter { !$0.contains("alert") && !$0.hasPrefix("#") && !$0.contains(": \"") }
            .joined(separator: "\n")
        var used: Set<String> = []
        for text in try Dashboard().expressions + [alerts] {
            let found = text.matches(of: /(lightd|process)_[a-z_]+/).map { String($0.0) }
            for name in found { #expect(names.contains(name), "\(name) in \(text)") }
            used.formUnion(found)
        }
        #expect(used.count > 30)
    }

    @Test func `promtool parses every expression of the dashboard`() async throws {
        let dashboard = try Dashboard()
        #expect(dashboard.expressions.count > 30)
        try await withTemporaryDirectory { place in
            let rules = dashboard.expressions.enumerated().map { ["record": "panel_\($0)", "expr": $1] }
            let groups = ["groups": [["name": "dashboard", "rules": rules] as [String: Any]]]
            // YAML is a superset of JSON.
            let json = String(decoding: try JSONSerialization.data(withJSONObject: groups), as: UTF8.self)
            let end = try await Program.run(Prometheus.tool, ["check", "rules", try place.write("rules.yml", json)])
            #expect(end.status == 0, "\(end)")
        }
    }

    @Test func `panels do not overlap, and each has a title and a number of its own`() throws {
        let panels = try Dashboard().panels
        #expect(Set(panels.map(\.id)).count == panels.count && panels.allSatisfy { !$0.title.isEmpty })
        var taken: Set<[Int]> = []
        for panel in panels {
            let place = panel.gridPos
            #expect(place.x + place.w <= 24)
            for x in place.x..<place.x + place.w {
                for y in place.y..<place.y + place.h { #expect(taken.insert([x, y]).inserted, "\(panel.title)") }
            }
        }
    }

    // MARK: - A home

    @Test func `promtool finds nothing to say of an answer, and no scrape asks anything of the bridge`() async throws {
        try await ProgramsFixture.running(home: Self.home) { programs in
            #expect(try await programs.lightctl("pair").status == 0)
            #expect(try await programs.lightctl("on", "all", "--wait").status == 0)
            let end = try await programs.shell.run(
                "\(Self.curl) --unix-socket \(programs.place.socket) http://lightd/metrics >metrics && \(Prometheus.toolPath) check metrics <metrics"
            )
            #expect(end.status == 0 && end.output.isEmpty && end.errors.isEmpty, "\(end)")
            func requests(_ method: HTTPRequest.Method) async throws -> String {
                let url = "http://\(programs.bridge.host):\(programs.bridge.controlPort)/requests"
                return String(decoding: try await programs.http.send(HTTPRequest(method, url)).body, as: UTF8.self)
            }
            // lightd looks after the bridge every half a minute: in one of these moments it does not.
            try await until("fifty scrapes ask nothing") {
                _ = try await requests(.delete)
                let scrapes = try await programs.shell.run(
                    "for i in $(seq 50); do echo url=http://lightd/metrics; echo output=metrics; done >all && "
                        + "\(Self.curl) --unix-socket \(programs.place.socket) -K all")
                #expect(scrapes.status == 0, "\(scrapes)")
                return try await !requests(.get).contains("\"path\"")
            }
            let read = try MetricsReader(String(contentsOfFile: programs.place.path + "/metrics", encoding: .utf8))
            #expect(read["lightd_light_on"].map(\.value) == [1, 1])
        }
    }

    @Test
    func `Prometheus scrapes over TLS with a token that may look, and every panel of the dashboard has its figures`()
        async throws
    {
        let place = try TemporaryDirectory()
        defer { place.remove() }
        let files = try await CertificateFiles(in: place)
        try await files.issue("lights", days: 7)
        let broker = BrokerProcess(at: place)
        try await broker.start()
        defer { broker.kill() }
        let configuration = """
            mqtt: {broker: mqtt://\(broker.host)}
            tcp: {enabled: true, port: 0, tls: {certificate: \(files.path("lights.pem")), key: \(files.path("lights.key"))}}

            """
        try await ProgramsFixture.running(home: Self.home, configuration: configuration) { programs in
            try await programs.live()
            try await until("lightd listens on TCP") { programs.lightd.errors.contains("listens on TCP") }
            let port = programs.lightd.errors.firstMatch(of: /listens on TCP port=([0-9]+)/).map { String($0.1) }
            let token = try await programs.lightctl(
                "--quiet", "token", "create", "prometheus", "--role", "look", "--output", place.path + "/token")
            #expect(token.status == 0, "\(token)")
            let prometheus = try await Prometheus(
                at: place, scraping: try #require(port), rules: Repository.file("Config/prometheus-lightd-alerts.yml"))
            defer { prometheus.program.signal(SIGKILL) }
            try await until("it has scraped") { try await prometheus.count("up == 1") == 1 }
            #expect(try await programs.lightctl("automation", "run", "Evening").status == 0)
            // What a home without trouble has nothing of.
            let calm = ["Not heard"]
            for panel in try Dashboard().panels {
                for expression in panel.expressions {
                    var found = 0
                    try await until("Prometheus has something for '\(panel.title)': \(expression)") {
                        found = try await prometheus.count(expression)
                        return found > 0 || calm.contains(panel.title)
                    }
                }
            }
            #expect(
                try await prometheus.count("lightd_light_on * on (light) group_left (name, room) lightd_light_info")
                    == 2)
            // It has taken all of it, each time, in the format that it prefers.
            #expect(try await prometheus.count("min_over_time(up[1h]) == 1 and scrape_samples_scraped > 100") == 1)
            let before = try await prometheus.value(Self.commands)
            #expect(try await programs.lightctl("toggle", "desk", "--wait").status == 0)
            try await until("the command is counted") { try await prometheus.value(Self.commands) == before + 1 }
            // Its certificate has only a week.
            let rules = try await prometheus.ask("rules?type=alert")
            #expect(rules.contains("LightdCertificateEnding") && !rules.contains(#""health":"err""#), "\(rules)")
            try await until("an alert waits for its hour") {
                try await prometheus.ask("alerts").contains("LightdCertificateEnding")
            }
        }
    }

    private static let commands = #"lightd_commands_total{source="api",result="succeeded"}"#
    private static let curl = "/usr/bin/curl -sSf"
    private static let home = """
        rooms:
          - name: Living
            lights: [{ name: Desk, kind: color, mirek: 250 }, { name: Fan, kind: plug }]
            accessories: [{ name: Hall, kind: motion }, { name: Door, kind: contact }]
        """
}

extension ProgramsFixture {
    /// Something of everything that is counted.
    fileprivate func live() async throws {
        for words in [["pair"], ["on", "all", "--wait"], ["set", "desk", "--temperature", "2700K", "--wait"]] {
            let done = try await lightctl(words)
            #expect(done.status == 0, "\(done)")
        }
        let file = try place.write(
            "home-automations.yaml",
            "automations: [{name: Evening, do: [turn on fan]}, {name: Night, do: [turn off all], enabled: false}]\n")
        #expect(try await lightctl("automation", "apply", file).status == 0)
        // More than the lamps were asked for.
        while try await lightctl("undo").status == 0 {}
        #expect(try await lightctl("on", "all", "--wait").status == 0)
        try await tell("sensors/Hall/motion")
    }
}

/// Debian's Prometheus, which scrapes one lightd each second.
private struct Prometheus: Sendable {
    static let toolPath = "/usr/bin/promtool"
    static let tool = Program.Name.at(toolPath)
    private static let server = "/usr/bin/prometheus"

    /// In .ci/run nothing is skipped.
    static let canBeUsed =
        ProcessInfo.processInfo.environment["LIGHTD_TEST_SKIP"] == "none"
        || [toolPath, server].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }

    let program: Program
    private let address: String
    private let http = HTTPClient()

    /// Starts it, and waits until it answers. The scrape configuration is that of docs/operations.md.
    init(at place: TemporaryDirectory, scraping port: String, rules: String) async throws {
        address = "\(Loopback.next()):9090"
        let documented = try Repository.text("docs/operations.md")
        let block = try #require(documented.firstMatch(of: /```yaml\n(scrape_configs:\n(?s:.*?))```/)).1
        let scraping = String(block)
            .replacing("/etc/prometheus/lightd.token", with: place.path + "/token")
            .replacing("/etc/prometheus/lightd-root.pem", with: place.path + "/root.pem")
            .replacing("lights.home:8377", with: "localhost:\(port)").replacing("15s", with: "1s")
        let configuration = try place.write(
            "prometheus.yml", "global: {evaluation_interval: 1s}\nrule_files: [\(rules)]\n\(scraping)")
        let checked = try await Program.run(Self.tool, ["check", "config", configuration])
        #expect(checked.status == 0, "\(checked)")
        program = try Program(
            .at(Self.server),
            [
                "--config.file", configuration, "--storage.tsdb.path", place.path + "/tsdb",
                "--web.listen-address", address,
            ])
        let (program, address, http) = (program, address, http)
        try await until("Prometheus answers") {
            guard program.isRunning else { throw TestError(program.errors) }
            return (try? await http.send(HTTPRequest(.get, "http://\(address)/-/ready")))?.status == 200
        }
    }

    func ask(_ path: String) async throws -> String {
        let answer = try await http.send(HTTPRequest(.get, "http://\(address)/api/v1/\(path)"))
        let text = String(decoding: answer.body, as: UTF8.self)
        guard answer.status == 200 else { throw TestError("\(path): \(text)") }
        return text
    }

    private struct Answer: Decodable {
        struct Series: Decodable {
            let value: [Value]
        }
        enum Value: Decodable {
            case number(Double), text(String)

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                self =
                    try (try? container.decode(Double.self)).map { .number($0) } ?? .text(container.decode(String.self))
            }
        }
        struct Body: Decodable {
            let result: [Series]
        }
        let data: Body
    }

    private func query(_ expression: String) async throws -> [Answer.Series] {
        let encoded = expression.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let text = try await ask("query?query=\(encoded)")
        return try JSONDecoder().decode(Answer.self, from: Data(text.utf8)).data.result
    }

    /// How many series an expression gives.
    func count(_ expression: String) async throws -> Int { try await query(expression).count }

    func value(_ expression: String) async throws -> Double {
        guard case let .text(value)? = try await query(expression).first?.value.last, let number = Double(value) else {
            throw TestError("nothing for \(expression)")
        }
        return number
    }
}

/// Config/grafana-lightd.json, as far as it matters here.
private struct Dashboard: Decodable {
    struct Panel: Decodable {
        struct Place: Decodable {
            let x, y, w, h: Int
        }
        struct Target: Decodable {
            let expr: String
        }
        let id: Int
        let title: String
        let gridPos: Place
        let targets: [Target]?

        /// With what Grafana puts in the place of its variables.
        var expressions: [String] {
            (targets ?? []).map {
                $0.expr.replacing("$__rate_interval", with: "1h").replacing("$instance", with: ".*")
            }
        }
    }

    let panels: [Panel]

    init() throws {
        let text = try Repository.text("Config/grafana-lightd.json")
        self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
    }

    var expressions: [String] { panels.flatMap(\.expressions) }
}
