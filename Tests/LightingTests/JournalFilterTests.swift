import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

/// Which entries of the journal a filter lets through.
@DomainActor
struct JournalFilterTests {
    /// A home in which a little of everything has happened.
    private func home() -> DomainFixture {
        let home = DomainFixture(HomeFixture.state, stack: HomeFixture.stack)
        home.send("ada") { .lighting(.turn(.on, .room(HomeFixture.kitchen.id), over: .usual), ticket: $0) }
        home.wait(.seconds(60))
        home.send("bob") {
            .lighting(.apply(.values(.bri(0.3)), on: .light(HomeFixture.desk.id), over: .usual), ticket: $0)
        }
        home.send("bob") { .lighting(.recall(HomeFixture.relax.id, over: .usual), ticket: $0) }
        home.stack.tell(.light(HomeFixture.fan.id, Light.Report(power: .off, source: .accessory("Hall Dimmer"))))
        home.stack.tell(.light(HomeFixture.desk.id, Light.Report(power: .off, source: .power)))
        home.stack.tell(.light(HomeFixture.desk.id, Light.Report(power: .on, source: .otherApp)))
        home.settle()
        home.send("eve") { .dashboard(.pin(.light(HomeFixture.stove.id)), ticket: $0) }
        home.send("eve") { .lighting(.undo(3, over: .usual), ticket: $0) }
        home.send("eve") { .bridges(.discover(for: .seconds(1)), ticket: $0) }
        home.send("eve") { .lighting(.turn(.off, .all, over: .usual), ticket: $0) }
        return home
    }

    private func entries(_ filter: Journal.Filter) -> [Message] {
        home().journal.entries.filter { $0.matches(filter) }.map(\.message)
    }

    private func commands(_ filter: Journal.Filter) -> [String] {
        entries(filter).compactMap { message in
            guard !message.ticket.isUnasked, !message.isResponse else { return nil }
            return switch message {
            case .lighting(.turn, _): "turn"
            case .lighting(.apply, _): "apply"
            case .lighting(.recall, _): "recall"
            case .lighting(.undo, _): "undo"
            case .dashboard: "dashboard"
            default: "other"
            }
        }
    }

    @Test func `by light: what was asked of it, its room, its scenes or all, and what its bridge reported of it`() {
        let stove = Journal.Subject(
            lights: [HomeFixture.stove.id], rooms: [HomeFixture.kitchen.id], scenes: [HomeFixture.relax.id])
        #expect(commands(.init(subject: stove)) == ["turn", "recall", "dashboard", "turn"])
        let reports = entries(.init(subject: stove)).compactMap { message in
            if case let .lighting(.reported(.light(id, _)), _) = message { id } else { nil }
        }
        #expect(!reports.isEmpty && reports.allSatisfy { $0 == HomeFixture.stove.id })
        #expect(entries(.init(subject: stove)).contains { if case .lighting(.undoing, _) = $0 { true } else { false } })
        let desk = Journal.Subject(lights: [HomeFixture.desk.id])
        #expect(commands(.init(subject: desk)) == ["apply", "turn"])
    }

    @Test(
        arguments: [
            (.accessory, ["Hall Dimmer"]), (.power, ["power"]), (.otherApp, ["elsewhere"]),
            (.scene, ["recall", "recalling"]),
        ] as [(Cause.Name, [String])])
    func `by cause: what a bridge reported with it`(cause: Cause.Name, expected: [String]) {
        let found = entries(.init(cause: cause)).map { message in
            switch message {
            case let .lighting(.reported(.light(_, report)), _):
                if case let .accessory(name)? = report.source {
                    name
                } else {
                    report.source == .power ? "power" : "elsewhere"
                }
            case .lighting(.recall, _): "recall"
            case .lighting(.recalling, _): "recalling"
            default: "other"
            }
        }
        #expect(found == expected)
    }

    @Test func `by cause 'command': commands with their outcomes, and nothing that a bridge reported by itself`() {
        let found = entries(.init(cause: .command))
        #expect(found.allSatisfy { !$0.ticket.isUnasked })
        #expect(found.count { !$0.isResponse } >= 7 && found.count(where: \.isResponse) >= 7)
    }

    @Test func `by sender or switch, whatever the case`() {
        #expect(entries(.init(by: "ADA")).allSatisfy { $0.ticket.holder == "ada" })
        #expect(commands(.init(by: "bob")) == ["apply", "recall"])
        #expect(entries(.init(by: "dimmer")).count == 1)
        #expect(entries(.init(by: "nobody")).isEmpty)
    }

    @Test func `by time: from its beginning on, and before its end`() {
        let moment = Timestamp.sample.advanced(by: .seconds(60))
        #expect(commands(.init(until: moment)) == ["turn"])
        #expect(commands(.init(since: moment)).count == 6)
        #expect(commands(.init(since: moment, until: moment)).isEmpty)
    }

    @Test func `an entry must be all that the filter names`() {
        let desk = Journal.Subject(lights: [HomeFixture.desk.id])
        #expect(commands(.init(subject: desk, cause: .command, by: "bob")) == ["apply"])
    }
}
