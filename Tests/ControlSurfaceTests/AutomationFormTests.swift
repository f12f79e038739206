import AutomationFiles
import ControlProtocol
import Khipu
import Languages
import Lighting
import LightingTestKit
import TestSupport
import Testing

@testable import ControlSurface

@Suite struct AutomationFormTests {
    @Test(arguments: seeds(50)) func `a form makes a file, and is read from it again as the same`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let form = random.form()
        let made = try form.automation(named: "A: \(seed) #", isEnabled: seed.isMultiple(of: 2))
        let file = try AutomationFile(yaml: AutomationFile.yaml(of: [made]))
        let read = try #require(file.automations.first)
        #expect(read.isEnabled == made.isEnabled && read.name == made.name)
        #expect(AutomationForm(read) == form, "\(AutomationFile.yaml(of: [made]))")
        // And from what a client keeps of it.
        #expect(try AutomationForm(form.name, form.values) == form)
    }

    @Test(arguments: seeds(20)) func `whatever says more than a form is none`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let made = try random.form().automation(named: "A")
        func changed(
            triggers: [Automation.Trigger] = [], conditions: [Automation.Condition] = [],
            steps: [Automation.Step] = [], mode: RunMode? = nil, lateness: Automation.Lateness? = nil
        ) -> Automation {
            Automation(
                name: "A", triggers: made.triggers + triggers, conditions: made.conditions + conditions,
                steps: made.steps + steps, mode: mode ?? made.mode, lateness: lateness)
        }
        #expect(AutomationForm(changed()) != nil)
        #expect(AutomationForm(changed(triggers: [.press(sensor: "Dial", button: 1, .released)])) == nil)
        #expect(AutomationForm(changed(conditions: [.days(.monday)])) == nil)
        #expect(AutomationForm(changed(steps: [.wait(.seconds(7))])) == nil)
        #expect(AutomationForm(changed(mode: made.mode == .single ? .restart : .single)) == nil)
        #expect(AutomationForm(changed(lateness: .skip)) == nil)
        #expect(AutomationForm(Automation(name: "A", triggers: made.triggers, steps: [])) == nil)
    }

    /// Most are those of the manual.
    @Test(arguments: [
        (#"when: sunset - 20m; if: "@Living off"; do: recall Living/Evening --over 1m"#, AutomationFormName.evening),
        (
            """
            when: motion Hall; if: between 23:00 and 06:00; \
            do: [set @Hall --brightness 5% --temperature 2200K, wait no motion Hall for 2m, restore @Hall]
            """, .night
        ),
        ("when: 06:15 mon-fri; do: [wake @Bedroom --over 30m, wait 1h, turn off @Bedroom]; mode: restart", .wakeUp),
        ("when: room Kitchen on for 20m; do: turn off @Kitchen", .off),
        ("when: 23:30 sun-thu; do: turn off @Living --over 1m", nil),
        ("when: every 10m; if: contact Door open; do: identify @Hall", nil),
        ("when: motion Hall for 20s; do: [turn on @Hall, wait no motion Hall for 2m, restore @Hall]", nil),
        ("when: 06:15; do: [wake @Bedroom --over 90s]; mode: restart", nil),
        ("when: 18:00; do: recall Evening", nil),
        // Longer than any of its questions lets one choose.
        ("when: room Kitchen on for 36h; do: turn off @Kitchen", nil),
    ])
    func `recipes are known`(text: String, name: AutomationFormName?) throws {
        let yaml = text.split(separator: "; ").map { "\n    \($0)" }.joined()
        let file = try AutomationFile(yaml: "automations:\n  - name: A" + yaml)
        #expect(AutomationForm(try #require(file.automations.first))?.name == name)
    }

    @Test(arguments: AutomationFormName.allCases, Language.allCases)
    func `a new form is filled in with what is usual, and makes something`(
        kind: AutomationFormName, language: Language
    ) async throws {
        try await SurfaceFixture.run { fixture in
            let isPossible = fixture.surface.formKinds(in: language).contains { $0.kind == kind && $0.lacks == nil }
            guard isPossible else {
                #expect(throws: ErrorReply.self) {
                    try fixture.surface.form(AutomationFormRequest(kind: kind), in: language)
                }
                return
            }
            let body = try fixture.surface.form(AutomationFormRequest(kind: kind), in: language)
            #expect((body.file != nil) != (body.bind != nil || body.away != nil) && !body.title.isEmpty)
            for question in body.questions {
                #expect(body.values[question.key] != nil, "\(question.key)")
            }
            guard let file = body.file else { return }
            // Nothing is left out when it is sent back.
            let again = try fixture.surface.form(AutomationFormRequest(kind: kind, values: body.values), in: language)
            #expect(again == body)
            _ = try await fixture.surface.apply(
                file, at: AutomationPlace(name: nil), dryRun: false, from: "test")
            let name = try #require(body.values["name"])
            let opened = try fixture.surface.form(AutomationFormRequest(automation: name), in: language)
            #expect(opened.kind == kind && opened.values == body.values && opened.file == file)
            // A second one has another name.
            let next = try fixture.surface.form(AutomationFormRequest(kind: kind), in: language)
            #expect(next.values["name"] != name)
        }
    }

    @Test func `what a form cannot say is shown as text`() async throws {
        try await SurfaceFixture.run { fixture in
            let file = "automations:\n  - name: Leaving\n    when: button Dial 4 long\n    do: turn off all\n"
            _ = try await fixture.surface.apply(file, dryRun: false, from: "test")
            let body = try fixture.surface.form(AutomationFormRequest(automation: "leaving"), in: .english)
            #expect(body.kind == nil && body.questions.isEmpty && body.file == file && body.version != nil)
            #expect(body.text == "Dial, button 4 held: all lights off")
        }
    }

    @Test func `wrong values are refused`() async throws {
        try await SurfaceFixture.run { fixture in
            for values in [
                ["rises": "0"], ["rises": "x"], ["days": ""], ["at": "25:00"], ["then": "-1"], ["lights": ""],
                ["name": "timer 3"], ["name": "two\nlines"], ["lights": String(repeating: "a", count: 501)],
            ] {
                #expect(throws: ErrorReply.self, "\(values)") {
                    try fixture.surface.form(AutomationFormRequest(kind: .wakeUp, values: values), in: .english)
                }
            }
            #expect(throws: ErrorReply.self) {
                try fixture.surface.form(AutomationFormRequest(automation: "nobody"), in: .english)
            }
        }
    }

    @Test func `what an automation would do by the clock is told, and its warnings are those of a file`() async throws {
        try await SurfaceFixture.run { fixture in
            let body = try fixture.surface.form(
                AutomationFormRequest(kind: .wakeUp, values: ["lights": "@Attic", "days": "mon"]), in: .english)
            #expect(body.next.count == 3 && body.yesterday == nil)
            #expect(body.warnings.first == "'wake @Attic --over 30m': no light or room is called '@Attic'")
            let off = try fixture.surface.form(AutomationFormRequest(kind: .off), in: .english)
            #expect(off.next.isEmpty && off.yesterday != nil)
        }
    }
}

/// Two people edit at once.
@Suite struct AutomationPlaceTests {
    private static func file(_ name: String, _ step: String = "turn off all") -> String {
        "automations:\n  - name: \(name)\n    do: \(step)\n"
    }

    private static func code(_ work: () async throws -> Void) async -> ErrorCode? {
        do {
            try await work()
            return nil
        } catch {
            return (error as? ErrorReply)?.error.code
        }
    }

    @Test func `one takes the place of another, and all others stay as they are`() async throws {
        try await SurfaceFixture.run { fixture in
            let surface = fixture.surface
            for name in ["A", "B", "C"] {
                _ = try await surface.apply(
                    Self.file(name), at: AutomationPlace(name: nil), dryRun: false, from: "test")
            }
            let (text, version) = try surface.automationFile(named: "b")
            #expect(text == Self.file("B"))
            let place = AutomationPlace(name: "B", version: version)
            let dry = try await surface.apply(Self.file("Bee"), at: place, dryRun: true, from: "test")
            #expect(dry.added == ["Bee"] && dry.removed == ["B"] && dry.unchanged == 2)
            _ = try await surface.apply(Self.file("Bee"), at: place, dryRun: false, from: "test")
            #expect(surface.automations.map(\.name) == ["A", "Bee", "C"])
        }
    }

    @Test func `who was slower is told, and overwrites nothing`() async throws {
        try await SurfaceFixture.run { fixture in
            let surface = fixture.surface
            _ = try await surface.apply(Self.file("A"), at: AutomationPlace(name: nil), dryRun: false, from: "test")
            _ = try await surface.apply(Self.file("B"), at: AutomationPlace(name: nil), dryRun: false, from: "test")
            let place = AutomationPlace(name: "A", version: try surface.automationFile(named: "A").version)
            _ = try await surface.apply(Self.file("A", "turn on all"), at: place, dryRun: false, from: "one")
            for dryRun in [true, false] {
                #expect(
                    await Self.code {
                        _ = try await surface.apply(Self.file("A", "undo"), at: place, dryRun: dryRun, from: "other")
                    } == .changedSince)
            }
            #expect(surface.automations[0].steps == ["turn on all"])
            // Nor what somebody else has called like this.
            #expect(
                await Self.code {
                    _ = try await surface.apply(
                        Self.file("b"), at: AutomationPlace(name: nil), dryRun: false, from: "other")
                } == .nameTaken)
            #expect(
                await Self.code {
                    _ = try await surface.apply(
                        Self.file("B", "undo"), at: AutomationPlace(name: "A"), dryRun: false, from: "other")
                } == .nameTaken)
            try await fixture.perform(.removeAutomation(automation: "A"))
            #expect(
                await Self.code {
                    _ = try await surface.apply(Self.file("A"), at: place, dryRun: false, from: "other")
                } == .changedSince)
            #expect(
                await Self.code {
                    _ = try await surface.apply(
                        Self.file("A"), at: AutomationPlace(name: "A"), dryRun: false, from: "other")
                } == .noSuchTarget)
            #expect(
                await Self.code {
                    _ = try await surface.apply(
                        "automations: []", at: AutomationPlace(name: "B"), dryRun: false, from: "other")
                } == .wrongFile)
            #expect(surface.automations.map(\.name) == ["B"])
        }
    }

    @Test func `the domain looks itself, because two may ask in one moment`() async throws {
        try await SurfaceFixture.run { fixture in
            _ = try await fixture.surface.apply(Self.file("A"), dryRun: false, from: "test")
            let place = AutomationPlace(
                name: "A", version: try fixture.surface.automationFile(named: "A").version)
            let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        await Self.code {
                            _ = try await fixture.surface.apply(
                                Self.file("A", "wait \(number + 1)m"), at: place, dryRun: false, from: "test")
                        } == nil
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count(where: \.self) == 1)
        }
    }
}

extension SplitMix {
    fileprivate mutating func form() -> AutomationForm {
        switch Int.random(in: 0..<4, using: &self) {
        case 0:
            .wakeUp(
                .init(
                    lights: lights(), at: time(), days: days(), rises: .random(in: 1...240, using: &self),
                    then: [.stays, .followsTheDay, .off(after: .random(in: 0...1440, using: &self))]
                        .randomElement(using: &self) ?? .stays))
        case 1: .off(.init(lights: lights(), after: .random(in: 1...1440, using: &self)))
        case 2: .evening(evening())
        default:
            .motion(
                .init(
                    sensor: ["Hall", "Hall upstairs", "O'Brien", #"The "x""#, "מסדרון"].randomElement(using: &self)
                        ?? "",
                    when: [
                        .anyTime, .afterSunset, .darkerThan(lux: .random(in: 1...500, using: &self)),
                        .between(time(), time()),
                    ].randomElement(using: &self) ?? .anyTime,
                    lights: lights(), level: Bool.random(using: &self) ? nil : .random(in: 1...100, using: &self),
                    isWarm: .random(using: &self), after: .random(in: 1...1440, using: &self),
                    restores: .random(using: &self), onlyIfOff: .random(using: &self)))
        }
    }

    private mutating func evening() -> AutomationForm.Evening {
        let isScene = Bool.random(using: &self)
        return .init(
            lights: isScene ? ["@Living", "@Left/Living", "@My \"den\""].randomElement(using: &self) ?? "" : lights(),
            shows: isScene
                ? .scene(["Evening", "it's late", "#1: x"].randomElement(using: &self) ?? "")
                : Bool.random(using: &self) ? .asBefore : .level(.random(in: 1...100, using: &self)),
            start: Bool.random(using: &self)
                ? .time(time()) : .sun(.sunset, offset: .seconds(60 * .random(in: -600...600, using: &self))),
            days: days(), onlyIfOff: .random(using: &self),
            offAfter: Bool.random(using: &self) ? nil : .random(in: 1...1440, using: &self))
    }

    private mutating func lights() -> String {
        ["Desk", "@Living", "all", "-dash", "O'Brien", "a: b # c", "@My \"den\"", "מנורת שולחן", "@Left/Living"]
            .randomElement(using: &self) ?? ""
    }

    private mutating func time() -> TimeOfDay { TimeOfDay(seconds: 60 * .random(in: 0..<1440, using: &self)) }
    private mutating func days() -> Weekdays { Weekdays(rawValue: .random(in: 1...127, using: &self)) }
}
