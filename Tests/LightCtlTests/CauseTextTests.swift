import ControlProtocol
import Testing

@testable import lightctl

@Suite struct CauseTextTests {
    private func sentence(
        _ cause: CauseBody, _ freshness: LightBody.Freshness = .confirmed, power: Command.Power = .on
    ) -> String {
        CauseText.sentence(.make(power: power, freshness: freshness, cause: cause), .noon)
    }

    @Test(arguments: [
        (CauseBody.make(), "Desk is on at 40%, 2703K since 10:30:01: lightctl (uid 1000) said 'set Desk to 40 %'"),
        (.make(what: nil), "Desk is on at 40%, 2703K since 10:30:01: a command of lightctl (uid 1000)"),
        (
            .make(.scene, what: "@Study/Relax"),
            "Desk is on at 40%, 2703K since 10:30:01: lightctl (uid 1000) recalled scene '@Study/Relax'"
        ),
        (
            .make(.scene, by: nil, what: "@Study/Relax"),
            "Desk is on at 40%, 2703K since 10:30:01: another app recalled scene '@Study/Relax'"
        ),
        (
            .make(.wall, by: "Kitchen dimmer", what: nil),
            "Desk is on at 40%, 2703K since 10:30:01: somebody at the wall: Kitchen dimmer"
        ),
        (.make(.power, by: nil, what: nil), "Desk is on at 40%, 2703K since 10:30:01: power came back"),
        (
            .make(.elsewhere, by: nil, what: nil),
            "Desk is on at 40%, 2703K since 10:30:01: another app through the bridge, or a switch of which it tells nothing"
        ),
        (
            .make(.unseen, by: nil, what: nil),
            "Desk is on at 40%, 2703K: it was so at 10:30:01, when lightd began to listen"
        ),
    ])
    func `a sentence says who or what, and when`(cause: CauseBody, words: String) {
        #expect(sentence(cause) == words)
        #expect(sentence(cause, power: .off).hasPrefix("Desk is off"))
    }

    @Test func `what is not sure is not said as if it were`() {
        #expect(
            sentence(.make(), .expected)
                == "Desk is to be on at 40%, 2703K, which is not yet confirmed: at 10:30:01 lightctl (uid 1000) said 'set Desk to 40 %'"
        )
        #expect(
            sentence(.make(), .stale).hasPrefix(
                "Desk is out of sight since 10:42, for its bridge is; before, it was on at 40%, 2703K since 10:30:01: ")
        )
        #expect(
            sentence(.make(), .unreachable).hasPrefix(
                "Desk is out of reach since 10:42; before, it was on at 40%, 2703K since 10:30:01: "))
    }

    @Test(arguments: CauseBody.Kind.allCases) func `a pipe gets eight columns, whatever the cause`(kind: CauseBody.Kind)
    {
        let bare = LightBody.make(cause: .make(kind, by: nil, what: nil))
        let evil = LightBody.make("a\tb\u{1B}", cause: .make(kind, by: "c\nd", what: "e\tf"))
        let lines = CauseText.lines([bare, evil], on: .pipe, .noon).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.split(separator: "\t", omittingEmptySubsequences: false).count == 8 })
        #expect(!CauseText.sentence(evil, .noon).contains { "\t\n\u{1B}".contains($0) })
    }

    @Test func `undo is confirmed by the command, and what it left is named`() {
        let three = CommandReply(
            ticket: 1, lights: [.make(), .make("a"), .make("b")], commands: ["set @Kitchen to 40 %"], skipped: [])
        #expect(UndoText.line("undid", three) == "undid 'set @Kitchen to 40 %': 3 lights")
        #expect(UndoText.skipped(three, .noon) == nil)
        var left = CommandReply(ticket: 1, lights: [.make()], commands: ["a", "b"])
        left.skipped = ["Sink", "Fan"].map {
            .init(target: "b/\($0)", name: $0, cause: .make(.wall, by: "Kitchen dimmer", what: nil))
        }
        #expect(UndoText.line("redid", left) == "redid 'a', 'b': 1 light")
        let complaint = UndoText.skipped(left, .noon)
        #expect(complaint?.error.code.exitCode == .partly)
        #expect(
            complaint?.printed
                == """
                lightctl: 2 lights were left as they are
                  Sink, Fan: changed since by somebody at the wall: Kitchen dimmer at 10:30
                """)
    }

    @Test func `a table shows the bridge where there are several`() {
        let lights = [LightBody.make(), .make("Lamp", bridge: "c")]
        let both = Lists.lights(lights, on: .screen(), .noon, bridges: ["b": "Upstairs", "c": "Cellar"])
        #expect(both.contains("BRIDGE") && both.contains("Upstairs") && both.contains("Cellar"))
        #expect(!Lists.lights(lights, on: .screen(), .noon).contains("BRIDGE"))
        // In a pipe it always stands at the end.
        #expect(Lists.lights(lights, on: .pipe, .noon).split(separator: "\n").map { $0.last } == ["b", "c"])
        let scenes = [SceneBody(id: "b/1", name: "Relax", room: nil, bridge: "b")]
        #expect(Lists.scenes(scenes, on: .pipe) == "Relax\t-\tb/1\tb")
        #expect(Lists.scenes(scenes, on: .screen(), bridges: ["b": "Upstairs"]).contains("Upstairs"))
    }

    @Test func `a bridge that is asked says how often`() {
        var bridge = BridgeBody.make()
        (bridge.updates, bridge.intervalSeconds) = (.polling, 5)
        #expect(Lists.connection(bridge, .noon).words == "connected since 10:42, asked every 5 s")
        #expect(Lists.bridges([bridge], on: .pipe, .noon).hasSuffix("\t-\tpolling\t5"))
        (bridge.updates, bridge.intervalSeconds) = (.stream, nil)
        #expect(Lists.connection(bridge, .noon).words == "connected since 10:42")
        #expect(Lists.bridges([bridge], on: .pipe, .noon).hasSuffix("\tstream\t-"))
    }

    @Test func `what lamps do after a power cut is a table, and rows in a pipe`() {
        var lamp = LightBody.make()
        lamp.powerup = .lastOnState
        let lights = [lamp, .make("Old")]
        #expect(Lists.powerups(lights, on: .pipe) == "Desk\tlast_on_state\tb/Desk\nOld\t-\tb/Old")
        #expect(Lists.powerups(lights, on: .screen()).contains("not told by its bridge"))
        #expect(Details.rendered(Details.light(lamp, .noon), on: .pipe).contains("after a power cut\tlast_on_state"))
    }
}
