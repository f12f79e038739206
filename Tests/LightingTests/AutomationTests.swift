import HashTreeCollections
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

@DomainActor
struct AutomationTests {
    private static let hall = Sensor.make("hall", name: "Hall", motion: false)
    private static let dimmer = Sensor.dimmer()
    private static let desk = HomeFixture.desk
    private static let stove = HomeFixture.stove
    private static let sink = HomeFixture.sink

    /// 22 November 2026, 12:00 UTC, a Sunday.
    private static let noon = Timestamp(milliseconds: 1_795_348_800_000)

    private static func command(_ text: String) -> Automation.Step { .command(TestCommands.command(text)) }
    private static let motion = Automation.Trigger.becomes(.motion("Hall", true))

    /// A home whose bridge is connected and whose automations have begun.
    private func home(
        _ automations: Automation..., time: HomeTime = .utc
    ) -> AutomationFixture {
        AutomationFixture(automations, sensors: [Self.hall, Self.dimmer], time: time, at: Self.noon)
    }

    // MARK: - Triggers

    @Test func `a report starts an automation, which sends what a person would send`() {
        let home = home(Automation(name: "Light", triggers: [Self.motion], steps: [Self.command("on stove")]))
        home.report(Self.hall, .init(motion: true))
        #expect(home.sent == [.turn(.on, .light(Self.stove.id), over: .usual)])
        #expect(home.domain.light(Self.stove.id)?.cause.ticket?.holder == "automation 'Light'")
        #expect(home.ended("Light").map(\.outcome) == [.succeeded])
    }

    @Test func `motion that goes on, or was not known before, starts nothing`() {
        let home = home(Automation(name: "Light", triggers: [Self.motion], steps: [Self.command("on stove")]))
        home.report(Self.hall, .init(motion: true))
        home.report(Self.hall, .init(motion: true))
        #expect(home.sent.count == 1)
        home.report(Self.hall, .init(motion: false))
        home.report(Self.hall, .init(motion: true))
        #expect(home.sent.count == 2)
    }

    @Test(arguments: [true, false])
    func `a home that is read again starts nothing, but what is to last a while lasts from then on`(lasts: Bool) {
        let trigger = Automation.Trigger.becomes(.motion("Hall", true), for: lasts ? .seconds(60) : nil)
        let home = home(Automation(name: "Light", triggers: [trigger], steps: [Self.command("on stove")]))
        home.refetch(with: [Sensor.make("hall", name: "Hall", motion: true), Self.dimmer])
        #expect(home.sent.isEmpty)
        home.domain.wait(.seconds(59))
        #expect(home.sent.isEmpty)
        home.domain.wait(.seconds(1))
        #expect(home.sent.count == (lasts ? 1 : 0))
    }

    @Test func `what must be true for a while starts over when it is interrupted`() {
        let dark = Automation.Trigger.becomes(.lightLevel("hall", .below(12)), for: .seconds(300))
        let home = home(Automation(name: "Dark", triggers: [dark], steps: [Self.command("on stove")]))
        home.report(Self.hall, .init(lightLevel: 50))
        home.report(Self.hall, .init(lightLevel: 5))
        home.domain.wait(.seconds(200))
        home.report(Self.hall, .init(lightLevel: 20))
        home.domain.wait(.seconds(200))
        #expect(home.sent.isEmpty)
        home.report(Self.hall, .init(lightLevel: 5))
        home.domain.wait(.seconds(299))
        #expect(home.sent.isEmpty)
        home.report(Self.hall, .init(lightLevel: 7))
        home.domain.wait(.seconds(1))
        #expect(home.sent.count == 1)
        home.domain.wait(.seconds(3600))
        #expect(home.sent.count == 1)
    }

    @Test(arguments: [true, false])
    func `what must be true for a while does not count while its bridge is lost, and counts anew afterwards`(
        isTrigger: Bool
    ) {
        let quiet = Automation.Check.motion("Hall", false)
        let home = home(
            isTrigger
                ? Automation(
                    name: "Quiet", triggers: [.becomes(quiet, for: .seconds(300))], steps: [Self.command("off desk")])
                : Automation(
                    name: "Quiet", triggers: [.press(sensor: "dimmer", button: 1, .pressed)],
                    steps: [.waitFor(quiet, for: .seconds(300)), Self.command("off desk")]))
        home.report(Self.hall, .init(motion: true))
        home.press(Self.dimmer, 1, .pressed)
        home.report(Self.hall, .init(motion: false))
        home.domain.wait(.seconds(200))
        home.domain.stack.tell(.lost(.sample, because: .unreachable(.sample, because: "no route")))
        home.domain.settle()
        home.domain.wait(.seconds(400))
        #expect(home.texts.isEmpty)
        home.begin()
        #expect(home.texts.isEmpty)
        home.domain.wait(.seconds(299))
        #expect(home.texts.isEmpty)
        home.domain.wait(.seconds(1))
        #expect(home.texts == ["off desk"])
        // It has done its part: another outage is no reason to do it again.
        home.domain.stack.tell(.lost(.sample, because: .unreachable(.sample, because: "no route")))
        home.domain.settle()
        home.begin()
        home.domain.wait(.seconds(600))
        #expect(home.texts == ["off desk"])
    }

    @Test func `a light that is switched starts an automation when its bridge says so, not when it is asked for`() {
        let trigger = Automation.Trigger.becomes(.power("stove", .on))
        let home = home(Automation(name: "Fan", triggers: [trigger], steps: [Self.command("off fan")]))
        home.domain.stack.echo(false)
        home.domain.send(.turn(.on, .light(Self.stove.id), over: .usual))
        #expect(home.sent.isEmpty)
        home.domain.stack.echo(true)
        home.domain.stack.tell(.light(Self.stove.id, Light.Report(power: .on)))
        home.domain.settle()
        #expect(home.sent.count == 1)
    }

    @Test func `a room is off when its last light is, and on when its first light is`() {
        let home = home(
            Automation(
                name: "Dark", triggers: [.becomes(.power("@Kitchen", .off))], steps: [Self.command("off desk")]),
            Automation(
                name: "Lit", triggers: [.becomes(.power("@Kitchen", .on))], steps: [Self.command("on desk")]))
        for light in [Self.sink, HomeFixture.fan] {
            #expect(home.sent.isEmpty)
            home.domain.stack.tell(.light(light.id, Light.Report(power: .off)))
            home.domain.settle()
        }
        #expect(home.sent == [.turn(.off, .light(Self.desk.id), over: .usual)])
        home.domain.stack.tell(.light(Self.stove.id, Light.Report(power: .on)))
        home.domain.settle()
        #expect(home.sent.last == .turn(.on, .light(Self.desk.id), over: .usual))
    }

    @Test func `a lost bridge starts what waits for that`() {
        let trigger = Automation.Trigger.becomes(.bridge(nil, isConnected: false))
        let home = home(Automation(name: "Lost", triggers: [trigger], steps: [Self.command("toggle desk")]))
        home.domain.stack.tell(.lost(.sample, because: .unreachable(.sample, because: "no route")))
        home.domain.settle()
        #expect(home.started("Lost") == 1)
    }

    /// Two automations of the dimmer's first button.
    private func shortAndDouble() -> AutomationFixture {
        func on(_ press: ButtonPress, _ text: String) -> Automation {
            Automation(
                name: text, triggers: [.press(sensor: "dimmer", button: 1, press)], steps: [Self.command(text)])
        }
        return home(on(.released, "on stove"), on(.releasedTwice, "on fan"))
    }

    @Test func `two short presses are a double press, and no short one`() {
        let home = shortAndDouble()
        home.press(Self.dimmer, 1, .pressed, .released)
        home.domain.wait(.milliseconds(300))
        // The second takes its time.
        home.press(Self.dimmer, 1, .pressed)
        home.domain.wait(.milliseconds(500))
        home.press(Self.dimmer, 1, .released)
        #expect(home.texts == ["on fan"])
        // The bridge may tell it too.
        home.press(Self.dimmer, 1, .releasedTwice)
        home.domain.wait(.seconds(5))
        #expect(home.texts == ["on fan"])
        home.press(Self.dimmer, 1, .releasedTwice)
        #expect(home.texts == ["on fan", "on fan"])
    }

    @Test func `a short press waits for the second only where a double press means something`() {
        let home = shortAndDouble()
        home.press(Self.dimmer, 1, .pressed, .released)
        home.domain.wait(.milliseconds(599))
        #expect(home.texts.isEmpty)
        home.domain.wait(.milliseconds(1))
        #expect(home.texts == ["on stove"])
        // What comes later is another press.
        home.press(Self.dimmer, 1, .pressed, .released)
        home.domain.wait(.milliseconds(600))
        #expect(home.texts == ["on stove", "on stove"])
        // A short press and a long one are no double press.
        home.press(Self.dimmer, 1, .pressed, .released)
        home.domain.wait(.milliseconds(300))
        home.press(Self.dimmer, 1, .pressed)
        home.domain.wait(.milliseconds(800))
        home.press(Self.dimmer, 1, .held, .releasedLong)
        #expect(home.texts == ["on stove", "on stove", "on stove"])
        // Of other buttons, and if nobody waits for it, a short press is one at once.
        home.domain.send(Message.Automations.enable(Automation.ID("on fan"), false))
        home.press(Self.dimmer, 1, .pressed, .released)
        #expect(home.texts.count == 4)
    }

    @Test func `a short press, a long one, and only the button that is named`() {
        func on(_ button: Int?, _ press: ButtonPress, _ text: String) -> Automation {
            Automation(
                name: text, triggers: [.press(sensor: "dimmer", button: button, press)], steps: [Self.command(text)])
        }
        let home = home(
            on(1, .released, "on stove"), on(1, .longPressed, "dim stove 50"), on(nil, .pressed, "toggle fan"))
        home.press(Self.dimmer, 1, .pressed, .released)
        #expect(home.texts == ["toggle fan", "on stove"])
        home.press(Self.dimmer, 2, .pressed, .released)
        #expect(home.texts == ["toggle fan", "on stove", "toggle fan"])
        // Held for long: told by some switches, to be concluded for others, and once in any case.
        home.press(Self.dimmer, 1, .held, .held, .longPressed, .held, .releasedLong)
        #expect(home.texts.suffix(1) == ["dim stove 50"])
        #expect(home.texts.count == 4)
        home.press(Self.dimmer, 1, .longPressed, .releasedLong)
        #expect(home.texts.count == 5)
    }

    @Test func `what depends on a lost bridge is not known, and a sensor without battery does not count`() {
        let quiet = Automation(
            name: "Quiet", triggers: [.press(sensor: "dimmer", button: 1, .pressed)],
            conditions: [.check(.motion("Hall", false))], steps: [Self.command("on stove")])
        let home = home(quiet)
        let hall = Sensor.make("hall2", name: "Hall", motion: true)
        home.refetch(with: [Self.hall, Self.dimmer, hall])
        home.press(Self.dimmer, 1, .pressed)
        #expect(home.texts.isEmpty)
        home.report(hall, .init(reachable: false))
        home.press(Self.dimmer, 1, .pressed)
        #expect(home.texts == ["on stove"])
        home.domain.stack.tell(.lost(.sample, because: .unreachable(.sample, because: "no route")))
        home.domain.settle()
        #expect(home.truth(.motion("Hall", false)) == nil)
        #expect(home.truth(.power("@Kitchen", .off)) == nil)
    }

    // MARK: - Conditions and modes

    @Test func `a condition that does not hold, or that nobody can judge, prevents a run and is remembered`() {
        let off = Automation.Condition.check(.power("@Kitchen", .off))
        let warm = Automation.Condition.check(.temperature("Hall", .above(20)))
        let home = home(
            Automation(name: "One", triggers: [Self.motion], conditions: [off], steps: [Self.command("on stove")]),
            Automation(name: "Two", triggers: [Self.motion], conditions: [warm], steps: [Self.command("on stove")]))
        home.report(Self.hall, .init(motion: true))
        #expect(home.sent.isEmpty)
        let skipped = home.state.skipped
        #expect(skipped[Automation.ID("One")]?.reason == .condition(off))
        #expect(skipped[Automation.ID("Two")]?.reason == .unknown(warm))
    }

    @Test func `an alternative that holds is enough, whatever is unknown about the other`() {
        let warm = Automation.Condition.check(.temperature("Hall", .above(20)))
        let lit = Automation.Condition.check(.power("desk", .on))
        let home = home(
            Automation(
                name: "Any", triggers: [Self.motion], conditions: [.any([warm, lit])],
                steps: [Self.command("on stove")]))
        home.report(Self.hall, .init(motion: true))
        #expect(home.sent.count == 1)
    }

    @Test(arguments: RunMode.allCases)
    func `while it runs, a trigger is ignored or begins anew`(mode: RunMode) {
        let home = home(
            Automation(
                name: "Wait", triggers: [.press(sensor: "dimmer", button: 1, .pressed)],
                steps: [Self.command("on stove"), .wait(.seconds(60)), Self.command("off stove")], mode: mode))
        home.press(Self.dimmer, 1, .pressed)
        home.domain.wait(.seconds(50))
        home.press(Self.dimmer, 1, .pressed)
        home.domain.wait(.seconds(20))
        #expect(home.texts == (mode == .single ? ["on stove", "off stove"] : ["on stove", "on stove"]))
        home.domain.wait(.seconds(40))
        #expect(home.texts.last == "off stove")
    }

    // MARK: - Steps

    private static let hallAtNight = Automation(
        name: "Hall at night", triggers: [motion],
        steps: [
            command("dim @kitchen 5"), .waitFor(.motion("Hall", false), for: .seconds(120)), .restore("@Kitchen"),
        ])

    @Test func `what a run has changed is restored once nobody has moved for a while`() {
        let home = home(Self.hallAtNight)
        let before = home.domain.store.state().lights(in: .room(HomeFixture.kitchen.id)).map(\.values)
        home.report(Self.hall, .init(motion: true))
        #expect(home.domain.light(Self.stove.id)?.power == .on)
        home.report(Self.hall, .init(motion: false))
        home.domain.wait(.seconds(100))
        home.report(Self.hall, .init(motion: true))
        home.report(Self.hall, .init(motion: false))
        home.domain.wait(.seconds(119))
        #expect(home.domain.light(Self.stove.id)?.power == .on)
        home.domain.wait(.seconds(1))
        let after = home.domain.store.state().lights(in: .room(HomeFixture.kitchen.id)).map(\.values)
        #expect(zip(before, after).allSatisfy { $0.power == $1.power })
        #expect(after[1].brightness == before[1].brightness)
        #expect(home.ended("Hall at night").map(\.outcome) == [.succeeded])
    }

    @Test func `what a person has changed meanwhile is not restored`() {
        let home = home(Self.hallAtNight)
        home.report(Self.hall, .init(motion: true))
        home.domain.send(.apply(.values(.bri(0.9)), on: .light(Self.sink.id), over: .usual))
        home.report(Self.hall, .init(motion: false))
        home.domain.wait(.seconds(120))
        #expect(home.domain.light(Self.sink.id)?.brightness == 0.9)
        #expect(home.domain.light(Self.stove.id)?.power == .off)
    }

    @Test func `a run that begins anew restores what the first one found`() {
        let home = home(
            Automation(
                name: "Anew", triggers: [.press(sensor: "dimmer", button: 1, .pressed)],
                steps: [Self.command("on stove"), .wait(.seconds(60)), .restore("stove")], mode: .restart))
        home.press(Self.dimmer, 1, .pressed)
        home.domain.wait(.seconds(30))
        home.press(Self.dimmer, 1, .pressed)
        home.domain.wait(.seconds(60))
        #expect(home.domain.light(Self.stove.id)?.power == .off)
    }

    @Test func `a wait that is limited ends then`() {
        let home = home(
            Automation(
                name: "Wait", triggers: [Self.motion],
                steps: [
                    .waitFor(.motion("Hall", false), atMost: .seconds(60)), Self.command("off desk"),
                ]))
        home.report(Self.hall, .init(motion: true))
        home.domain.wait(.seconds(59))
        #expect(home.texts.isEmpty)
        home.domain.wait(.seconds(1))
        #expect(home.texts == ["off desk"])
    }

    @Test func `a name that no longer exists is said, and the other steps are done`() {
        let home = home(
            Automation(
                name: "Gone", triggers: [Self.motion], steps: [Self.command("on lamp"), Self.command("on stove")]))
        home.report(Self.hall, .init(motion: true))
        #expect(home.texts == ["on stove"])
        #expect(home.ended("Gone").map(\.outcome) == [.failed(.invalid("there is no 'lamp'"))])
    }

    @Test func `one undo takes back all that a run has done`() {
        let home = home(
            Automation(
                name: "Evening", triggers: [Self.motion], steps: [Self.command("on stove"), Self.command("off desk")]))
        home.report(Self.hall, .init(motion: true))
        #expect(home.domain.light(Self.desk.id)?.power == .off)
        home.domain.send(.undo(1, over: .usual))
        #expect(home.domain.light(Self.desk.id)?.power == .on)
        #expect(home.domain.light(Self.stove.id)?.power == .off)
    }

    // MARK: - By hand

    @Test func `a run by hand needs no trigger and no condition, and is answered with its outcome`() {
        let home = home(
            Automation(
                name: "Bath", triggers: [], conditions: [.not(.any([]))], steps: [Self.command("on lamp")],
                isEnabled: false))
        let ticket = home.domain.send(Message.Automations.run(Automation.ID("BATH")))
        #expect(home.domain.response(to: ticket)?.outcome == .failed(.invalid("there is no 'lamp'")))
        let unknown = home.domain.send(Message.Automations.run(Automation.ID("none")))
        #expect(home.domain.response(to: unknown)?.outcome == .failed(.noSuchAutomation(Automation.ID("none"))))
    }

    @Test func `a run by hand that waits is answered when it begins to wait`() {
        let home = home(
            Automation(name: "Wait", triggers: [], steps: [Self.command("on stove"), .wait(.seconds(60))]))
        let ticket = home.domain.send(Message.Automations.run(Automation.ID("Wait")))
        #expect(home.domain.response(to: ticket)?.outcome == .succeeded)
        let second = home.domain.send(Message.Automations.run(Automation.ID("Wait")))
        #expect(home.domain.response(to: second)?.outcome?.failure != nil)
    }

    @Test func `an automation that is disabled does not run, and does again when it is enabled`() {
        let home = home(Automation(name: "Light", triggers: [Self.motion], steps: [Self.command("on stove")]))
        home.domain.send(Message.Automations.enable(Automation.ID("light"), false))
        home.report(Self.hall, .init(motion: true))
        home.report(Self.hall, .init(motion: false))
        #expect(home.texts.isEmpty)
        home.domain.send(Message.Automations.enable(Automation.ID("light"), true))
        home.report(Self.hall, .init(motion: true))
        #expect(home.texts == ["on stove"])
    }

    @Test func `a new set says what it changes, and what stays goes on`() {
        let stays = Automation(
            name: "Stays", triggers: [Self.motion], steps: [.wait(.seconds(60)), Self.command("on stove")])
        let home = home(stays, Automation(name: "Goes", triggers: [], steps: []))
        home.report(Self.hall, .init(motion: true))
        let ticket = home.domain.send(
            Message.Automations.replace([stays, Automation(name: "New", triggers: [], steps: [])]))
        guard case let .automations(.replacing(difference, .succeeded), _) = home.domain.response(to: ticket) else {
            Issue.record("not replaced")
            return
        }
        #expect(difference == Message.Automations.Difference(added: ["New"], removed: ["Goes"]))
        home.domain.wait(.seconds(60))
        #expect(home.texts == ["on stove"])
    }

    // MARK: - The clock

    @Test func `it is done at its time, once a day`() {
        let home = home(
            Automation(
                name: "Morning", triggers: [.clock(.at(.time(TimeOfDay(hour: 6, minute: 45))))],
                steps: [Self.command("on stove")]))
        home.domain.wait(.seconds(18 * 3600 + 44 * 60))
        #expect(home.texts.isEmpty)
        home.domain.wait(.seconds(60))
        #expect(home.texts.count == 1)
        for count in 2...4 {
            home.domain.wait(.seconds(86_400))
            #expect(home.texts.count == count)
        }
    }

    @Test(arguments: [(300, 1), (900, 0)])
    func `what was missed while lightd was not running is caught up if it is not too late`(
        minutesAndRuns: (seconds: Int, runs: Int)
    ) {
        let noon = Automation(
            name: "Noon", triggers: [.clock(.at(.time(TimeOfDay(hour: 13))))], steps: [Self.command("on stove")])
        let home = home(noon)
        home.domain.wait(.seconds(3500))
        let restarted = home.restarted(after: .seconds(100 + minutesAndRuns.seconds))
        #expect(restarted.texts.count == minutesAndRuns.runs)
        restarted.domain.wait(.seconds(3600))
        #expect(restarted.texts.count == minutesAndRuns.runs)
        #expect(restarted.skips("Noon") == 1 - minutesAndRuns.runs)
    }

    @Test func `a command that depends on when it comes is not caught up`() {
        let home = home(
            Automation(
                name: "Noon", triggers: [.clock(.at(.time(TimeOfDay(hour: 13))))], steps: [Self.command("toggle stove")]
            ))
        home.domain.wait(.seconds(3500))
        #expect(home.restarted(after: .seconds(300)).texts.isEmpty)
    }

    @Test func `what was missed waits until the bridge has been tried`() {
        let noon = Automation(
            name: "Noon", triggers: [.clock(.at(.time(TimeOfDay(hour: 13))))], steps: [Self.command("on stove")])
        let home = home(noon)
        home.domain.wait(.seconds(3500))
        let restarted = home.restarted(after: .seconds(200), begins: false)
        restarted.domain.wait(.seconds(1))
        #expect(restarted.texts.isEmpty)
        restarted.begin()
        #expect(restarted.texts == ["on stove"])
    }

    // MARK: - Timers

    @Test func `a timer runs once, and is gone`() {
        let home = home()
        let time = home.domain.clock.now.advanced(by: .seconds(1200))
        let ticket = home.domain.send(
            Message.Automations.schedule(
                Automation(
                    name: "", triggers: [.clock(.once(time))], steps: [Self.command("off desk")],
                    kind: .once(by: "test"))))
        #expect(
            home.domain.response(to: ticket)
                == .automations(.scheduling(Automation.ID("timer 1"), .succeeded), ticket: ticket))
        #expect(home.state.all.map(\.name) == ["timer 1"])
        home.domain.wait(.seconds(1199))
        #expect(home.texts.isEmpty)
        home.domain.wait(.seconds(1))
        #expect(home.texts == ["off desk"])
        #expect(home.state.all.isEmpty)
        #expect(home.restarted(after: .seconds(1)).state.all.isEmpty)
    }

    @Test(arguments: ["off desk", "toggle desk"])
    func `a timer is neither lost nor kept if lightd is killed between two saves at its due moment`(command: String) {
        let home = home()
        let timer = Automation(
            name: "", triggers: [.clock(.once(home.domain.clock.now.advanced(by: .seconds(60))))],
            steps: [Self.command(command)], kind: .once(by: "test"))
        home.domain.send(Message.Automations.schedule(timer))
        let before = home.domain.archive.items.count
        home.domain.stack.hold()
        home.domain.wait(.seconds(60))
        #expect(home.domain.archive.items.count > before + 1)
        for saves in before...home.domain.archive.items.count {
            let restarted = home.restarted(after: .seconds(1), saves: saves)
            // What may have been sent and must not be repeated counts as done.
            #expect(restarted.texts == (saves == before || command == "off desk" ? [command] : []), "\(saves - before)")
            #expect(restarted.state.timers.isEmpty && restarted.state.runs.isEmpty)
            #expect(restarted.restarted(after: .seconds(1)).state.timers.isEmpty)
        }
    }

    @Test func `no timer gets the number of one before it, also after a restart`() {
        var home = home()
        for number in 1...3 {
            if number == 3 { home = home.restarted(after: .seconds(1)) }
            home.domain.send(
                Message.Automations.schedule(
                    Automation(
                        name: "", triggers: [.clock(.at(.time(.midnight), .all))], steps: [Self.command("off desk")],
                        kind: .once(by: "test"))))
            #expect(home.state.timers.map(\.name) == ["timer \(number)"])
            home.domain.send(Message.Automations.remove(Automation.ID("timer \(number)")))
        }
    }

    @Test func `automations that set each other off pause, which is said once, and can be let go on`() {
        func becomes(_ power: Turn) -> [Automation.Trigger] { [.becomes(.power("stove", power))] }
        let home = home(
            Automation(name: "Ping", triggers: becomes(.on), steps: [Self.command("off stove")]),
            Automation(name: "Pong", triggers: becomes(.off), steps: [Self.command("on stove")]))
        func change(_ power: Turn) {
            home.domain.stack.tell(.light(Self.stove.id, Light.Report(power: power)))
            home.domain.settle()
        }
        for _ in 0..<30 {
            change(.on)
            change(.off)
            home.domain.wait(.seconds(1))
        }
        #expect(home.started("Ping") == 20 && home.started("Pong") == 20)
        let skipped = home.domain.recorder.messages.filter {
            if case .automations(.skipped(_, named: _, because: .tooOften), _) = $0 { true } else { false }
        }
        #expect(skipped.count == 2)
        #expect(home.state.paused.count == 2)
        home.domain.send(Message.Automations.enable(Automation.ID("ping"), true))
        change(.on)
        #expect(home.started("Ping") == 21 && home.started("Pong") == 20)
        change(.off)
        home.domain.wait(.seconds(600))
        change(.on)
        #expect(home.started("Ping") > 21 && home.started("Pong") > 20)
        #expect(!home.state.paused.isEmpty)
    }

    /// At 1 Hz and at 10 Hz. Each run costs the journal some rows, and the archive a write.
    @Test(arguments: [Duration.seconds(1), .milliseconds(100)])
    func `a sensor that chatters starts an automation twenty times a minute at most, and is not left alone for longer`(
        pause: Duration
    ) {
        let home = home(Automation(name: "Hall", triggers: [Self.motion], steps: [Self.command("on stove")]))
        for _ in 0..<Int(Duration.seconds(300) / pause) {
            home.report(Self.hall, .init(motion: true))
            home.report(Self.hall, .init(motion: false))
            home.domain.wait(pause)
        }
        #expect((95...105).contains(home.started("Hall")))
        let skipped = home.domain.recorder.messages.filter {
            if case .automations(.skipped, _) = $0 { true } else { false }
        }
        #expect(skipped.count <= 6)
        home.domain.wait(.seconds(60))
        let before = home.started("Hall")
        home.report(Self.hall, .init(motion: true))
        #expect(home.started("Hall") == before + 1)
    }

    @Test func `a run whose bridge is away goes on when the bridge is back, if it may come late`() {
        for (steps, texts) in [
            (["on stove", "off desk"], ["on stove", "on stove", "off desk"]),
            (["toggle stove", "off desk"], ["toggle stove", "off desk", "off desk"]),
        ] {
            let time = Self.noon.advanced(by: .seconds(60))
            let home = home(
                Automation(
                    name: "Due", triggers: [.clock(.once(time))], steps: steps.map(Self.command), lateness: .catchUp))
            let failure = Failure.unreachable(.sample, because: "no route")
            home.domain.stack.end(with: .failed(failure))
            home.domain.stack.tell(.lost(.sample, because: failure))
            home.domain.wait(.seconds(60))
            #expect(home.texts == Array(texts.prefix(steps == ["on stove", "off desk"] ? 1 : 2)))
            home.domain.wait(.seconds(300))
            home.domain.stack.end(with: .succeeded)
            home.domain.stack.tell(.connected(.sample, by: .stream))
            home.domain.settle()
            #expect(home.texts == texts)
            #expect(home.state.runs.isEmpty)
        }
    }

    @Test func `a bridge that stays away fails the step after ten minutes`() {
        let home = home(Automation(name: "Due", triggers: [Self.motion], steps: [Self.command("on stove")]))
        let failure = Failure.unreachable(.sample, because: "no route")
        home.domain.stack.end(with: .failed(failure))
        home.report(Self.hall, .init(motion: true))
        #expect(home.state.runs.count == 1)
        home.domain.stack.tell(.lost(.sample, because: failure))
        home.domain.settle()
        home.domain.wait(.seconds(601))
        #expect(home.ended("Due").map(\.outcome) == [.failed(failure)])
        #expect(home.texts == ["on stove"])
    }

    @Test func `a step that must not be repeated is not, at whatever moment lightd is killed`() {
        let steps = ["on desk", "toggle stove", "toggle sink"].map(Self.command)
        for answered in 0..<4 {
            let home = home(
                Automation(
                    name: "Due", triggers: [.clock(.once(Self.noon.advanced(by: .seconds(60))))], steps: steps,
                    lateness: .catchUp))
            home.domain.stack.hold()
            home.domain.wait(.seconds(60))
            for _ in 0..<answered {
                home.domain.stack.releaseOne()
                home.domain.settle()
            }
            let before = home.texts
            let restarted = home.restarted(after: .seconds(1))
            let all = before + restarted.texts
            for toggle in ["toggle stove", "toggle sink"] {
                #expect(all.count { $0 == toggle } == 1, "\(answered): \(before), then \(restarted.texts)")
            }
        }
    }

    /// A home half a second after a run has dimmed the desk; in two and a half seconds this step is due.
    private func homeWaiting(for step: Automation.Step) -> AutomationFixture {
        let home = home(
            Automation(
                name: "A", triggers: [Self.motion],
                steps: [Self.command("dim desk 20"), .wait(.seconds(3)), step, Self.command("off sink")]))
        home.report(Self.hall, .init(motion: true))
        home.domain.wait(.milliseconds(500))
        return home
    }

    @Test(arguments: ["toggle stove", "on stove", "restore"], [false, true])
    func `the step behind a wait that fell due while lightd did not run is done once`(step: String, isAgain: Bool) {
        let second = step == "restore" ? Automation.Step.restore("desk") : Self.command(step)
        let home = homeWaiting(for: second)
        let restarted = home.restarted(after: .seconds(4))
        #expect(restarted.sent.count == 2)
        #expect(restarted.texts == [step, "off sink"].filter { $0 != "restore" })
        #expect(restarted.ended("A").map(\.outcome) == [.succeeded])
        if isAgain { #expect(restarted.restarted(after: .seconds(1)).sent.isEmpty) }
    }

    @Test(arguments: ["on stove", "restore", "restore all", "wait"])
    func `the step behind a wait is done once if lightd starts before its bridge`(step: String) {
        let second: Automation.Step =
            switch step {
            case "restore": .restore("desk")
            case "restore all": .restore("all")
            case "wait": .waitFor(.power("stove", .off), for: nil, atMost: nil)
            default: Self.command(step)
            }
        let home = homeWaiting(for: second)
        let before = home.domain.light(Self.desk.id)?.brightness
        let restarted = home.restarted(after: .seconds(4), begins: false)
        restarted.domain.stack.tell(.lost(.sample, because: .unreachable(.sample, because: "no route")))
        restarted.domain.settle()
        restarted.domain.wait(.seconds(30))
        #expect(restarted.sent.count { if case .restore = $0 { false } else { true } } == 0)
        restarted.begin()
        #expect(restarted.texts == [step, "off sink"].filter { $0.hasPrefix("on") || $0.hasPrefix("off") })
        #expect(restarted.ended("A").map(\.outcome) == [.succeeded])
        let isRestored = restarted.domain.light(Self.desk.id)?.brightness != before
        #expect(isRestored == step.hasPrefix("restore"))
        #expect(restarted.restarted(after: .seconds(1)).sent.isEmpty)
    }

    @Test(arguments: [true, false])
    func `a wait for what a run's own command is about to change does not end before the bridge has reported that`(
        isCarriedOut: Bool
    ) {
        let home = home(
            Automation(
                name: "A", triggers: [Self.motion],
                steps: [
                    Self.command("on stove"), .waitFor(.power("stove", .off), for: nil, atMost: .seconds(60)),
                    Self.command("off sink"),
                ]))
        home.domain.stack.echo(false)
        home.report(Self.hall, .init(motion: true))
        #expect(home.texts == ["on stove"])
        guard isCarriedOut else {
            // Nobody reports anything: after eight seconds the stove counts as off, as it was.
            home.domain.wait(.seconds(7))
            #expect(home.texts == ["on stove"])
            home.domain.wait(.seconds(2))
            #expect(home.texts == ["on stove", "off sink"])
            return
        }
        home.domain.stack.tell(.light(Self.stove.id, Light.Report(power: .on)))
        home.domain.settle()
        home.domain.wait(.seconds(20))
        #expect(home.texts == ["on stove"])
        home.domain.stack.tell(.light(Self.stove.id, Light.Report(power: .off)))
        home.domain.settle()
        #expect(home.texts == ["on stove", "off sink"])
    }

    @Test(arguments: ["dim", "undo", "hand"])
    func `a run restores what was asked of a lamp out of reach, unless somebody has changed that`(last: String) {
        let home = home(
            Automation(
                name: "A", triggers: [Self.motion],
                steps: [Self.command("on desk"), .wait(.seconds(3)), .restore("desk")]))
        func dim(to level: Double) {
            home.domain.send {
                .lighting(.apply(.values(.bri(level)), on: .light(Self.desk.id), over: .usual), ticket: $0)
            }
        }
        dim(to: 0.6)
        home.domain.stack.tell(.light(Self.desk.id, .init(reachable: false)))
        home.domain.stack.end(with: .failed(.unconfirmed(by: .sample, words: "the lamp is out of reach")))
        home.domain.settle()
        // The bridge keeps it for the lamp's return, and has not reported it.
        dim(to: 0.2)
        #expect(home.domain.light(Self.desk.id)?.brightness == 0.6)
        switch last {
        case "undo": home.domain.send { .lighting(.undo(1, over: .usual), ticket: $0) }
        case "hand":
            home.domain.stack.tell(.light(Self.desk.id, Light.Report(.bri(0.4), source: .otherApp)))
            home.domain.settle()
        default: break
        }
        let wanted = last == "dim" ? 0.2 : last == "undo" ? 0.6 : 0.4
        home.report(Self.hall, .init(motion: true))
        #expect(home.state.runs.first?.before.map(\.values.brightness) == [wanted])
        let ticket = home.domain.recorder.messages.last { $0.ticket.holder == "automation 'A'" && !$0.isResponse }?
            .ticket
        home.domain.stack.tell(
            .light(Self.desk.id, Light.Report(.bri(wanted), source: ticket.map { .command($0) })))
        home.domain.settle()
        home.domain.wait(.seconds(3))
        let restored = home.sent.compactMap { command -> Double? in
            if case let .restore(states, _) = command { states.first?.values.brightness ?? -1 } else { nil }
        }
        // What it shows already is nobody's doing but theirs.
        #expect(restored == [last == "dim" ? wanted : -1])
    }

    @Test func `of a step for all lights, only what a bridge has missed is done again`() throws {
        let home = home(Automation(name: "A", triggers: [Self.motion], steps: [Self.command("off all")]))
        let attic = Bridge.ID("b")
        let failure = Failure.unreachable(attic, because: "no route")
        let lamp = Light.make("lamp", name: "Lamp", bridge: attic)
        home.domain.store.change(
            by: .adding(.bridge(.make(id: attic, connection: .lost(since: Self.noon, because: failure)))))
        home.report(Self.hall, .init(motion: true))
        #expect(home.texts == ["off all"] && home.state.runs.count == 1)
        // Somebody wants light meanwhile.
        home.domain.stack.tell(.light(Self.desk.id, Light.Report(power: .on, source: .accessory("Dial"))))
        home.domain.stack.tell(.home(attic, lights: [lamp], rooms: [], scenes: [], sensors: []))
        home.domain.stack.tell(.connected(attic, by: .stream))
        home.domain.settle()
        #expect(home.domain.light(lamp.id)?.power == .off)
        #expect(home.domain.light(Self.desk.id)?.power == .on)
        #expect(home.ended("A").map(\.outcome) == [.succeeded])
    }

    @Test func `a step is tried again whatever the others may do, unless the automation skips what is late`() {
        for (lateness, texts) in [
            (nil, ["on stove", "on stove", "toggle sink"]), (.skip, ["on stove", "toggle sink"]),
        ]
            as [(Automation.Lateness?, [String])]
        {
            let time = Self.noon.advanced(by: .seconds(60))
            let home = home(
                Automation(
                    name: "A", triggers: [.clock(.once(time))], steps: ["on stove", "toggle sink"].map(Self.command),
                    lateness: lateness))
            let failure = Failure.unreachable(.sample, because: "no route")
            home.domain.stack.end(with: .failed(failure))
            home.domain.stack.tell(.lost(.sample, because: failure))
            home.domain.wait(.seconds(60))
            home.domain.stack.end(with: .succeeded)
            home.domain.stack.tell(.connected(.sample, by: .stream))
            home.domain.settle()
            #expect(home.texts == texts)
        }
    }

    @Test(arguments: [true, false])
    func `what is asked for a while and cannot be done leaves no timer`(isPossible: Bool) {
        let home = home()
        let timer = Automation(
            name: "", triggers: [],
            steps: [
                Self.command("on nowhere"), Self.command(isPossible ? "on stove" : "on nobody"), .wait(.seconds(60)),
                .restore("stove"),
            ], kind: .once(by: "test"))
        let ticket = home.domain.send(Message.Automations.schedule(timer))
        #expect(home.domain.response(to: ticket)?.outcome?.failure != nil)
        #expect(home.state.timers.count == (isPossible ? 1 : 0))
    }

    @Test func `a timer that falls due before lightd has reached its bridge is kept for it`() {
        let home = home()
        let timer = Automation(
            name: "", triggers: [.clock(.after(.seconds(3), since: Self.noon))],
            steps: [Self.command("on stove"), .wait(.seconds(60)), .restore("stove")], kind: .once(by: "test"))
        home.domain.send(Message.Automations.schedule(timer))
        let restarted = home.restarted(after: .seconds(5), begins: false)
        restarted.domain.stack.tell(.lost(.sample, because: .unreachable(.sample, because: "no route")))
        restarted.domain.settle()
        restarted.domain.wait(.seconds(20))
        #expect(restarted.state.runs.count == 1 && restarted.texts.isEmpty)
        restarted.begin()
        #expect(restarted.texts == ["on stove"])
        #expect(restarted.domain.light(Self.stove.id)?.power == .on)
        // What it showed is known only since then.
        restarted.domain.wait(.seconds(60))
        #expect(restarted.domain.light(Self.stove.id)?.power == .off)
        #expect(restarted.state.runs.isEmpty)
    }

    @Test func `what was true before a restart has been true for a while since then`() {
        let home = home(
            Automation(
                name: "Dark", triggers: [.becomes(.motion("Hall", true), for: .seconds(60))],
                steps: [Self.command("on stove")]))
        home.refetch(with: [Sensor.make("hall", name: "Hall", motion: true), Self.dimmer])
        home.domain.wait(.seconds(30))
        let restarted = home.restarted(after: .seconds(1), begins: false)
        restarted.refetch(with: [Sensor.make("hall", name: "Hall", motion: true), Self.dimmer])
        restarted.domain.stack.tell(.connected(.sample, by: .stream))
        restarted.domain.settle()
        restarted.domain.wait(.seconds(59))
        #expect(restarted.texts.isEmpty)
        restarted.domain.wait(.seconds(1))
        #expect(restarted.texts == ["on stove"])
    }

    @Test(arguments: ["stop", "disable", "remove", "replace", "undo"])
    func `a run that is stopped does nothing more`(how: String) {
        let home = home(
            Automation(
                name: "Long", triggers: [Self.motion],
                steps: [Self.command("on stove"), .wait(.seconds(60)), Self.command("off desk")]))
        home.report(Self.hall, .init(motion: true))
        #expect(home.state.runs.count == 1)
        let id = Automation.ID("long")
        switch how {
        case "stop": home.domain.send(Message.Automations.stop(id))
        case "disable": home.domain.send(Message.Automations.enable(id, false))
        case "remove": home.domain.send(Message.Automations.remove(id))
        case "replace": home.domain.send(Message.Automations.replace([]))
        default: home.domain.send { .lighting(.undo(1, over: .usual), ticket: $0) }
        }
        #expect(home.state.runs.isEmpty)
        home.domain.wait(.seconds(120))
        #expect(home.texts == ["on stove"])
        #expect(home.domain.light(Self.stove.id)?.power == (how == "undo" ? .off : .on))
        #expect(home.restarted(after: .seconds(1)).state.runs.isEmpty)
        if how == "stop" {
            let ticket = home.domain.send(Message.Automations.stop(id))
            #expect(home.domain.response(to: ticket)?.outcome == .failed(.impossible("'Long' is not running")))
        }
    }

    @Test func `what waits for a name that is not there fails, also when what has the name goes`() {
        let wait = Automation.Step.waitFor(.motion("Bath", false), for: nil, atMost: nil)
        let home = home(
            Automation(name: "Bath", triggers: [Self.motion], steps: [wait, Self.command("on stove")]),
            Automation(
                name: "Hall", triggers: [.press(sensor: Self.dimmer.name, button: 1, .pressed)],
                steps: [
                    .waitFor(.motion("Hall", true), for: .seconds(3600), atMost: nil), .restore("Attic"),
                    Self.command("off desk"),
                ]))
        home.press(Self.dimmer, 1, .pressed)
        home.report(Self.hall, .init(motion: true))
        #expect(
            home.ended("Bath").map(\.outcome) == [.failed(.noSuchName("nothing called 'Bath' sees motion"))])
        #expect(home.texts == ["on stove"])
        home.refetch(with: [Self.dimmer])
        #expect(home.texts == ["on stove", "off desk"])
        #expect(home.ended("Hall").count == 1)
    }

    @Test func `what a hand sets between two runs is what the second one restores`() {
        for hand in [nil, 0.44] {
            let home = home(
                Automation(
                    name: "Hall", triggers: [Self.motion],
                    steps: [Self.command("dim desk 5"), .wait(.seconds(60)), .restore("desk")], mode: .restart))
            home.domain.send {
                .lighting(.apply(.values(.bri(0.8)), on: .light(Self.desk.id), over: .usual), ticket: $0)
            }
            for _ in 0..<2 {
                home.report(Self.hall, .init(motion: true))
                home.report(Self.hall, .init(motion: false))
                if let hand {
                    home.domain.send {
                        .lighting(.apply(.values(.bri(hand)), on: .light(Self.desk.id), over: .usual), ticket: $0)
                    }
                }
            }
            home.report(Self.hall, .init(motion: true))
            home.domain.wait(.seconds(60))
            #expect(home.domain.light(Self.desk.id)?.brightness == hand ?? 0.8)
        }
    }

    @Test
    func `what a run has changed is restored after lightd was killed, though nobody knows any more whose doing it is`()
    {
        let home = home(
            Automation(
                name: "Hall", triggers: [Self.motion],
                steps: [Self.command("on stove"), .wait(.seconds(60)), .restore("stove")]))
        home.report(Self.hall, .init(motion: true))
        #expect(home.domain.light(Self.stove.id)?.power == .on)
        let restarted = home.restarted(after: .seconds(5), forgettingCauses: true)
        restarted.domain.wait(.seconds(60))
        #expect(restarted.domain.light(Self.stove.id)?.power == .off)
    }

    @Test func `a timer that could not be saved is not there, so that setting it again makes one`() {
        let home = home()
        home.domain.archive.end(with: .failed(.notSaved(because: "the disk is full")))
        let timer = Automation(
            name: "", triggers: [.clock(.at(.time(.midnight), .all))], steps: [Self.command("off desk")],
            kind: .once(by: "test"))
        let ticket = home.domain.send(Message.Automations.schedule(timer))
        #expect(home.domain.response(to: ticket)?.outcome?.failure != nil)
        #expect(home.state.all.isEmpty)
    }

    @Test func `a thousand runs that begin to wait at once are saved together`() {
        let automations = (0..<1000).map {
            Automation(name: "\($0)", triggers: [Self.motion], steps: [.wait(.seconds(60)), Self.command("on stove")])
        }
        let home = AutomationFixture(automations, sensors: [Self.hall], at: Self.noon)
        let before = home.domain.archive.items.count
        home.report(Self.hall, .init(motion: true))
        #expect(home.state.runs.count == 1000)
        #expect(home.domain.archive.items.count - before <= 2)
    }

    @Test func `on for ten minutes is on at once, and then as before; cancelled it stays on`() {
        let steps = [Self.command("on stove"), .wait(.seconds(600)), .restore("stove")]
        for cancels in [false, true] {
            let home = home()
            let ticket = home.domain.send(
                Message.Automations.schedule(
                    Automation(name: "", triggers: [], steps: steps, kind: .once(by: "test"))))
            #expect(home.domain.response(to: ticket)?.outcome == .succeeded)
            #expect(home.domain.light(Self.stove.id)?.power == .on)
            if cancels { home.domain.send(Message.Automations.remove(Automation.ID("timer 1"))) }
            home.domain.wait(.seconds(600))
            #expect(home.domain.light(Self.stove.id)?.power == (cancels ? .on : .off))
            #expect(home.state.runs.isEmpty)
        }
    }

    // MARK: - A clock that is set

    /// From a machine without a clock of its own that learns the time, to a mistake of a year.
    private nonisolated static let steps = [-365 * 86_400, -3600, -20, 20, 3600, 365 * 86_400, 56 * 365 * 86_400]

    @Test(arguments: steps, ["wait", "wait for", "at most", "held", "paused"])
    func `a clock that is set makes no wait shorter or longer`(step: Int, what: String) {
        let press = Automation.Trigger.press(sensor: "dimmer", button: 1, .pressed)
        let off = Self.command("off desk")
        let automations =
            switch what {
            case "wait": [Automation(name: "A", triggers: [press], steps: [.wait(.seconds(300)), off])]
            case "wait for":
                [
                    Automation(
                        name: "A", triggers: [press],
                        steps: [.waitFor(.motion("Hall", false), for: .seconds(300)), off])
                ]
            case "at most":
                [
                    Automation(
                        name: "A", triggers: [press],
                        steps: [.waitFor(.motion("Hall", true), atMost: .seconds(300)), off])
                ]
            case "held":
                [Automation(name: "A", triggers: [.becomes(.motion("Hall", false), for: .seconds(300))], steps: [off])]
            default: [Automation(name: "A", triggers: [.becomes(.power("stove", .on))], steps: [off])]
            }
        let home = AutomationFixture(
            automations, sensors: [Self.hall, Self.dimmer],
            at: step > 40 * 365 * 86_400 ? Timestamp(milliseconds: 10_000) : Self.noon)
        func turnStove(_ times: Int) {
            for _ in 0..<times {
                for power in [Turn.on, .off] {
                    home.domain.stack.tell(.light(Self.stove.id, Light.Report(power: power)))
                    home.domain.settle()
                }
            }
        }
        home.report(Self.hall, .init(motion: true))
        home.report(Self.hall, .init(motion: false))
        if what == "paused" { turnStove(21) } else { home.press(Self.dimmer, 1, .pressed) }
        let before = home.texts.count
        // A pause lasts for ten minutes.
        home.domain.wait(.seconds(what == "paused" ? 400 : 100))
        home.domain.clock.set(to: home.domain.clock.now.advanced(by: .seconds(step)))
        home.domain.settle()
        home.domain.wait(.seconds(199))
        if what == "paused" { turnStove(1) }
        #expect(home.texts.count == before)
        home.domain.wait(.seconds(1))
        if what == "paused" { turnStove(1) }
        #expect(home.texts.count == before + 1)
    }

    @Test(arguments: ["between 00:00 and 23:59", "not between 12:00 and 13:00", "mon-sun"])
    func `a condition on the hour is unknown by a clock that cannot be right, and said to be`(text: String) throws {
        let condition = try Automation.Condition(text)
        let home = AutomationFixture(
            [
                Automation(
                    name: "A", triggers: [.becomes(.motion("Hall", true))], conditions: [condition],
                    steps: [Self.command("off desk")])
            ], sensors: [Self.hall], at: Timestamp(milliseconds: 10_000))
        home.report(Self.hall, .init(motion: false))
        home.report(Self.hall, .init(motion: true))
        #expect(home.texts.isEmpty)
        let skipped = home.domain.store.state().automations.skipped[Automation.ID("A")]
        #expect(skipped?.reason == .unknown(condition))
    }

    @Test func `what waits by a clock that could not be right begins anew if lightd starts again by one that can`() {
        let home = AutomationFixture([], sensors: [], at: Timestamp(milliseconds: 10_000))
        home.domain.send(
            Message.Automations.schedule(
                Automation(
                    name: "", triggers: [.clock(.after(.seconds(60), since: Timestamp(milliseconds: 10_000)))],
                    steps: [Self.command("on stove")], kind: .once(by: "test"))))
        wish("dim desk 20", for: 60, in: home)
        let level = home.domain.light(Self.desk.id)?.brightness
        let again = home.restarted(after: Self.noon.since(Timestamp(milliseconds: 10_000)))
        again.domain.wait(.seconds(59))
        #expect(again.domain.light(Self.desk.id)?.brightness == level)
        #expect(again.domain.light(Self.stove.id)?.power == .off)
        again.domain.wait(.seconds(1))
        #expect(again.domain.light(Self.desk.id)?.brightness == 0.5)
        #expect(again.domain.light(Self.stove.id)?.power == .on)
    }

    @Test func `nobody says when it is half past ten by a clock that cannot be right`() throws {
        let automation = Automation(
            name: "A", triggers: [.clock(try ClockTrigger("22:30"))], steps: [Self.command("off desk")])
        let home = AutomationFixture([automation], sensors: [], at: Timestamp(milliseconds: 10_000))
        let state = home.domain.store.state().automations
        #expect(state.next(automation, at: home.domain.clock.now, in: .utc) == nil)
        #expect(state.next(automation, at: Self.noon, in: .utc) == Self.noon.advanced(by: .seconds(37_800)))
    }

    @Test(arguments: [300, 3600 * 24 * 365 * 56])
    func `a wait that goes on by a clock that is behind ends when it would if it began then`(behind: Int) {
        let wait = Automation.Step.waitFor(.motion("Hall", true), atMost: .seconds(300))
        for step in [wait, .wait(.seconds(300))] {
            let home = home(Automation(name: "A", triggers: [], steps: [step, Self.command("off desk")]))
            home.domain.wait(.seconds(1))
            home.domain.send(Message.Automations.run(Automation.ID("A")))
            let restarted = home.restarted(after: .seconds(-behind))
            restarted.domain.wait(.seconds(100))
            restarted.domain.clock.set(to: Self.noon.advanced(by: .seconds(3600)))
            restarted.domain.settle()
            restarted.domain.wait(.seconds(199))
            #expect(restarted.texts.isEmpty)
            restarted.domain.wait(.seconds(1))
            #expect(restarted.texts == ["off desk"])
        }
    }

    @Test func `automations that two people add at the same time are all kept, and a removed one does not come back`() {
        let home = home(Automation(name: "Old", triggers: [], steps: []))
        let (one, two) = (
            Automation(name: "One", triggers: [], steps: []), Automation(name: "Two", triggers: [], steps: [])
        )
        home.domain.send(Message.Automations.replace([one], keepsOthers: true))
        home.domain.send(Message.Automations.remove(Automation.ID("Old")))
        home.domain.send(Message.Automations.replace([two], keepsOthers: true))
        #expect(home.domain.store.state().automations.lasting.map(\.name) == ["One", "Two"])
    }

    // MARK: - Overlapping wishes for a while

    /// "dim desk 20 --for 4s"
    private func wish(_ text: String, for duration: Int, in home: AutomationFixture) {
        let light = text.split(separator: " ")[1]
        home.domain.send(
            Message.Automations.schedule(
                Automation(
                    name: "",
                    triggers: [], steps: [Self.command(text), .wait(.seconds(duration)), .restore(String(light))],
                    kind: .once(by: "test"))))
    }

    @Test func `of two wishes to be on for a while the longer one wins, and it is dark afterwards`() {
        let home = home()
        wish("on stove", for: 4, in: home)
        home.domain.wait(.seconds(2))
        wish("on stove", for: 6, in: home)
        home.domain.wait(.milliseconds(5999))
        #expect(home.domain.light(Self.stove.id)?.power == .on)
        home.domain.wait(.milliseconds(1))
        #expect(home.domain.light(Self.stove.id)?.power == .off)
    }

    @Test func `a lamp that was dimmed twice for a while is as it was before both`() {
        let home = home()
        home.domain.send(.apply(.values(.bri(0.8)), on: .light(Self.desk.id), over: .usual))
        wish("dim desk 20", for: 4, in: home)
        home.domain.wait(.seconds(1))
        wish("dim desk 50", for: 6, in: home)
        home.domain.wait(.milliseconds(5999))
        #expect(home.domain.light(Self.desk.id)?.brightness == 0.5)
        home.domain.wait(.milliseconds(1))
        #expect(home.domain.light(Self.desk.id)?.brightness == 0.8)
    }

    @Test func `a short wish within a long one gives the lamp back to it`() {
        let home = home()
        wish("on stove", for: 3600, in: home)
        let level = home.domain.light(Self.stove.id)?.brightness
        for _ in 0..<2 {
            home.domain.wait(.seconds(600))
            wish("dim stove 30", for: 300, in: home)
            home.domain.wait(.seconds(300))
            #expect(home.domain.light(Self.stove.id)?.power == .on)
            #expect(home.domain.light(Self.stove.id)?.brightness == level)
        }
        home.domain.wait(.seconds(1800))
        #expect(home.domain.light(Self.stove.id)?.power == .off)
    }

    @Test(arguments: [true, false])
    func `a hand between or after two wishes for a while ends both for that lamp`(isBetween: Bool) {
        let home = home()
        wish("dim desk 20", for: 10, in: home)
        home.domain.wait(.seconds(1))
        if isBetween { home.domain.send(.apply(.values(.bri(0.44)), on: .light(Self.desk.id), over: .usual)) }
        wish("dim desk 50", for: 20, in: home)
        if !isBetween { home.domain.send(.apply(.values(.bri(0.44)), on: .light(Self.desk.id), over: .usual)) }
        home.domain.wait(.seconds(30))
        #expect(home.domain.light(Self.desk.id)?.brightness == 0.44)
    }

    @Test func `of two wishes the one that is left ends as if there had been no other`() {
        for cancelled in [1, 2] {
            let home = home()
            wish("on stove", for: 40, in: home)
            wish("dim stove 30", for: 60, in: home)
            home.domain.send(Message.Automations.remove(Automation.ID("timer \(cancelled)")))
            home.domain.wait(.seconds(cancelled == 1 ? 60 : 40))
            // What the cancelled one has done stays, and is what the other one found, or what it takes back.
            #expect(home.domain.light(Self.stove.id)?.power == (cancelled == 1 ? .on : .off))
        }
    }

    @Test(arguments: ["level", "power", "all"])
    func `who asks for what a lamp shows for a while already is the last hand, and it stays so`(what: String) {
        let command: Message.Lighting =
            switch what {
            case "level": .apply(.values(.bri(0.2)), on: .light(Self.desk.id), over: .usual)
            case "power": .turn(.on, .light(Self.desk.id), over: .usual)
            default: .apply(.values(.bri(0.2)), on: .all, over: .usual)
            }
        let home = home()
        wish("dim desk 20", for: 600, in: home)
        home.domain.wait(.seconds(300))
        home.domain.send(command)
        #expect(home.domain.light(Self.desk.id)?.cause.ticket?.gesture == "run 1")
        home.domain.wait(.seconds(900))
        #expect(home.domain.light(Self.desk.id)?.brightness == 0.2)
        #expect(home.domain.store.state().automations.runs.isEmpty)
    }

    @Test func `what was wished is taken back though nobody heard of it before the bridge was away`() {
        let home = home()
        home.domain.stack.echo(false)
        wish("dim desk 20", for: 30, in: home)
        home.domain.wait(.milliseconds(500))
        home.domain.stack.tell(.lost(.sample, because: .unreachable(.sample, because: "it restarts")))
        home.domain.settle()
        home.domain.wait(.seconds(20))
        home.domain.stack.echo(true)
        // It is read anew, with what was asked of it.
        let desk = Self.desk.alter(by: .setting(.brightness(to: 0.2)))
        home.domain.stack.tell(
            .home(
                .sample, lights: [desk, Self.stove, HomeFixture.sink, HomeFixture.fan], rooms: HomeFixture.rooms,
                scenes: [],
                sensors: []))
        home.domain.stack.tell(.connected(.sample, by: .stream))
        home.domain.settle()
        #expect(home.domain.light(Self.desk.id)?.brightness == 0.2)
        #expect(home.domain.light(Self.desk.id)?.cause.ticket?.gesture == "run 1")
        home.domain.wait(.seconds(10))
        #expect(home.domain.light(Self.desk.id)?.brightness == 0.5)
    }

    @Test func `a lamp that follows a curve does so again after a wish for a while`() throws {
        let home = home()
        func send(_ message: Message.Following) { home.domain.send { .following(message, ticket: $0) } }
        send(
            .draw(
                try Curve([Curve.Keyframe("00:00 60% 2500K"), Curve.Keyframe("23:00 100% 4000K")]), named: "slow"))
        send(
            .follow(
                .curve("slow"), on: .light(Self.desk.id), values: [.brightness, .temperature], until: nil,
                resumesAfter: nil))
        home.domain.wait(.seconds(120))
        let before = try #require(home.domain.light(Self.desk.id))
        wish("dim desk 20", for: 30, in: home)
        #expect(home.domain.light(Self.desk.id)?.brightness == 0.2)
        home.domain.wait(.seconds(31))
        let after = try #require(home.domain.light(Self.desk.id))
        #expect(abs(after.brightness - before.brightness) < 0.02)
        #expect(home.domain.store.state().followings.lights[Self.desk.id]?.pauses.isEmpty == true)
        home.domain.wait(.seconds(4 * 3600))
        #expect(try #require(home.domain.light(Self.desk.id)).brightness > after.brightness + 0.02)
    }

    @Test func `a command that failed is no hand: what was wished for a while ends`() {
        let home = home()
        wish("dim desk 20", for: 600, in: home)
        home.domain.stack.end(with: .failed(.refused(by: .sample, words: "no")))
        home.domain.send(.turn(.on, .light(Self.desk.id), over: .usual))
        home.domain.stack.end(with: .succeeded)
        home.domain.wait(.seconds(900))
        #expect(home.domain.light(Self.desk.id)?.brightness != 0.2)
    }

    @Test func `a run that restores a whole room keeps no lamp longer than it was wished for by another`() {
        let home = home(
            Automation(
                name: "Room", triggers: [Self.motion],
                steps: [Self.command("dim sink 20"), .wait(.seconds(60)), .restore("@Kitchen")]))
        wish("on stove", for: 10, in: home)
        home.report(Self.hall, .init(motion: true))
        home.domain.wait(.seconds(10))
        #expect(home.domain.light(Self.stove.id)?.power == .off)
        home.domain.wait(.seconds(50))
        #expect(home.domain.light(Self.stove.id)?.power == .off)
        #expect(home.domain.light(Self.sink.id)?.brightness == Self.sink.brightness)
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `whatever wishes overlap, a lamp is at the end of the last as it was before the first`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var home = home()
        home.domain.send(.apply(.values(.bri(0.8)), on: .light(Self.desk.id), over: .usual))
        var left = 0
        for _ in 0..<Int.random(in: 2...6, using: &random) {
            let duration = Int.random(in: 1...60, using: &random)
            wish("dim desk \(Int.random(in: 1...60, using: &random))", for: duration, in: home)
            left = max(left, duration)
            let pause = Int.random(in: 0..<left, using: &random)
            for _ in 0..<pause { home.domain.wait(.seconds(1)) }
            left -= pause
            guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
            home = home.restarted(after: .zero, forgettingCauses: Bool.random(using: &random))
        }
        for _ in 0..<left {
            #expect(home.domain.light(Self.desk.id)?.brightness ?? 0 < 0.7)
            home.domain.wait(.seconds(1))
        }
        #expect(home.domain.light(Self.desk.id)?.brightness == 0.8)
        #expect(home.state.runs.isEmpty)
    }

    // MARK: - Restarts

    @Test(arguments: 0..<20)
    func `restarts at any moment change nothing`(seed: UInt64) {
        let automations = [
            Automation(
                name: "Steps", triggers: [.clock(.every(.seconds(1800), from: .time(.midnight), to: .time(.midnight)))],
                steps: [
                    Self.command("on stove"), .wait(.seconds(120)), Self.command("toggle desk"), .wait(.seconds(60)),
                    .restore("stove"),
                ]),
            Automation(
                name: "Once", triggers: [.clock(.at(.time(TimeOfDay(hour: 13, minute: 31))))],
                steps: [Self.command("toggle fan")]),
        ]
        func texts(restarting: Bool) -> [String] {
            var random = SplitMix(seed: seed)
            var home = AutomationFixture(automations, sensors: [], at: Self.noon)
            var texts: [String] = []
            var left = 4 * 3600
            while left > 0 {
                let step = min(Int.random(in: 1...180, using: &random) * 5, left)
                // In small steps, because messages are delivered after each.
                for _ in 0..<step / 5 { home.domain.wait(.seconds(5)) }
                left -= step
                guard restarting else { continue }
                texts += home.texts
                home = home.restarted(after: .zero)
            }
            return texts + home.texts
        }
        let expected = texts(restarting: false)
        #expect(expected.count == 16)
        #expect(texts(restarting: true) == expected)
    }
}
