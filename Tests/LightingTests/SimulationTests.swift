import HashTreeCollections
import Khipu
import Lighting
import LightingTestKit
import Testing

/// What automations would have done in a time of which the journal tells.
@DomainActor
struct SimulationTests {
    private let journal = MemoryJournal()
    /// 14:13 UTC, on a Monday.
    private let now = Timestamp.sample

    private func tell(_ hours: Double, _ update: BridgeUpdate) {
        let time = now.advanced(by: .seconds(hours * 3600))
        journal.journal.append(
            .lighting(.reported(update), ticket: .unasked(from: "bridge", at: time)), Journal.Names(), time)
    }

    private func tell(_ hours: Double, _ light: Light, _ power: Turn, by source: Cause.Kind = .otherApp) {
        tell(hours, .light(light.id, .init(power: power, source: source)))
    }

    private func simulation(
        of automations: [Automation], days: Double = 7, with changes: AppState.Change...
    ) async throws -> Simulation {
        let state = HomeFixture.state.alter(by: [.adding(.sensor(.make()))] + changes)
        let journal = journal.journal
        return try await simulate(
            automations, on: state, time: .utc, resolve: TestCommands.resolve,
            from: now.advanced(by: .seconds(-days * 86_400)), through: now
        ) { filter in
            try await withCheckedContinuation { reply in
                _ = journal.list(filter) { reply.resume(returning: $0) }
            }.get()
        }
    }

    /// "-1093 Evening: -1093 sink on", in minutes from now.
    private func words(_ simulation: Simulation) -> [String] {
        func minutes(_ time: Timestamp) -> Int64 { (time.milliseconds - now.milliseconds) / 60_000 }
        return simulation.runs.map { run in
            let commands = run.commands.map { message in
                guard case let .lighting(.turn(turn, .light(light), _), ticket) = message else { return "?" }
                return "\(minutes(ticket.time)) \(light.resource) \(turn)"
            }
            if case .skipped = run.start { return "\(minutes(run.time)) \(run.automation): skipped" }
            return "\(minutes(run.time)) \(run.automation): \(commands.joined(separator: ", "))"
        }
    }

    private func command(_ text: String) -> Automation.Step { .command(TestCommands.command(text)) }

    @Test func `a clock's automation runs once a day, and its conditions see what was reported then`() async throws {
        // The desk lamp was on from Friday evening to Saturday noon.
        tell(-100, HomeFixture.desk, .off)
        tell(-68, HomeFixture.desk, .on)
        tell(-50, HomeFixture.desk, .off)
        let evening = Automation(
            name: "Evening", triggers: [.clock(.at(.time(TimeOfDay(hour: 20)), .all))],
            conditions: [.check(.power("Desk", .off))], steps: [command("on sink")])
        let simulation = try await simulation(of: [evening], days: 4)
        // At 20:00 on Thursday, Saturday and Sunday.
        #expect(
            words(simulation) == [
                "-5413 Evening: -5413 sink on", "-3973 Evening: skipped", "-2533 Evening: -2533 sink on",
                "-1093 Evening: -1093 sink on",
            ])
        #expect(simulation.runs[1].start == .skipped(.condition(.check(.power("Desk", .off)))))
        #expect(simulation.runs.compactMap(\.outcome) == [.succeeded, .succeeded, .succeeded])
        #expect(simulation.firstEntry == now.advanced(by: .seconds(-100 * 3600)))
    }

    @Test func `what was reported in the week before says what lamps showed when it begins`() async throws {
        // Since then somebody has turned it on.
        tell(-24 * 6, HomeFixture.desk, .off)
        tell(-1, HomeFixture.desk, .on)
        let evening = Automation(
            name: "Evening", triggers: [.clock(.at(.time(TimeOfDay(hour: 20)), .all))],
            conditions: [.check(.power("Desk", .off))], steps: [command("on sink")])
        #expect(try await words(simulation(of: [evening], days: 1)) == ["-1093 Evening: -1093 sink on"])
    }

    @Test func `lamps show what was sent to them, and an automation can be started by that`() async throws {
        tell(-40, HomeFixture.desk, .off)
        let lines = try await words(
            simulation(
                of: [
                    Automation(
                        name: "Morning", triggers: [.clock(.at(.time(TimeOfDay(hour: 6)), .all))],
                        steps: [command("on desk"), .wait(.seconds(1800)), command("off desk")]),
                    Automation(
                        name: "Company", triggers: [.becomes(.power("Desk", .on), for: .seconds(600))],
                        steps: [command("on sink")]),
                ], days: 1))
        #expect(
            lines == [
                "-493 Morning: -493 desk on, -463 desk off", "-483 Company: -483 sink on",
            ])
    }

    @Test func `what the automations of that time did is not repeated, and what others did is`() async throws {
        let evening = Ticket(number: 9, holder: "automation 'Evening'", time: now).own
        let person = Ticket(number: 10, holder: "lightctl (uid 1000)", time: now)
        tell(-30, HomeFixture.desk, .off)
        tell(-20, HomeFixture.desk, .on, by: .command(evening))
        tell(-18, HomeFixture.desk, .off, by: .command(evening))
        tell(-10, HomeFixture.desk, .on, by: .command(person))
        let company = Automation(
            name: "Company", triggers: [.becomes(.power("Desk", .on), for: nil)], steps: [command("on sink")])
        #expect(try await words(simulation(of: [company], days: 1)) == ["-600 Company: -600 sink on"])
    }

    @Test(arguments: [false, true]) func `after a recall the lamps that the scene turns off are off`(
        isKnown: Bool
    ) async throws {
        let scene = Scene(
            id: HomeFixture.relax.id, name: "Film", lights: [HomeFixture.desk.id, HomeFixture.stove.id],
            turnsOff: isKnown ? [HomeFixture.desk.id] : nil)
        tell(-40, HomeFixture.desk, .on)
        tell(-40, HomeFixture.stove, .off)
        let lines = try await words(
            simulation(
                of: [
                    Automation(
                        name: "Film", triggers: [.clock(.at(.time(TimeOfDay(hour: 6)), .all))],
                        steps: [command("recall Film")]),
                    Automation(name: "Dark", triggers: [.becomes(.power("Desk", .off))], steps: [command("on sink")]),
                    Automation(name: "Lit", triggers: [.becomes(.power("Stove", .on))], steps: [command("on fan")]),
                ], days: 1, with: .replacing(.scenes(of: scene.id.bridge, by: [scene]))))
        let lit = "-493 Lit: -493 plug on"
        let dark = isKnown ? ["-493 Dark: -493 sink on"] : []
        #expect(lines.sorted() == (["-493 Film: ?", lit] + dark).sorted())
    }

    @Test func `a command that cannot be sent is told`() async throws {
        let noon = Automation(
            name: "Noon", triggers: [.clock(.at(.time(.noon), .all))], steps: [command("on attic"), command("on desk")])
        let run = try #require(try await simulation(of: [noon], days: 1).runs.first)
        #expect(run.outcome?.failure != nil && run.commands.count == 1)
    }

    @Test func `nothing of the home changes, and nothing is written down`() async throws {
        let entries = journal.entries.count
        let none = try await simulation(
            of: [
                Automation(
                    name: "Noon", triggers: [.clock(.at(.time(.noon), .all))],
                    steps: [command("on stove"), command("off fan")])
            ])
        #expect(none.runs.count == 7 && none.firstEntry == nil)
        #expect(journal.entries.count == entries)
    }

    @Test func `what switches are bound to now has no part in it`() async throws {
        let dimmer = Sensor.dimmer()
        tell(-30, HomeFixture.desk, .off)
        tell(-20, .sensor(dimmer.id, Sensor.Report(press: .init(1, .pressed))))
        let binding = SwitchBinding(of: dimmer.id, to: .light(HomeFixture.desk.id))
        let simulation = try await simulation(
            of: [
                Automation(
                    name: "Company", triggers: [.becomes(.power("Desk", .on), for: nil)], steps: [command("on sink")])
            ], with: .adding(.sensor(dimmer)), .adding(.binding(binding)))
        #expect(simulation.runs.isEmpty)
    }

    @Test func `more runs than anybody reads are refused`() async throws {
        let often = Automation(
            name: "Often",
            triggers: [
                .clock(.every(.seconds(30), from: .time(TimeOfDay(seconds: 0)), to: .time(TimeOfDay(seconds: 0)), .all))
            ], steps: [.wait(.seconds(1))])
        await #expect(throws: Failure.self) { try await simulation(of: [often]) }
    }

    @Test func `what only measures is named, as the journal does not tell it`() {
        let automation = Automation(
            name: "A",
            triggers: [.becomes(.lightLevel("Hall", .below(12)), for: nil), .becomes(.motion("Hall", true))],
            conditions: [.not(.any([.check(.temperature("Bath", .above(24)))]))],
            steps: [.waitFor(.lightLevel("Attic", .above(3)))])
        #expect(
            automation.measuredChecks.map(\.description) == ["lux Hall < 12", "temperature Bath > 24", "lux Attic > 3"])
    }
}
