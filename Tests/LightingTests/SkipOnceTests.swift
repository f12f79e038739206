import HashTreeCollections
import Khipu
import LightingTestKit
import Testing

@testable import Lighting

/// What the clock starts next is left out once, if somebody wants that.
@DomainActor
struct SkipOnceTests {
    /// 22 November 2026, 12:00 UTC, a Sunday.
    private static let noon = Timestamp(milliseconds: 1_795_348_800_000)
    private static let hour = Duration.seconds(3600)
    private static let evening = Automation.ID("Evening")

    private static func automation(
        _ triggers: [Automation.Trigger] = [at(18)], if conditions: [Automation.Condition] = [],
        isEnabled: Bool = true
    ) -> Automation {
        Automation(
            name: "Evening", triggers: triggers, conditions: conditions,
            steps: [.command(TestCommands.command("on stove"))], isEnabled: isEnabled)
    }

    private static func at(_ hour: Int, _ days: Weekdays = .all) -> Automation.Trigger {
        .clock(.at(.time(TimeOfDay(seconds: hour * 3600)), days))
    }

    private func home(_ automation: Automation = automation(), time: HomeTime = .utc) -> AutomationFixture {
        AutomationFixture(
            [automation], sensors: [.make("hall", name: "Hall", motion: false)], time: time, at: Self.noon)
    }

    /// - Returns: the failure with which it was answered.
    @discardableResult
    private func skip(_ home: AutomationFixture, _ isSkipped: Bool = true) -> Failure? {
        home.domain.send(Message.Automations.skip(Self.evening, isSkipped))
        return home.domain.recorder.messages.reversed().lazy.compactMap { message -> Outcome? in
            if case let .automations(.skipping(_, _, outcome), _) = message { outcome } else { nil }
        }.first?.failure
    }

    private func omission(_ home: AutomationFixture) -> Timestamp? { home.state.omissions[Self.evening]?.time }

    @Test func `the next run is left out, and the one after comes`() {
        let home = home()
        #expect(skip(home) == nil)
        #expect(omission(home) == Self.noon.advanced(by: Self.hour * 6))
        home.domain.wait(Self.hour * 7)
        #expect(home.started("Evening") == 0 && home.sent.isEmpty)
        #expect(home.skips("Evening") == 1 && omission(home) == nil)
        guard case .omitted? = home.state.skipped[Self.evening]?.reason else {
            Issue.record("\(String(describing: home.state.skipped))")
            return
        }
        home.domain.wait(Self.hour * 24)
        #expect(home.started("Evening") == 1)
    }

    @Test func `who asks again does not skip the one after, and who changes their mind skips none`() {
        let home = home()
        skip(home)
        let time = omission(home)
        skip(home)
        #expect(omission(home) == time)
        #expect(skip(home, false) == nil)
        #expect(omission(home) == nil)
        guard case .impossible? = skip(home, false) else {
            Issue.record("nothing was skipped")
            return
        }
        home.domain.wait(Self.hour * 7)
        #expect(home.started("Evening") == 1)
    }

    @Test func `what is run by hand, or started by the home, is not left out`() {
        let home = home(Self.automation([Self.at(18), .becomes(.motion("Hall", true))]))
        skip(home)
        home.domain.send(Message.Automations.run(Self.evening))
        home.report(.make("hall", name: "Hall", motion: false), .init(motion: true))
        #expect(home.started("Evening") == 2 && omission(home) != nil)
        home.domain.wait(Self.hour * 7)
        #expect(home.started("Evening") == 2 && home.skips("Evening") == 1)
    }

    @Test func `it is kept over a restart, also one at the hour itself`() {
        let first = home()
        skip(first)
        let second = first.restarted(after: Self.hour)
        #expect(omission(second) == omission(first))
        let third = second.restarted(after: Self.hour * 5 + .seconds(300))
        #expect(third.started("Evening") == 0 && omission(third) == nil)
        // A second restart does not find it again.
        let fourth = third.restarted(after: Self.hour * 24)
        #expect(fourth.started("Evening") + third.started("Evening") == 1)
    }

    @Test func `what was missed for days while lightd was off takes nothing of what comes then with it`() {
        let first = home()
        skip(first)
        let later = first.restarted(after: Self.hour * 49)
        #expect(omission(later) == nil)
        later.domain.wait(Self.hour * 24)
        #expect(later.started("Evening") == 1)
    }

    @Test(arguments: ["disabled", "edited", "narrowed", "removed"])
    func `an automation that is disabled, has other triggers or conditions, or is gone loses it`(how: String) {
        let home = home()
        skip(home)
        switch how {
        case "disabled":
            home.domain.send(Message.Automations.enable(Self.evening, false))
            home.domain.send(Message.Automations.enable(Self.evening, true))
        case "edited": home.domain.send(Message.Automations.replace([Self.automation([Self.at(19)])]))
        case "narrowed": home.domain.send(Message.Automations.replace([Self.automation(if: [.days(.sunday)])]))
        default: home.domain.send(Message.Automations.remove(Self.evening))
        }
        #expect(home.state.omissions.isEmpty)
        home.domain.wait(Self.hour * 8)
        #expect(home.started("Evening") == (how == "removed" ? 0 : 1))
    }

    @Test func `two triggers of one moment are one run that is left out`() {
        let home = home(Self.automation([Self.at(18), Self.at(18, .sunday)]))
        skip(home)
        home.domain.wait(Self.hour * 7)
        #expect(home.started("Evening") == 0 && home.skips("Evening") == 1)
        home.domain.wait(Self.hour * 24)
        #expect(home.started("Evening") == 1)
    }

    @Test func `one that gets another name keeps it`() {
        let home = home()
        skip(home)
        let new = Self.automation().named("Dusk")
        home.domain.send(Message.Automations.replace([new], keepsOthers: true, insteadOf: [Self.automation()]))
        #expect(home.state.all.map(\.name) == ["Dusk"] && home.state.omissions[new.id] != nil)
        home.domain.wait(Self.hour * 7)
        #expect(home.started("Dusk") == 0 && home.skips("Dusk") == 1)
        home.domain.wait(Self.hour * 24)
        #expect(home.started("Dusk") == 1)
    }

    @Test func `one that does something else at the same times keeps it`() {
        let home = home()
        skip(home)
        let other = Automation(
            name: "Evening", triggers: [Self.at(18)], steps: [.command(TestCommands.command("on sink"))])
        home.domain.send(Message.Automations.replace([other]))
        home.domain.wait(Self.hour * 7)
        #expect(home.started("Evening") == 0 && home.skips("Evening") == 1)
    }

    @Test func `a time at which its conditions rule it out is not the one that is left out`() {
        // Sunday is ruled out; Monday is skipped, and Tuesday comes.
        let home = home(Self.automation(if: [.days([.monday, .tuesday])]))
        skip(home)
        #expect(omission(home) == Self.noon.advanced(by: Self.hour * 30))
        home.domain.wait(Self.hour * 24)
        #expect(omission(home) != nil)
        home.domain.wait(Self.hour * 24)
        #expect(omission(home) == nil && home.started("Evening") == 0)
        home.domain.wait(Self.hour * 24)
        #expect(home.started("Evening") == 1)
    }

    @Test func `what the clock does not start, or nobody knows, cannot be skipped`() {
        func isRefused(_ automation: Automation) -> Bool {
            if case .impossible? = skip(home(automation)) { true } else { false }
        }
        #expect(isRefused(Self.automation([.becomes(.motion("Hall", true))])))
        #expect(isRefused(Self.automation(isEnabled: false)))
        #expect(isRefused(Self.automation(if: [.days([])])))
        #expect(skip(home(Automation(name: "Other", triggers: [], steps: []))) == .noSuchAutomation(Self.evening))
    }

    @Test(arguments: 0..<40) func `what is due is the first time that nothing rules out`(seed: Int) {
        let (hour, day) = (seed % 24, Weekdays.each[seed % 7])
        let automation = Self.automation([Self.at(hour), Self.at((hour + 5) % 24)], if: [.days(day)])
        let home = home(automation)
        let due = home.state.due(automation, after: nil, in: .utc)
        let all = automation.triggers.flatMap { trigger -> [Timestamp] in
            guard case let .clock(clock) = trigger else { return [] }
            return HomeTime.utc.occurrences(
                of: clock, after: Self.noon, through: Self.noon.advanced(by: Self.hour * 24 * 8))
        }
        #expect(due?.time == all.filter { automation.mayRun(at: $0, in: .utc) }.min())
    }
}
