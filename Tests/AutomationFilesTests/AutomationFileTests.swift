import CommandGrammar
import ControlProtocol
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

@testable import AutomationFiles

@Suite struct AutomationFileTests {
    /// The file of the issue.
    private static let example = """
        automations:
          - name: Evening
            when: sunset - 20m
            if: [between sunset and 23:30, "@Living off"]
            do: [recall Living/Evening --over 5m]
          - name: Hall at night
            when: motion Hall
            if: [between 23:00 and 06:00]
            do: [set @Hall --brightness 5% --temperature 2200K, wait no motion Hall for 2m, restore @Hall]

        """

    @Test func `a file is read as a person means it`() throws {
        let file = try AutomationFile(yaml: Self.example)
        let (night, six) = (Moment.time(TimeOfDay(hour: 23)), Moment.time(TimeOfDay(hour: 6)))
        #expect(
            file.automations == [
                Automation(
                    name: "Evening", triggers: [.clock(.at(.sun(.sunset, offset: .seconds(-1200))))],
                    conditions: [
                        .between(.sun(.sunset), .time(TimeOfDay(hour: 23, minute: 30))),
                        .check(.power("@Living", .off)),
                    ],
                    steps: [
                        .command(
                            StoredCommand(
                                .recall(scene: "Living/Evening", over: 300_000),
                                typed: "recall Living/Evening --over 5m"))
                    ]),
                Automation(
                    name: "Hall at night", triggers: [.becomes(.motion("Hall", true))],
                    conditions: [.between(night, six)],
                    steps: [
                        .command(
                            StoredCommand(
                                .set(.init(brightness: 5, temperature: 455), target: "@Hall"),
                                typed: "set @Hall --brightness 5% --temperature 2200K")),
                        .waitFor(.motion("Hall", false), for: .seconds(120)), .restore("@Hall"),
                    ]),
            ])
        #expect(file.lines == [Automation.ID("Evening"): 2, Automation.ID("Hall at night"): 6])
    }

    @Test func `what is written is read as the same`() throws {
        var random = SplitMix(seed: 14)
        for _ in 0..<150 {
            let automations = (0..<Int.random(in: 0...3, using: &random)).map { random.automation("\($0)") }
            let yaml = AutomationFile.yaml(of: automations)
            let file = try AutomationFile(yaml: yaml)
            #expect(file.automations == automations, "\(yaml)")
            #expect(AutomationFile.yaml(of: file.automations) == yaml)
        }
    }

    @Test func `a command with several targets becomes a step for each, which means the same when it is written`()
        throws
    {
        for line in [
            "turn off desk 'floor lamp' --over 2s", "toggle a b", "dim a b 12.5%", "dim a b 30% --keep-ratios",
            "dim a b +7.5%", "dim a b -5% --ratio --perceptual",
            "set a @b --hue 120 --saturation 33.3%", "set a b --color '#FF8800' --brightness 1%",
            "set a b --temperature 2200K",
            "decrease hue a b", "identify a \"b 'c'\"",
        ] {
            let steps = try Automation.Step.steps(from: line)
            let again = try steps.flatMap { try Automation.Step.steps(from: $0.description) }
            #expect(steps.count == 2 && again == steps, "\(line)")
            let commands = try Typed.commands(from: line)
            #expect(steps == commands.map { .command(StoredCommand($0, typed: Typed.line(for: $0) ?? "")) })
        }
    }

    @Test(arguments: [
        ("", ["1:1: expected 'automations:' and a list of them"]),
        ("automation: []", ["1:1: unknown key 'automation'; did you mean 'automations'?"]),
        ("automations: 3", ["1:14: expected a list of at most 2000 automations, each beginning with '- name:'"]),
        ("automations:\n  - Evening", ["2:5: expected an automation: 'name:', 'when:' and 'do:'"]),
        (
            "automations:\n  - name: A\n    wen: 06:45\n    do: turn on hall",
            ["3:5: unknown key 'wen'; did you mean 'when'?"]
        ),
        (
            "automations:\n  - name: A\n    when: 06:45\n    do: on a\n  - name: a\n    when: noon\n    do: on b",
            ["5:5: 'a' is the name of the automation in line 2, too"]
        ),
        (
            "automations:\n  - name: A\n    when: [moton Hall, motion Hall for x]\n    if: \"@Living of\"\n    do:\n"
                + "      - tun on hall\n      - dim hall 140%\n      - wait no motoin Hall\n    mode: double",
            [
                "3:12: 'moton' is unknown; did you mean 'motion'?",
                "3:40: expected a duration such as 30s, 20m or 1h30m",
                "4:20: expected on or off", "6:9: unknown command 'tun'; did you mean 'turn'?",
                "7:18: '140%' is out of range: use 0% to 100%", "8:17: expected motion",
                "9:11: expected single or restart",
            ]
        ),
        ("automations:\n  - when: noon", ["2:5: this automation has no 'name'", "2:5: this automation has no 'do'"]),
        ("automations:\n  - name: A\n    do: []", ["3:9: 'do' is empty; expected a command such as 'turn on hall'"]),
        (
            "automations:\n  - name: A\n    do: set desk --color #ff8800",
            [
                "3:25: missing value for '--color <colour>' (what follows ' #' is a comment: put the whole text in quotation marks)"
            ]
        ),
        ("automations:\n  - name: A\n    do: [on a", ["4:1: invalid YAML: did not find expected ',' or ']'"]),
        ("automations:\n  - name: A\n    name: B\n    do: on a", ["3:5: the key 'name' stands there twice"]),
        (
            "automations:\n  - name: Timer 3\n    do: on a",
            ["2:11: 'Timer 3' is what a timer is called: choose another name"]
        ),
        ("automations:\n  - name:\n    do: on a", ["2:10: expected a name"]),
        ("automations:\n  - name: A\n    do: {on: a}", ["3:9: expected a text"]),
        ("automations:\n", ["1:1: expected a list of automations, each beginning with '- name:'; '[]' is none"]),
        ("automations:\n  - name: \"A \"\n    do: on a", ["2:12: a name has no blanks around it"]),
        (
            "automations:\n  - name: \"A\\u001bB\"\n    do: on a",
            ["2:11: a name is one line of at most 100 characters, without control characters"]
        ),
        (
            "automations:\n  - name: A\n    if: @Living off\n    do: on a",
            [
                "3:9: invalid YAML: found character that cannot start any token (a text that begins with @, ` or % needs quotation marks)"
            ]
        ),
        (
            "automations:\n  - name: A\n    do: on \(String(repeating: "a ", count: 500))",
            ["3:9: a step has at most 1000 bytes"]
        ),
    ])
    func `everything that is wrong in a file is said, with its place`(yaml: String, mistakes: [String]) {
        do throws(FileMistakes) {
            Issue.record("it was read as \(try AutomationFile(yaml: yaml).automations)")
        } catch {
            #expect(error.mistakes.map(\.description) == mistakes)
        }
    }

    @Test func `a date and time without an offset is the home's, as after 'at'`() throws {
        let zone = try #require(CivilZone(rule: "CET-1"))
        let home = HomeTime(zone: zone, place: nil)
        let yaml = "automations:\n  - {name: A, when: 2026-12-24T17:30, do: on desk}"
        let once = try ClockTrigger("2026-12-24T16:30:00Z")
        #expect(try AutomationFile(yaml: yaml, in: home).automations.first?.triggers == [.clock(once)])
    }

    @Test func `an empty list is a file without automations`() throws {
        #expect(try AutomationFile(yaml: "automations: []").automations.isEmpty)
        #expect(try AutomationFile(yaml: "\u{feff}automations: []\n").automations.isEmpty)
        #expect(AutomationFile.yaml(of: []) == "automations: []\n")
    }

    @Test func `short aliases cannot make a long list`() throws {
        let entries = String(repeating: "*e, ", count: 201)
        let yaml =
            "automations:\n  - name: A\n    do: [on a]\n    if: &e mon\n  - name: B\n    if: [\(entries)mon]\n    do: on b"
        #expect(throws: FileMistakes.self) { try AutomationFile(yaml: yaml) }
    }

    @Test func `every damaged file is read, or refused at places in it`() async throws {
        var random = SplitMix(seed: 3)
        let samples = [Self.example] + (0..<5).map { AutomationFile.yaml(of: [random.automation("\($0)")]) }
        try await Fuzzing("automation-files").batches(1) { seed in
            var random = SplitMix(seed: seed)
            for _ in 0..<300 {
                var bytes = Array((samples.randomElement(using: &random) ?? "").utf8)
                for _ in 0..<Int.random(in: 1...3, using: &random) { bytes = random.mutated(bytes) }
                let text = String(decoding: bytes, as: UTF8.self)
                do throws(FileMistakes) {
                    let file = try AutomationFile(yaml: text)
                    let again = try AutomationFile(yaml: AutomationFile.yaml(of: file.automations))
                    #expect(again.automations == file.automations, "\(text.debugDescription)")
                } catch {
                    let lines = text.count(where: \.isNewline) + 2
                    #expect(!error.mistakes.isEmpty)
                    for mistake in error.mistakes {
                        #expect(
                            (1...lines).contains(mistake.line) && mistake.column >= 1 && !mistake.message.isEmpty,
                            "\(text.debugDescription): \(mistake)")
                    }
                }
            }
        }
    }
}

/// Steps of each of these lines.
private let commands = [
    "turn on hall", "dim \"floor lamp\" 40% --over 10m", "set desk --color '#ff8800'", "toggle @Living", "undo",
    "scene update Living/Late", "set 'a: b' --brightness -5%",
].map { (try? Automation.Step.steps(from: $0)) ?? [] }

extension RandomNumberGenerator {
    fileprivate mutating func automation(_ suffix: String) -> Automation {
        var steps = (0..<Int.random(in: 0...3, using: &self)).map { _ in waitingStep() }
        steps += commands[Int.random(in: commands.indices, using: &self)]
        return Automation(
            name: name() + suffix, triggers: (0..<Int.random(in: 0...3, using: &self)).map { _ in trigger() },
            conditions: (0..<Int.random(in: 0...3, using: &self)).map { _ in condition() }, steps: steps,
            mode: Bool.random(using: &self) ? .single : .restart,
            lateness: [nil, .skip, .catchUp][Int.random(in: 0..<3, using: &self)], isEnabled: .random(using: &self))
    }
}
