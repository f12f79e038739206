import ControlProtocol
import Foundation
import Lighting
import LightingTestKit
import Testing

@testable import ControlServer

@Suite struct AutomationTests {
    private static let file = """
        automations:
          - name: Evening
            when: sunset - 20m
            do: turn on desk
          - name: Night
            when: 23:00
            if: mon-fri
            do: [turn off all, wait 5m, restore Attic]
            mode: restart

        """

    @Test func `a file that was put is listed, and served as it was`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let dry = try await server.put(Self.file, to: Routes.path(Routes.automations, [(.dryRun, "true")]))
            let expected = AutomationChangesBody(
                added: ["Evening", "Night"], changed: [], removed: [], unchanged: 0,
                warnings: [
                    "2: 'sunset - 20m': set 'home.latitude' and 'home.longitude' in lightd.yaml, so that lightd knows "
                        + "the sun", "5: no light or room is called 'Attic'",
                ])
            #expect(try dry.decoded(AutomationChangesBody.self) == expected)
            #expect(try await server.get(Routes.automations, as: [AutomationBody].self).isEmpty)

            #expect(
                try await server.put(Self.file, to: Routes.automations).decoded(AutomationChangesBody.self) == expected)
            let list: [AutomationBody] = try await server.get(Routes.automations)
            #expect(list.map(\.name) == ["Evening", "Night"] && list[1].next != nil && list[1].mode == .restart)
            #expect(list[1].steps == ["turn off all", "wait 5m", "restore Attic"] && list[1].conditions == ["mon-fri"])
            let yaml = try await server.get(Routes.automations, ["Accept": "application/yaml"])
            #expect(yaml.headers["content-type"] == "application/yaml")
            let again = try await server.put(String(decoding: yaml.body, as: UTF8.self), to: Routes.automations)
            #expect(try again.decoded(AutomationChangesBody.self).unchanged == 2)
        }
    }

    @Test func `one automation is changed only if it is as it was read`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            _ = try await server.put(Self.file, to: Routes.automations)
            let path = Routes.path(Routes.automations, [(.name, "night")])
            let read = try await server.get(path, ["Accept": "application/yaml"])
            let tag = try #require(read.headers["etag"])
            let file = String(decoding: read.body, as: UTF8.self)
            #expect(file.contains("Night") && !file.contains("Evening"))
            #expect(try await server.get(path, ["Accept": "application/json"]).headers["etag"] == tag)
            func put(
                _ file: String, to path: String = path, _ headers: [String: String]
            ) async throws -> ClientFixture.Answer {
                try await ClientFixture.ask(
                    server.address, "PUT", path, headers.merging(["Content-Type": "application/yaml"]) { $1 },
                    body: file)
            }
            let late = file.replacing("23:00", with: "23:45")
            #expect(try await put(late, ["If-Match": tag]).status == 200)
            #expect(try await put(file, ["If-Match": tag]).error.code == .changedSince)
            #expect(try await put(late, to: Routes.automations, ["If-None-Match": "*"]).error.code == .nameTaken)
            let other = late.replacing("Night", with: "Other")
            #expect(try await put(other, to: Routes.automations, ["If-None-Match": "*"]).status == 200)
            #expect(try await put(other, ["If-Match": "*"]).error.code == .nameTaken)
            #expect(try await put(late, to: Routes.automations, ["If-Match": tag]).error.code == .invalid)
            #expect(try await put(late, ["If-None-Match": "*"]).error.code == .invalid)
            let list: [AutomationBody] = try await server.get(Routes.automations)
            #expect(list.map(\.name) == ["Evening", "Night", "Other"] && list[1].when == ["23:45"])
            #expect(try await server.get(Routes.path(Routes.automations, [(.name, "x")]), [:]).status == 404)
        }
    }

    @Test func `a form is worded as its reader speaks`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            for (language, title) in [("en", "Wake-up"), ("de-DE,de;q=0.9", "Wecklicht")] {
                let answer = try await ClientFixture.ask(
                    server.address, "POST", Routes.forms, ["Accept-Language": language], body: #"{"kind":"wake_up"}"#)
                #expect(try answer.decoded(AutomationFormBody.self).title == title)
                let kinds = try await server.get(Routes.forms, ["Accept-Language": language])
                #expect(try kinds.decoded([AutomationFormKind].self).first?.title == title)
            }
            for body in ["", "{", #"{"kind":"x"}"#, "{}", #"{"kind":"off","kind":"off"}"#, #"{"automation":7}"#] {
                let answer = try await ClientFixture.ask(server.address, "POST", Routes.forms, body: body)
                #expect(answer.status == 400, "\(body)")
            }
        }
    }

    @Test func `a file with mistakes is refused with their places, and changes nothing`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let answer = try await server.put(
                "automations:\n  - name: A\n    do: [tun on desk, on a b --x]", to: Routes.automations)
            #expect(answer.status == 400)
            let error = try answer.error
            #expect(error.code == .wrongFile && error.message == "the file has 2 mistakes; nothing was changed")
            #expect(error.parts?.map(\.target) == ["3:10", "3:30"])
            #expect(try await server.put("{", to: Routes.path(Routes.automations, [(.dryRun, "maybe")])).status == 400)
        }
    }

    @Test func `a file is lived through, and nothing changes`() async throws {
        let stack = HomeFixture.stack
        try await ServerFixture.run(in: HomeFixture.state, stack: stack) { server in
            func simulate(_ file: String, _ query: [(Routes.Query, String)] = []) async throws -> ClientFixture.Answer {
                try await ClientFixture.ask(
                    server.address, "POST", Routes.path(Routes.simulation, query), ["Content-Type": "application/yaml"],
                    body: file)
            }
            let requests = stack.requests.count
            let file = """
                automations:
                  - name: Night
                    when: 23:00
                    do: [turn off all, wait 5m, turn on desk]
                  - name: Dark
                    when: lux Hall < 12
                    if: not all on
                    do: turn on desk

                """
            let body = try await simulate(file).decoded(AutomationSimulationBody.self)
            #expect(body.runs.map(\.automation) == Array(repeating: "Night", count: 7))
            let run = try #require(body.runs.first)
            #expect(run.at == "23:00" && run.reason == "23:00" && run.error == nil)
            #expect(run.commands.map(\.at) == ["23:00", "23:05"])
            #expect(run.commands.map(\.text) == ["turn all off", "turn Desk on"], "\(run.commands)")
            #expect(body.warnings.contains { $0.hasPrefix("5: 'lux Hall < 12'") }, "\(body.warnings)")
            #expect(
                body.warnings.contains(
                    "5: 'not all on' holds if no light is on, as 'all off' does; 'not all off' holds if any is"),
                "\(body.warnings)")
            #expect(body.notes == ["the journal tells nothing of that time"])
            #expect(try await server.get(Routes.automations, as: [AutomationBody].self).isEmpty)
            #expect(stack.requests.count == requests)

            let wrong = try await simulate("automations:\n  - name: A\n    do: tun on desk").error
            #expect(wrong.code == .wrongFile && wrong.parts?.map(\.target) == ["3:9"])
            #expect(wrong.message == "the file has 1 mistake; nothing was simulated")
            for query in [
                [(Routes.Query.since, "yesterday")], [(.since, "2099-01-01T00:00:00Z")],
                [(.since, "1999-01-01T00:00:00Z")],
            ] {
                #expect(try await simulate(file, query).error.code == .invalid, "\(query)")
            }
        }
    }

    @Test func `commands switch, run and remove automations, and make timers`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            _ = try await server.put(Self.file, to: Routes.automations)
            #expect(try await server.send(.disableAutomation(automation: "night")).automation?.enabled == false)
            #expect(try await server.get(Routes.automations, as: [AutomationBody].self)[1].next == nil)
            #expect(try await server.send(.enableAutomation(automation: "NIGHT")).automation?.enabled == true)
            #expect(try await server.send(.runAutomation(automation: "Evening")).automation?.runs.count == 1)
            #expect(try await server.send(.removeAutomation(automation: "Evening")).automation == nil)
            #expect(try await server.get(Routes.automations, as: [AutomationBody].self).map(\.name) == ["Night"])
            let timer = try await server.send(.schedule(steps: ["turn off desk stove"], after: 3600)).automation
            #expect(timer?.name == "timer 1" && timer?.steps == ["turn off desk", "turn off stove"])
            let at = try await server.send(.schedule(steps: ["undo"], at: "22:30")).automation
            #expect(at?.name == "timer 2" && at?.when == ["22:30"] && at?.next != nil)
            #expect(try await server.get(Routes.timers, as: [AutomationBody].self).count == 2)
            _ = try await server.send(.cancelTimer(timer: "1"))
            #expect(try await server.get(Routes.timers, as: [AutomationBody].self).map(\.name) == ["timer 2"])
        }
    }

    @Test(arguments: [
        (Command.runAutomation(automation: "evning"), ErrorCode.noSuchTarget, "there is no automation 'evning'"),
        (.cancelTimer(timer: "3"), .noSuchTarget, "there is no timer '3'"),
        (.schedule(steps: []), .invalid, "'do' is empty"),
        (
            .schedule(steps: ["trn on desk"]), .invalid,
            "'trn on desk', at character 1: unknown command 'trn'; did you mean 'turn'?"
        ),
        (
            .schedule(steps: ["undo"], at: "25:00"), .invalid,
            "'at' is '25:00': expected a time from 00:00 to 23:59 at character 1"
        ),
        (.schedule(steps: ["undo"], at: "sunset - 20m"), .invalid, "'sunset - 20m' never comes"),
        (
            .schedule(steps: ["undo"], at: "every 30m"), .invalid,
            "'every 30m' comes more than once, and a timer runs once"
        ),
        (.schedule(steps: ["undo"], at: "2020-01-01T10:00"), .invalid, "'2020-01-01T10:00' is past"),
        (.schedule(steps: ["turn on attic"], after: 60), .noSuchTarget, "no light or room is called 'attic'"),
        (.schedule(steps: ["undo"], at: "noon", after: 1), .invalid, "'schedule' takes 'at' or 'after', not both"),
    ])
    func `a wrong command says why`(command: Command, code: ErrorCode, message: String) async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let answer = try await server.post(String(decoding: JSONEncoder().encode(command), as: UTF8.self))
            let error = try answer.error
            #expect(error.code == code && error.message == message, "\(error)")
        }
    }

    @Test func `a timer's moment is in the home's time, and is on its day only`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, time: HomeTime(zone: .fixed(20_700))) { server in
            let timer = try await server.send(.schedule(steps: ["undo"], at: "2099-12-24T17:30")).automation
            #expect(timer?.next == "2099-12-24T17:30:00.000+05:45")
            _ = try await server.send(.schedule(steps: ["redo"], at: "22:30"))
            for (date, runs) in [("2099-12-24", ["17:30"]), ("2098-12-24", []), ("2030-01-01", [])] {
                let day: AutomationPreviewBody = try await server.get(Routes.path(Routes.preview, [(.date, date)]))
                #expect(day.runs.map(\.at) == runs)
            }
        }
    }

    @Test func `what need not be waited for is done at once`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            let before = try await server.get(Routes.lights, as: [LightBody].self).first { $0.name == "Desk" }
            _ = try await server.send(.schedule(steps: ["toggle desk"], after: 0))
            let after = try await server.get(Routes.lights, as: [LightBody].self).first { $0.name == "Desk" }
            #expect(before?.power != after?.power)
            #expect(try await server.get(Routes.timers, as: [AutomationBody].self).isEmpty)
        }
    }

    @Test func `a day is served before it happens`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            _ = try await server.put(Self.file, to: Routes.automations)
            let thursday: AutomationPreviewBody = try await server.get(
                Routes.path(Routes.preview, [(.date, "2026-12-24")]))
            #expect(
                thursday.weekday == "thu" && thursday.runs.map(\.at) == ["23:00"] && thursday.runs[0].prevented == nil)
            #expect(thursday.runs[0].time == "2026-12-24T23:00:00.000Z")
            let saturday: AutomationPreviewBody = try await server.get(
                Routes.path(Routes.preview, [(.date, "2026-12-26")]))
            #expect(saturday.runs[0].prevented == "mon-fri")
            #expect(try await server.get(Routes.path(Routes.preview, [(.date, "Christmas")])).status == 400)
        }
    }
}
