import ArgumentParser
import ControlProtocol
import Testing

@testable import CommandGrammar

@Suite struct TypedTests {
    @Test func `one line means a command for each target`() throws {
        #expect(
            try Typed.commands(from: #"dim kitchen "floor lamp" Kitchen 40% --over 10m"#) == [
                .set(.init(brightness: 40), target: "kitchen", over: 600_000),
                .set(.init(brightness: 40), target: "floor lamp", over: 600_000),
            ])
        #expect(try Typed.commands(from: "off help") == [.turn(to: .off, target: "help")])
        #expect(try Typed.commands(from: "dim all -- -10%") == [.decrease(.brightness, by: 10, target: "all")])
        #expect(
            try Typed.commands(from: "effect desk @hall Fire --speed 30% --color orange")
                == ["desk", "@hall"].map {
                    .set(.init(effect: "fire", effectSpeed: 30, effectColor: "orange"), target: $0)
                })
        #expect(
            try Typed.commands(from: "effect bed sunrise --over 30m")
                == [.set(.init(effect: "sunrise", effectDuration: 1_800_000), target: "bed")])
        #expect(
            try Typed.commands(from: "gradient strip red '#00F' --mode mirrored --over 2s")
                == [.set(.init(gradient: ["red", "#00f"], gradientMode: .mirrored), target: "strip", over: 2000)])
        #expect(try Typed.commands(from: "set desk --color #FF8800") == [.set(.init(color: "#ff8800"), target: "desk")])
    }

    @Test(arguments: [
        ("", 0, "a command is missing, such as 'turn on hall'"),
        ("lightctl turn on hall", 0, "leave out 'lightctl': a command begins with its verb"),
        ("tun on hall", 0, "unknown command 'tun'; did you mean 'turn'?"),
        ("  list", 2, "unknown command 'list'; use one of turn, on, off,"),
        ("room", 4, "'room' needs one of create, add, remove, rename, delete"),
        ("scene sav Late", 6, "unknown command 'scene sav'; did you mean 'save'?"),
        ("turn sideways desk", 5, "'sideways' is not a valid <action>: use one of 'on', 'off' or 'toggle'"),
        ("turn on", 7, "missing expected argument '<targets> ...'"),
        ("dim desk bright", 9, "'bright' is not a level: use a level such as 40%"),
        ("dim desk 140%", 9, "'140%' is out of range: use 0% to 100%"),
        ("set desk --brigthness 4", 9, "unknown option '--brigthness'; did you mean '--brightness'?"),
        ("set desk --brightness=40lm", 9, "'40lm' for --brightness is in lumens"),
        ("set desk", 0, "nothing to set: use --brightness"),
        ("on desk --over 2s --json", 18, "unknown option '--json'"),
        ("on desk --over", 14, "missing value for '--over <time>'"),
        ("off all --wait", 8, "'--wait' is for a command that is typed: leave it out"),
        ("off all --dry-run", 8, "'--dry-run' is for a command that is typed: leave it out"),
        ("off --help", 4, "'--help' is for a command that is typed: leave it out"),
        ("effect desk", 0, "effect needs a target and an effect"),
        ("effect desk none --speed 3%", 0, "an effect ends at once: leave out --speed"),
        ("gradient strip red", 0, "a gradient has two colours or more"),
        ("gradient strip red 2700", 19, "'2700' is"),
        ("powerup desk", 0, "powerup needs a setting"),
    ])
    func `a wrong line says what is wrong, and where`(line: String, offset: Int, words: String) {
        do throws(TextError) {
            _ = try Typed.commands(from: line)
            Issue.record("it was read")
        } catch {
            #expect(error.offset == offset && error.message.hasPrefix(words), "\(error)")
        }
    }

    @Test(
        arguments: [
            (["turn", "floor lamp", "on", "--over", "2s"], "turn on 'floor lamp' --over 2s"),
            (["turn", "desk", "hall", "OFF"], "turn off desk hall"),
            (["dim", "30%", "desk", "hall"], "dim desk hall 30%"),
            (["dim", "+10%", "desk", "--ratio"], "dim desk +10% --ratio"), (["turn", "on", "desk"], nil),
            (["turn", "up", "desk"], nil), (["turn", "on"], nil), (["dim", "desk", "30%"], nil), (["dim", "30%"], nil),
            (["dim", "30%", "40%"], nil), (["set", "30%", "desk"], nil), ([], nil),
        ] as [([String], String?)])
    func `a line whose words stand in the wrong order is shown turned round`(words: [String], turned: String?) {
        #expect(UsageWords.turnedRound(words) == turned)
    }

    @Test func `a line of an automation is shown turned round too`() {
        #expect(throws: TextError("did you mean 'turn on desk'?", at: 0)) { try Typed.commands(from: "turn desk on") }
    }

    @Test(arguments: [
        (["22:30", "turn on desk"], ["22:30", "turn", "on", "desk"]),
        (["20m turn off 'floor lamp'"], ["20m", "turn", "off", "floor lamp"]),
        (["22:30", "turn", "on", "my turn on"], ["22:30", "turn", "on", "my turn on"]),
        (["sunset - 20m", "desk lamp"], ["sunset - 20m", "desk lamp"]),
    ])
    func `a command in quotation marks is read as its words`(typed: [String], words: [String]) {
        #expect(Typed.unquoted(typed) == words)
    }

    @Test func `a recall has a line, so that it can be one step of several`() throws {
        for recall in [
            Command.recall(scene: "Late Evening", over: 2000), .recall(scene: "Late Evening", dynamic: true),
            .recall(scene: "Late Evening", over: 2000, dynamic: true, speed: 62.5),
            .recall(scene: "Late Evening", dynamic: false),
        ] {
            #expect(try Typed.commands(from: Typed.line(for: recall) ?? "") == [recall])
        }
    }

    @Test func `what sets an effect or a gradient alone has a line, and what sets more has none`() {
        for values in [
            LightValuesBody(effect: "candle"), .init(effect: "none"),
            .init(effect: "fire", effectSpeed: 12.5, effectColor: "#ff0000"),
            .init(effect: "sunrise", effectDuration: 60_000), .init(gradient: ["red", "#00f"]),
            .init(gradient: ["red", "rgb(0%,50%,100%)", "lime"], gradientMode: .segmented),
        ] {
            let command = Command.set(values, target: "floor lamp")
            let line = Typed.line(for: command)
            #expect(line.flatMap { try? Typed.commands(from: $0) } == [command], "\(line ?? "no line")")
        }
        for values in [
            LightValuesBody(color: "red", effect: "candle"), .init(brightness: 4, gradient: ["red", "blue"]),
            .init(gradient: ["red", "blue"], effect: "prism"),
        ] {
            #expect(Typed.line(for: .set(values, target: "desk")) == nil)
        }
    }

    @Test func `every verb has a name and words for help`() {
        for verb in Typed.verbs {
            #expect(!verb.name.isEmpty && !verb.type.configuration.abstract.isEmpty)
        }
        #expect(Set(Typed.verbs.map { [$0.group ?? "", $0.name] }).count == Typed.verbs.count)
    }
}
