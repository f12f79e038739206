import AutomationFiles
import ControlProtocol
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

@testable import ControlSurface

/// What people read and write of automations whose things are renamed.
struct AutomationNamesTests {
    private static let file = """
        automations:
          - name: Evening
            when: 19:30
            if: light range off
            do: [turn on range --over 2s, 'recall Pantry/Relax', 'dim "desk" 40%']
        """

    /// Names that are no ids: those of the fixture are both.
    private static let state = HomeFixture.state.alter(
        by: .updating(.light(HomeFixture.stove.id, by: [.renaming(.it(to: "Range"))])),
        .updating(.room(HomeFixture.kitchen.id, by: .renaming(.it(to: "Pantry")))))

    private func rename(in fixture: SurfaceFixture) async throws {
        try await fixture.perform(.rename(target: "range", name: "Old oven"))
        try await fixture.perform(.renameRoom(room: "Pantry", name: "Galley"))
    }

    @Test func `the list, the file and the preview say today's names`() async throws {
        try await SurfaceFixture.run(in: Self.state) { fixture in
            _ = try await fixture.surface.apply(Self.file, dryRun: false, from: "test")
            try await rename(in: fixture)
            let steps = ["turn on 'Old oven' --over 2s", "recall Galley/Relax", #"dim "desk" 40%"#]
            #expect(fixture.surface.automations.first?.steps == steps)
            #expect(fixture.surface.automations.first?.conditions == [#"light "Old oven" off"#])
            #expect(fixture.surface.automations.first?.missing == nil)
            #expect(fixture.surface.automationFile.contains("recall Galley/Relax"))
            #expect(try fixture.surface.preview(of: nil).runs.first?.steps == steps)
            let reply = try await fixture.surface.rehearsedRun(
                of: fixture.surface.directory.automation(named: "evening"), from: "test")
            #expect(reply.failing == nil)
        }
    }

    @Test func `an old file changes nothing after a rename, and says which names it is behind`() async throws {
        try await SurfaceFixture.run(in: Self.state) { fixture in
            _ = try await fixture.surface.apply(Self.file, dryRun: false, from: "test")
            try await rename(in: fixture)
            let changes = try await fixture.surface.apply(Self.file, dryRun: false, from: "test")
            #expect(changes.unchanged == 1)
            #expect(
                changes.warnings == [
                    "2: nothing is called 'range' any more: it is called 'Old oven' now, which is taken for it",
                    "2: nothing is called 'Pantry/Relax' any more: it is called 'Galley/Relax' now, which is taken for it",
                ])
            let exported = fixture.surface.automationFile
            #expect(try await fixture.surface.apply(exported, dryRun: false, from: "test").warnings.isEmpty)
        }
    }

    @Test func `a lamp that is gone is named by the list, the preview and the doctor`() async throws {
        try await SurfaceFixture.run(in: Self.state) { fixture in
            _ = try await fixture.surface.apply(Self.file, dryRun: false, from: "test")
            #expect(await fixture.surface.diagnosis.checks.map(\.result) == [.ok])
            await fixture.home.change(.removing(.light(HomeFixture.desk.id)))
            let missing = ["the light 'desk' is gone"]
            #expect(fixture.surface.automations.first?.missing == missing)
            #expect(try fixture.surface.preview(of: nil).runs.first?.missing == missing)
            let check = await fixture.surface.diagnosis.checks.last
            #expect(check?.text == "'Evening': the light 'desk' is gone")
            #expect(check?.result == .warning)
        }
    }

    @Test(arguments: [
        ("turn on stove", "turn on Oven"), ("dim 'stove'  +10% --over 2s", "dim Oven  +10% --over 2s"),
        ("rename stove Desk", "rename Oven Desk"), ("room create stove stove", "room create stove Oven"),
        ("turn on @kitchen", "turn on @kitchen"), ("set stove --color orange", "set Oven --color orange"),
    ])
    func `a command keeps the words in which it was typed, but for the name`(typed: String, renamed: String) throws {
        let steps = try Automation.Step.steps(from: typed)
        guard case let .command(command) = steps[0] else { return }
        let new = command.replacingNames { $0.text.lowercased() == "stove" ? "Oven" : $0.text }
        #expect(new.text == renamed)
        #expect(try Automation.Step.steps(from: renamed) == [.command(new)])
    }

    @Test func `a sensor's name that is misspelt gets a suggestion`() async throws {
        let state = HomeFixture.state.alter(by: .adding(.sensor(.make("hall", name: "Hall", motion: false))))
        try await SurfaceFixture.run(in: state) { fixture in
            let file = "automations: [{name: A, when: motion Hal, do: turn on stove}]"
            let changes = try await fixture.surface.apply(file, dryRun: true, from: "test")
            #expect(changes.warnings == ["1: nothing called 'Hal' sees motion; did you mean 'Hall'?"])
        }
    }

    @Test func `what somebody has disabled stays so when the same file is applied, unless the file says otherwise`()
        async throws
    {
        try await SurfaceFixture.run { fixture in
            let file = "automations: [{name: A, do: turn on stove}]"
            _ = try await fixture.surface.apply(file, dryRun: false, from: "test")
            try await fixture.perform(.disableAutomation(automation: "A"))
            let changes = try await fixture.surface.apply(file, dryRun: false, from: "test")
            #expect(changes.unchanged == 1)
            #expect(changes.warnings.count == 1 && changes.warnings[0].hasPrefix("1: 'A' stays disabled"))
            #expect(fixture.surface.automations.map(\.enabled) == [false])
            _ = try await fixture.surface.apply(
                "automations: [{name: A, do: turn on stove, enabled: true}]", dryRun: false, from: "test")
            #expect(fixture.surface.automations.map(\.enabled) == [true])
        }
    }

    @Test func `a second file can be added to the first`() async throws {
        try await SurfaceFixture.run(in: Self.state) { fixture in
            _ = try await fixture.surface.apply(Self.file, dryRun: false, from: "test")
            let recipe = "automations: [{name: Night, when: 23:30, do: turn off all}]"
            let dry = try await fixture.surface.apply(recipe, keepsOthers: true, dryRun: true, from: "test")
            #expect((dry.added, dry.removed, dry.unchanged) == (["Night"], [], 1))
            #expect(fixture.surface.automations.map(\.name) == ["Evening"])
            _ = try await fixture.surface.apply(recipe, keepsOthers: true, dryRun: false, from: "test")
            let changed = "automations: [{name: evening, do: turn off desk}]"
            let changes = try await fixture.surface.apply(changed, keepsOthers: true, dryRun: false, from: "test")
            #expect((changes.added, changes.changed.map(\.name), changes.removed) == ([], ["evening"], []))
            #expect(fixture.surface.automations.map(\.name) == ["evening", "Night"])
        }
    }

    @Test func `a switch keeps its lights by their ids and shows today's names`() async throws {
        let state = HomeFixture.state.alter(by: .adding(.sensor(.dimmer())))
        try await SurfaceFixture.run(in: state) { fixture in
            try await fixture.perform(.bind(switch: "dimmer", target: "stove"))
            try await fixture.perform(.rename(target: "stove", name: "Oven"))
            #expect(fixture.surface.directory.bindingBodies.map(\.targetName) == ["Oven"])
        }
    }
}
