import ControlProtocol
import Testing

@testable import lightctl

@Suite struct CauseTextTests {
    @Test func `what a curve has set is not said to be the last command's doing`() {
        var light = LightBody.make()
        light.follows = [FollowedValueBody(value: .brightness, course: "daylight", target: "@Study")]
        #expect(
            CauseText.sentence(light, .noon)
                == "Desk is on since 10:30:01: anna (uid 1000) with lightctl sent 'set Desk to 40%'; "
                + "at 40%, 2703K it follows daylight on @Study")
    }

    @Test func `what a curve does not set is said to be the command's doing`() {
        var light = LightBody.make()
        light.limits.warmest = 500
        light.follows = [FollowedValueBody(value: .temperature, course: "c2", target: "Desk")]
        #expect(
            CauseText.sentence(light, .noon)
                == "Desk is on at 40%, 2703K since 10:30:01: anna (uid 1000) with lightctl sent 'set Desk to 40%'; "
                + "follows c2 on Desk in its white tone")
    }

    private func sentence(
        _ cause: CauseBody, _ freshness: LightBody.Freshness = .confirmed, power: Turn = .on
    ) -> String {
        CauseText.sentence(.make(power: power, freshness: freshness, cause: cause), .noon)
    }

    @Test(arguments: [
        (
            CauseBody.make(),
            "Desk is on at 40%, 2703K since 10:30:01: anna (uid 1000) with lightctl sent 'set Desk to 40%'"
        ),
        (.make(what: nil), "Desk is on at 40%, 2703K since 10:30:01: a command from anna (uid 1000) with lightctl"),
        (
            .make(.scene, what: "Study/Relax"),
            "Desk is on at 40%, 2703K since 10:30:01: anna (uid 1000) with lightctl recalled scene 'Study/Relax'"
        ),
        (
            .make(.scene, by: nil, what: "Study/Relax"),
            "Desk is on at 40%, 2703K since 10:30:01: another app recalled scene 'Study/Relax'"
        ),
        (
            .make(.accessory, by: "Kitchen dimmer", what: nil),
            "Desk is on at 40%, 2703K since 10:30:01: wall switch Kitchen dimmer"
        ),
        (.make(.power, by: nil, what: nil), "Desk is on at 40%, 2703K since 10:30:01: power came back"),
        (
            .make(.otherApp, by: nil, what: nil),
            "Desk is on at 40%, 2703K since 10:30:01: another app, or a switch that the bridge does not report"
        ),
        (
            .make(.unseen, by: nil, what: nil),
            "Desk is on at 40%, 2703K since before 10:30:01, when lightd started listening"
        ),
    ])
    func `a sentence says who or what changed the light, and when`(cause: CauseBody, words: String) {
        #expect(sentence(cause) == words)
        #expect(sentence(cause, power: .off).hasPrefix("Desk is off"))
    }

    @Test func `the sentence says if the state is expected, stale or unreachable`() {
        #expect(
            sentence(.make(), .expected)
                == "Desk should be on at 40%, 2703K, not yet confirmed: "
                + "at 10:30:01 anna (uid 1000) with lightctl sent 'set Desk to 40%'"
        )
        #expect(
            sentence(.make(), .stale).hasPrefix(
                "Desk is stale since 10:42 because its bridge cannot be reached; "
                    + "last known: on at 40%, 2703K since 10:30:01: "
            )
        )
        #expect(
            sentence(.make(), .unreachable).hasPrefix(
                "Desk is unreachable since 10:42; last known: on at 40%, 2703K since 10:30:01: "))
    }

    @Test(arguments: CauseBody.Kind.allCases) func `a pipe gets ten columns for every cause`(kind: CauseBody.Kind) {
        let bare = LightBody.make(cause: .make(kind, by: nil, what: nil))
        let evil = LightBody.make("a\tb\u{1B}", cause: .make(kind, by: "c\nd", what: "e\tf"))
        let lines = CauseText.lines([bare, evil], on: .pipe, .noon).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.split(separator: "\t", omittingEmptySubsequences: false).count == 10 })
        #expect(!CauseText.sentence(evil, .noon).contains { "\t\n\u{1B}".contains($0) })
    }

    @Test func `undo prints the command it undid, and the lights it left as they are`() {
        let three = CommandReply(
            ticket: 1, lights: [.make(), .make("a"), .make("b")], commands: ["set @Kitchen to 40%"], skipped: [])
        #expect(UndoText.line(.undo, three) == "undid 'set @Kitchen to 40%': 3 lights")
        #expect(UndoText.skipped(three, .noon) == nil)
        let many = CommandReply(ticket: 1, steps: 1000, commands: (1...1000).map { "c\($0)" })
        #expect(UndoText.line(.undo, many) == "undid 'c1', 'c2', 'c3', 'c4', 'c5' and 995 more: 0 lights")
        #expect(UndoText.question(.undo, many) == "Undo 1000 commands, back to 'c1000'?")
        #expect(UndoText.question(.undo, CommandReply(ticket: 1, steps: 10)) == nil)
        var few = three
        few.steps = 3
        #expect(UndoText.fewer(.undo, few, than: 99) == "undid 3 commands; there were no more")
        #expect(UndoText.fewer(.undo, few, than: 3) == nil)
        few.requests = []
        #expect(UndoText.fewer(.redo, few, than: 99) == "would redo 3 commands; there are no more")
        var left = CommandReply(ticket: 1, lights: [.make()], commands: ["a", "b"])
        left.skipped = ["Sink", "Fan"].map {
            .init(target: "b/\($0)", name: $0, cause: .make(.accessory, by: "Kitchen dimmer", what: nil))
        }
        #expect(UndoText.line(.redo, left) == "redid 'a', 'b': 1 light")
        let skipped = UndoText.skipped(left, .noon)
        #expect(skipped?.error.code.exitCode == .partly)
        #expect(
            skipped?.printed
                == """
                lightctl: 2 lights were left as they are
                  Sink, Fan: changed since by somebody at the wall: Kitchen dimmer at 10:30
                """)
    }

    @Test func `a table shows the bridge column if there are several bridges`() {
        let lights = [LightBody.make(), .make("Lamp", bridge: "c")]
        let both = Lists.lights(lights, on: .screen(), .noon, bridges: ["b": "Upstairs", "c": "Cellar"])
        #expect(both.contains("BRIDGE") && both.contains("Upstairs") && both.contains("Cellar"))
        #expect(!Lists.lights(lights, on: .screen(), .noon).contains("BRIDGE"))
        // In a pipe it is always the last column.
        #expect(Lists.lights(lights, on: .pipe, .noon).split(separator: "\n").map { $0.last } == ["b", "c"])
        let scenes = [SceneBody(id: "b/1", name: "Relax", room: nil, bridge: "b")]
        #expect(Lists.scenes(scenes, on: .pipe) == "Relax\t-\tb/1\tb\t-\t-")
        #expect(Lists.scenes(scenes, on: .screen(), bridges: ["b": "Upstairs"]).contains("Upstairs"))
    }

    @Test func `a polled bridge shows its interval`() {
        var bridge = BridgeBody.make()
        (bridge.updates, bridge.intervalSeconds) = (.polling, 5)
        #expect(Lists.connection(bridge, .noon).text == "connected since 10:42, polled every 5 s")
        #expect(Lists.bridges([bridge], on: .pipe, .noon).hasSuffix("\t-\tpolling\t5\t-\t-"))
        (bridge.updates, bridge.intervalSeconds) = (.stream, nil)
        #expect(Lists.connection(bridge, .noon).text == "connected since 10:42")
        #expect(Lists.bridges([bridge], on: .pipe, .noon).hasSuffix("\tstream\t-\t-\t-"))
    }

    @Test func `power-up settings are a table on a terminal and rows in a pipe`() {
        var lamp = LightBody.make()
        lamp.configuration = LightConfiguration(powerup: .lastOnState)
        let lights = [lamp, .make("Old")]
        #expect(Lists.configuration(lights, .powerup, on: .pipe) == "Desk\tlast_on_state\tb/Desk\nOld\t-\tb/Old")
        #expect(Lists.configuration(lights, .powerup, on: .screen()).contains("not reported by its bridge"))
        #expect(Details.rendered(Details.light(lamp, .noon), on: .pipe).contains("after a power cut\tlast_on_state"))
    }
}
