import ControlProtocol
import Foundation
import TestSupport
import Testing

/// Two homes on one broker, whose access list is the one that comes with lightd, and lightctl asking both over it.
@Suite(.timeLimit(.minutes(5)))
struct SitesProgramTests {
    @Test func `one command at many sites, each with its own answer`() async throws {
        try await Self.running { sites in
            let listed = try await sites.lightctl(as: "operator", "sites")
            #expect(listed.status == 0, "\(listed)")
            let rows = listed.output.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
            #expect(rows.map { Array($0.prefix(2)) } == [["hotel-1", "online"], ["hotel-2", "online"]])
            #expect(rows.map { $0[5] } == ["lobby", "annex"])

            let off = try await sites.lightctl(as: "operator", "--site", "hotel-*", "turn", "off", "all", "--wait")
            #expect(off.status == 0 && off.output.isEmpty, "\(off)")
            for home in sites.homes {
                let desk = try await home.light("Desk")
                #expect(desk.power == .off)
                #expect(desk.cause.by == #"mqtt as "operator with lightctl""#)
            }
            let one = try await sites.lightctl(as: "operator", "turn", "on", "desk", "--site", "tag=annex", "--wait")
            #expect(one.status == 0, "\(one)")
            #expect(try await sites.homes[0].light("Desk").power == .off)
            #expect(try await sites.homes[1].light("Desk").power == .on)

            // A column in a pipe, an object for each as JSON.
            let list = try await sites.lightctl(as: "operator", "--site", "hotel-*", "list")
            #expect(
                list.output.split(separator: "\n").allSatisfy { $0.hasPrefix("hotel-1\t") || $0.hasPrefix("hotel-2\t") }
            )
            let json = try await sites.lightctl(as: "operator", "--site", "hotel-*", "--json", "list")
            let objects = try json.output.split(separator: "\n").map {
                try JSONDecoder().decode(SiteResult.self, from: Data($0.utf8))
            }
            #expect(objects.map(\.site) == ["hotel-1", "hotel-2"] && objects.allSatisfy { $0.result?.count == 2 })

            // What none does has one exit code; what only some do has 7.
            let nobody = try await sites.lightctl(as: "operator", "--site", "hotel-*", "turn", "on", "kitchn")
            #expect(nobody.status == 4 && nobody.errors.contains("hotel-2: no light or room is called 'kitchn'"))
            #expect(try await sites.homes[0].lightctl("rename", "desk", "Table").status == 0)
            let some = try await sites.lightctl(as: "operator", "--site", "hotel-*", "turn", "on", "table", "--json")
            #expect(some.status == 7, "\(some)")
            let last = try JSONDecoder().decode(
                SiteResult.self, from: Data(some.output.split(separator: "\n")[1].utf8))
            #expect(last.exit == 4 && last.error?.code == .noSuchTarget)
            #expect(try await sites.lightctl(as: "operator", "--site", "motel-*", "list").status == 4)

            // Each site gets all that is read, and what is asked of the broker is asked once.
            let commands = try sites.place.write("commands", #"{"command":"turn","to":"on","target":"all"}"# + "\n")
            let sent = try await Program.run(
                .at("/bin/sh"),
                ["-c", "\"$0\" --site 'hotel-*' send < \"$1\"", Program.path(of: .lightctl), commands],
                environment: sites.environment(as: "operator"))
            #expect(sent.status == 0, "\(sent)")
            for home in sites.homes { #expect(try await home.light("Fan").power == .on) }
            let listed2 = try await sites.lightctl(as: "operator", "sites", "--site", "tag=annex")
            #expect(listed2.output.hasPrefix("hotel-2\tonline\t"), "\(listed2)")
            let twice = try await sites.lightctl(
                as: "operator", "--site", "hotel-*", "toggle", "fan", "--site", "hotel-1")
            #expect(twice.status == 64 && twice.errors.contains("--site is given twice"), "\(twice)")
            #expect(try await sites.lightctl(as: "operator", "--site", "hotel-9", "list").status == 4)
        }
    }

    @Test func `the broker's access list and a site's own setting bound what an operator may do`() async throws {
        try await Self.running(allowing: ["full", "look"]) { sites in
            // A site that only lets itself be looked at.
            let both = try await sites.lightctl(as: "operator", "--site", "hotel-*", "turn", "off", "desk", "--wait")
            #expect(both.status == 7 && both.errors.contains("mqtt.allow"), "\(both)")
            #expect(try await sites.homes[0].light("Desk").power == .off)
            #expect(try await sites.homes[1].light("Desk").power == .on)

            // Operators whom the broker lets do less than the site.
            let looked = try await sites.lightctl(as: "monitor", "--site", "hotel-1", "list")
            #expect(looked.status == 0 && looked.output.contains("Desk"), "\(looked)")
            #expect(try await sites.lightctl(as: "monitor", "--site", "hotel-1", "turn", "on", "desk").status == 2)
            let used = try await sites.lightctl(as: "reception", "--site", "hotel-1", "turn", "on", "desk", "--wait")
            #expect(used.status == 0, "\(used)")
            #expect(try await sites.lightctl(as: "reception", "--site", "hotel-1", "rename", "desk", "X").status == 2)
            #expect(try await sites.lightctl(as: "operator", "--site", "hotel-1", "rename", "desk", "X").status == 0)

            // Nobody reaches what is for lightd's own machine.
            #expect(try await sites.lightctl(as: "operator", "--site", "hotel-1", "token", "list").status == 2)
            #expect(try await sites.lightctl(as: "operator", "--site", "hotel-1", "watch").status == 64)

            // A site cannot ask another one, nor read what it says.
            let neighbour = sites.broker(as: "hotel-2")
            let before = try await sites.homes[0].light("X")
            try? await neighbour.publish("lightd/hotel-1/request", #"{"command":"turn","to":"off","target":"all"}"#)
            #expect(try await neighbour.kept("lightd/hotel-1/#").isEmpty)
            #expect(try await neighbour.kept("lightd/hotel-2/#").isEmpty == false)
            #expect(try await sites.homes[0].light("X") == before)

            // Home Assistant's topics are each site's own, too.
            let nodes = try await sites.broker(as: "homeassistant").kept("homeassistant/device/+/+/config").keys
            #expect(Set(nodes.map { $0.split(separator: "/")[2] }) == ["lightd_hotel-1", "lightd_hotel-2"])

            // An operator who may only look cannot pass for a site.
            let monitor = sites.broker(as: "monitor")
            try? await monitor.publish("lightd/monitor/status", "online", "-r")
            #expect(try await sites.lightctl(as: "operator", "sites").output.split(separator: "\n").count == 2)

            let stranger = try await sites.lightctl(as: "nobody", "sites")
            #expect(stranger.status == 2 && stranger.errors.contains("the broker refuses us"), "\(stranger)")
        }
    }

    @Test func `one file of automations for many sites, first looked at`() async throws {
        try await Self.running { sites in
            let file = try sites.place.write(
                "home.yaml", "automations:\n  - {name: Night, when: \"23:00\", do: [turn off all]}\n")
            #expect(
                try await sites.homes[0].lightctl("automation", "apply", file).status == 0)
            let diff = try await sites.lightctl(as: "operator", "sites", "diff", file)
            #expect(diff.status == 0, "\(diff)")
            #expect(diff.output == "hotel-1\tnothing would change: 1 automation\nhotel-2\twould add Night\n")
            #expect(
                try await sites.lightctl(as: "operator", "--site", "*", "automation", "apply", file).status == 0)
            let done = try await sites.lightctl(as: "operator", "sites", "diff", file, "--site", "hotel-2")
            #expect(done.output == "hotel-2\tnothing would change: 1 automation\n", "\(done)")
        }
    }

    @Test func `a site that is gone is said at once, and a broker that is gone, too`() async throws {
        try await Self.running { sites in
            let second = sites.homes[1]
            second.lightd.signal(SIGSTOP)
            // Its answer never comes.
            let silent = try await sites.lightctl(
                as: "operator", "--site", "hotel-*", "--timeout", "1", "turn", "off", "desk")
            #expect(silent.status == 7 && silent.errors.contains("hotel-2: "), "\(silent)")
            second.lightd.signal(SIGCONT)
            try await sites.stopSecond()
            let some = try await sites.lightctl(as: "operator", "--site", "hotel-*", "turn", "on", "desk", "--wait")
            #expect(some.status == 7 && some.errors.contains("is not connected to the broker"), "\(some)")
            #expect(try await sites.homes[0].light("Desk").power == .on)
            try await sites.stopBroker()
            let none = try await sites.lightctl(as: "operator", "sites")
            #expect(none.status == 3, "\(none)")
            // The home itself notices nothing of that.
            #expect(try await sites.homes[0].lightctl("off", "desk", "--wait").status == 0)
        }
    }

    private struct SiteResult: Decodable {
        let site: String
        let exit: Int
        let result: [LightBody]?
        let error: ErrorReply.Body?
    }

    // MARK: - Two homes

    private struct Sites: Sendable {
        let place: TemporaryDirectory
        let homes: [ProgramsFixture]
        private let owner: BrokerProcess

        init(_ place: TemporaryDirectory, _ homes: [ProgramsFixture], _ owner: BrokerProcess) {
            (self.place, self.homes, self.owner) = (place, homes, owner)
        }

        func broker(as user: String) -> BrokerProcess {
            BrokerProcess(at: place, host: owner.host, identity: ["-u", user, "-P", user])
        }

        func lightctl(as user: String, _ arguments: String...) async throws -> Program.End {
            let program = try Program(.lightctl, arguments, environment: environment(as: user))
            defer { program.signal(SIGKILL) }
            return try await program.end()
        }

        func environment(as user: String) -> [String: String] {
            [
                "LIGHTCTL_BROKER": "mqtt://\(user)@\(owner.host)", "LIGHTCTL_BROKER_PASSWORD": user,
                "XDG_RUNTIME_DIR": place.path,
            ]
        }

        func stopSecond() async throws {
            homes[1].lightd.signal(SIGTERM)
            _ = try await homes[1].lightd.end()
        }

        func stopBroker() async throws { try await owner.stop() }
    }

    private static func running(
        allowing: [String] = ["full", "full"], _ body: (Sites) async throws -> Void
    ) async throws {
        let place = try TemporaryDirectory()
        defer { place.remove() }
        let users = ["hotel-1", "hotel-2", "operator", "reception", "monitor", "homeassistant"]
        for (place_, user) in users.enumerated() {
            _ = try await Program.run(
                .at("/usr/bin/mosquitto_passwd"),
                (place_ == 0 ? ["-c"] : []) + ["-b", place.path + "/users", user, user])
        }
        let broker = BrokerProcess(at: place)
        try await broker.start(
            """
            allow_anonymous false
            password_file \(place.path)/users
            acl_file \(Repository.file("Config/mosquitto-sites.acl"))
            """)
        defer { broker.kill() }
        func configuration(_ number: Int, _ tag: String) throws -> String {
            let file = try place.write("password-\(number)", "hotel-\(number)\n", mode: 0o600)
            return """
                mqtt:
                  broker: mqtt://\(broker.host)
                  site: hotel-\(number)
                  tags: [\(tag)]
                  user: hotel-\(number)
                  password_file: \(file)
                  allow: \(allowing[number - 1])

                """
        }
        try await ProgramsFixture.running(home: home, configuration: try configuration(1, "lobby")) { first in
            try await ProgramsFixture.running(home: home, configuration: try configuration(2, "annex")) { second in
                let sites = Sites(place, [first, second], broker)
                for home in sites.homes { #expect(try await home.lightctl("pair").status == 0) }
                try await until("both are on the broker") {
                    let kept = try await sites.broker(as: "operator").kept("lightd/+/info")
                    return kept.count == 2 && kept.values.allSatisfy { $0.contains(#""lights":2"#) }
                }
                try await body(sites)
            }
        }
    }

    private static let home = """
        rooms:
          - name: Living
            lights:
              - { name: Desk, kind: color, on: true, mirek: 250 }
              - { name: Fan, kind: plug, on: true }
        """
}
