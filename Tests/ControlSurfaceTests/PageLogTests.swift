import ControlProtocol
import Khipu
import Languages
import Lighting
import LightingTestKit
import TestSupport
import Testing

@testable import ControlSurface

/// What the page's log makes of the journal.
@Suite struct PageLogTests {
    private static let home = Directory(HomeFixture.state)
    private static let anna = "anna (uid 1000) with lightctl"
    private static let desk = Target.light(HomeFixture.desk.id)
    private static let kitchen = Target.room(HomeFixture.kitchen.id)

    // MARK: Laws

    /// Some of everything.
    private static let entries: [Journal.Entry] = {
        var journal = JournalFixture()
        journal.ask(.turn(.on, kitchen, over: .usual), by: anna)
        journal.answer(.turning(.on, kitchen, .succeeded))
        for level in 1...5 {
            journal.ask(
                .apply(.values(.bri(Double(level) / 10)), on: desk, over: .usual), by: "a page", gesture: "drag")
            journal.answer(.applying(.values(.bri(Double(level) / 10)), on: desk, .succeeded))
        }
        journal.tell(
            .lighting(
                .reported(.light(HomeFixture.desk.id, Light.Report(power: .off, source: .otherApp))),
                ticket: journal.unasked))
        for run in 1...4 {
            journal.run(UInt64(run), "Hall at night", .apply(.values(.bri(0.05)), on: desk, over: .usual))
            journal.tell(.bridges(.lost(.sample, because: .notPaired), ticket: journal.unasked))
        }
        journal.ask(.toggle(desk, over: .usual), by: "mqtt")
        journal.answer(.toggling(desk, to: .off, .failed(.unreachable(.sample, because: "x"))))
        return journal.entries
    }()

    @Test(arguments: PageLogScope.allCases)
    func `entries that come in several parts give the lines that they give at once`(scope: PageLogScope) {
        var whole = PageLog(in: .english, scope)
        whole.take(Self.entries, in: Self.home)
        for cut in Self.entries.indices {
            var log = PageLog(in: .english, scope)
            log.take(Array(Self.entries[..<cut]), in: Self.home)
            var shown = Dictionary(log.changes().lines.map { ($0.id, $0) }) { $1 }
            log.take(Array(Self.entries[cut...]), in: Self.home)
            #expect(log.lines == whole.lines)
            // Who was told of the first part and of what has changed sees the same.
            let changes = log.changes()
            for id in changes.gone { shown[id] = nil }
            for line in changes.lines { shown[line.id] = line }
            #expect(shown.values.sorted { $0.number > $1.number } == whole.lines)
        }
    }

    @Test func `each scope tells what those before it do, and no line tells of what it leaves out`() {
        let texts = PageLogScope.allCases.map { scope in
            var log = PageLog(in: .english, scope)
            log.take(Self.entries, in: Self.home)
            return Set(log.lines.map(\.said))
        }
        #expect(texts[0].isStrictSubset(of: texts[1]) && texts[1].isStrictSubset(of: texts[2]))
        #expect(!texts[0].contains { $0.contains("MQTT") || $0.contains("lost") })
    }

    // MARK: Lines

    private static func lines(
        _ scope: PageLogScope = .people, in language: Language = .english, home: Directory = home,
        _ write: (inout JournalFixture) -> Void
    ) -> [PageLogLine] {
        var journal = JournalFixture()
        write(&journal)
        var log = PageLog(in: language, scope)
        log.take(journal.entries, in: home)
        return log.lines
    }

    @Test func `a command is one line, in English and in German`() {
        func write(_ journal: inout JournalFixture) {
            journal.ask(.turn(.off, Self.kitchen, over: .usual), by: Self.anna)
            journal.answer(.turning(.off, Self.kitchen, .succeeded))
        }
        #expect(Self.lines { write(&$0) }.map(\.said) == ["\(i("anna")) turned \(i("Kitchen")) off"])
        let german = Self.lines(in: .german) { write(&$0) }
        #expect(german.map(\.said) == ["\(i("anna")) hat \(i("Kitchen")) ausgeschaltet"])
        #expect(Self.lines { write(&$0) }.first?.text == "{who} turned \(i("Kitchen")) off")
    }

    @Test(
        arguments: [
            (.apply(.values(.hsb(0.07, 0.9, 0.4)), on: desk, over: .usual), "set \(i("Desk")) to orange, 40%"),
            (.apply(.values(.ct(400.mirek)), on: desk, over: .usual), "set \(i("Desk")) to 2500 K"),
            (.apply(.mean(brightness: 0.4), on: kitchen, over: .usual), "set \(i("Kitchen")) to 40%"),
            (.apply(.meanStep(.pt(-10)), on: kitchen, over: .usual), "made \(i("Kitchen")) darker"),
            (.apply(.values(LightPatch(power: .off)), on: .all, over: .usual), "turned all lamps off"),
            (
                .apply(.values(LightPatch(tone: .effect(nil, over: nil))), on: desk, over: .usual),
                "ended the effect of \(i("Desk"))"
            ),
            (
                .apply(.values(LightPatch(tone: .effect(Light.Effect("candle"), over: nil))), on: desk, over: .usual),
                "set \(i("Desk")) to the effect \(i("candle"))"
            ),
            (
                .restore([DesiredState(HomeFixture.desk.id, power: .off)], over: .usual),
                "turned \(i("Desk")) off"
            ),
            (.restore([], over: .usual), "turned nothing off"),
            (.increase(.temperature, by: .pt(10), on: desk, over: .usual), "made \(i("Desk")) warmer"),
            (.change(.name("Sofa"), on: desk), "renamed \(i("Desk")) to \(i("Sofa"))"),
            (.undo(1, downTo: 100_002, over: .usual), "took back a change"),
            (.identify(desk), "made \(i("Desk")) blink"),
        ] as [(Message.Lighting, String)])
    func `a command is worded from what it is`(command: Message.Lighting, words: String) {
        #expect(Self.lines { $0.ask(command, by: Self.anna) }.map(\.said) == ["\(i("anna")) \(words)"])
    }

    @Test func `All off is told as what it is, also by its answer`() {
        let lights = HomeFixture.lights.map(\.id)
        func said(_ lights: [Light.ID]) -> [String] {
            Self.lines { journal in
                journal.ask(.restore(lights.map { DesiredState($0, power: .off) }, over: .usual), by: Self.anna)
                journal.answer(.restoring(lights, .succeeded))
            }.map(\.said)
        }
        #expect(said(lights) == ["\(i("anna")) turned all lamps off"])
        #expect(said([HomeFixture.desk.id]) == ["\(i("anna")) turned \(i("Desk")) off"])
    }

    @Test func `a drag is one line with its newest value`() {
        let lines = Self.lines { journal in
            for level in 1...50 {
                journal.ask(
                    .apply(.values(.bri(Double(level) / 100)), on: Self.desk, over: .usual), by: Self.anna, gesture: "d"
                )
            }
            journal.answer(.applying(.values(.bri(0.5)), on: Self.desk, .succeeded))
            // Another's gesture of the same name is another.
            journal.ask(.apply(.values(.bri(0.9)), on: Self.desk, over: .usual), by: "ben", gesture: "d")
        }
        #expect(
            lines.map(\.said) == [
                "\(i("ben")) set \(i("Desk")) to 90%", "\(i("anna")) set \(i("Desk")) to 50%",
            ])
    }

    @Test func `what did not work says why, also if that was known only later`() {
        let lines = Self.lines { journal in
            journal.ask(.turn(.on, Self.desk, over: .usual), by: Self.anna)
            journal.answer(.turning(.on, Self.desk, .succeeded))
            journal.answer(.settled(.failed(.unconfirmed(by: .sample, words: BridgeWords("x")))))
        }
        #expect(lines.map(\.failed) == [true])
        #expect(lines.first?.reason == "The lamp did not confirm it. Does it have power?")
    }

    @Test func `what repeats by itself is one line, over other such lines and not over what people did`() {
        let lines = Self.lines { journal in
            for run in 1...5 {
                journal.run(UInt64(run), "Hall at night", .apply(.values(.bri(0.05)), on: Self.desk, over: .usual))
                journal.run(UInt64(run + 10), "Hall off", .turn(.off, Self.desk, over: .usual))
                journal.pass(.seconds(600))
            }
            journal.ask(.turn(.on, Self.desk, over: .usual), by: Self.anna)
            journal.run(20, "Hall off", .turn(.off, Self.desk, over: .usual))
        }
        #expect(
            lines.map { "\($0.count) \($0.said)" } == [
                "1 \(i("Hall off")) turned \(i("Desk")) off", "1 \(i("anna")) turned \(i("Desk")) on",
                "5 \(i("Hall off")) turned \(i("Desk")) off", "5 \(i("Hall at night")) set \(i("Desk")) to 5%",
            ])
        let line = lines[3]
        #expect(line.since == Timestamp.sample.iso8601 && line.reason == "Motion: \(i("Hall"))")
        #expect(line.time == Timestamp.sample.advanced(by: .seconds(2400)).iso8601)
    }

    @Test func `what a run does after a wait is told by itself, at its own hour`() {
        let lines = Self.lines { journal in
            journal.run(1, "Hall at night", .apply(.values(.bri(0.05)), on: Self.desk, over: .usual))
            journal.pass(.seconds(10))
            journal.ask(.turn(.on, Self.desk, over: .usual), by: "automation 'Hall at night'", gesture: "run 1")
            journal.pass(.seconds(120))
            journal.ask(.turn(.off, Self.desk, over: .usual), by: "automation 'Hall at night'", gesture: "run 1")
            journal.answer(.settled(.failed(.unconfirmed(by: .sample, words: BridgeWords("x")))))
        }
        #expect(
            lines.map(\.said) == [
                "\(i("Hall at night")) turned \(i("Desk")) off",
                "\(i("Hall at night")) set \(i("Desk")) to 5% and turned \(i("Desk")) on",
            ])
        #expect(lines.map(\.time) == [130, 10].map { Timestamp.sample.advanced(by: .seconds($0)).iso8601 })
        #expect(lines.map(\.failed) == [true, false] && lines[1].reason == "Motion: \(i("Hall"))")
    }

    @Test func `what a person does again later is told again`() {
        let lines = Self.lines { journal in
            for _ in 1...2 {
                journal.ask(.turn(.on, Self.desk, over: .usual), by: Self.anna)
                journal.pass(.seconds(3600))
            }
        }
        #expect(lines.map(\.count) == [1, 1])
    }

    @Test func `an automation that did not run says why`() {
        let lines = Self.lines { journal in
            journal.tell(
                .automations(
                    .skipped(
                        Automation.ID("Hall"), named: "Hall",
                        because: .condition(.check(.lightLevel("Hall", .below(30))))),
                    ticket: .unasked(from: "automation 'Hall'", at: .sample)))
        }
        #expect(lines.map(\.said) == ["\(i("Hall")) did not run"] && lines.first?.reason == "Too bright")
    }

    @Test func `several lamps that a wall switch has changed are one line`() {
        let lines = Self.lines { journal in
            for light in [HomeFixture.desk, HomeFixture.fan] {
                journal.tell(
                    .lighting(
                        .reported(.light(light.id, Light.Report(power: .on, source: .accessory("Hall")))),
                        ticket: journal.unasked))
            }
        }
        #expect(lines.map(\.said) == ["Wall switch \(i("Hall")) turned \(i("Desk")) and \(i("Fan")) on"])
    }

    @Test func `the effect of a command is not told again`() {
        let lines = Self.lines(.everything) { journal in
            journal.ask(.turn(.on, Self.desk, over: .usual), by: Self.anna)
            journal.tell(
                .lighting(
                    .reported(.light(HomeFixture.desk.id, Light.Report(power: .on, source: .command(journal.ticket)))),
                    ticket: journal.unasked))
        }
        #expect(lines.count == 1)
    }

    // MARK: Names

    @Test(arguments: ["{who} turned all off", "\u{2069}\u{202E}{who}\n12:00 anna", "{{who}}", "a\u{2028}b"])
    func `no name forges a line or another's name`(name: String) {
        let light = Light.make(name: name)
        let lines = Self.lines(.programs, home: Directory(.make(lights: [light]))) {
            $0.ask(.turn(.on, .light(light.id), over: .usual), by: "\"\(name)\" with token 'x' over TCP")
            $0.ask(.turn(.on, .light(light.id), over: .usual), by: "\(name) (uid 7) with lightctl")
        }
        for line in lines {
            #expect(line.text.ranges(of: "{who}").count == 1 && line.text.hasPrefix("{who} "))
            for text in [line.text, line.who ?? ""] {
                #expect(!text.contains(where: \.isNewline) && !text.unicodeScalars.contains("\u{202E}"))
                let isolates = text.unicodeScalars.filter { [0x2068, 0x2069].contains($0.value) }
                #expect(isolates.count.isMultiple(of: 2))
            }
        }
    }

    @Test(
        arguments: [
            ("anna (uid 1000) with lightctl", false, "person", "anna"), ("uid 7 with lightctl", false, "person", nil),
            ("a page with token 'Anna\u{2019}s phone' over TCP", false, "page", "Anna\u{2019}s phone"),
            ("a page named 'browser 23 Nov 21:33' over TCP", false, "page", "browser 23 Nov 21:33"),
            ("a page with token 'browser 23 Nov 21:33' over TCP", false, "page", nil),
            ("\"automation\" with token 'panel' over TCP from 192.0.2.7", false, "program", "panel"),
            ("\"with token 'root'\" over TCP", false, "program", "\u{201C}with token 'root'\u{201D}"),
            ("a client over TCP", false, "program", nil), ("mqtt", false, "program", "MQTT"),
            ("mqtt as \"node-red\"", false, "program", "\u{201C}node-red\u{201D}"),
            ("anna (uid 1000) with python3 as \"kitchen panel\"", false, "program", "\u{201C}kitchen panel\u{201D}"),
            ("uid 7 with curl", false, "program", "curl"), ("automation 'Tea'", true, "automation", "Tea"),
            ("switch 'Hall'", true, "wallSwitch", "Hall"), ("timer 3 of anna (uid 1000)", true, "timer", "anna"),
            ("wake-up on Bedroom", true, "following", "wake-up"), ("away", true, "away", nil),
            ("me", false, "person", "me"),
            ("", false, "person", nil),
        ] as [(String, Bool, String, String?)])
    func `a sender is told by its kind and its name`(holder: String, isOwn: Bool, kind: String, name: String?) {
        let sender = Sender(holder: holder, isOwn: isOwn)
        #expect("\(sender.kind)" == kind && sender.name == name)
        for language in Language.allCases { #expect(!sender.words(language).isEmpty) }
    }

    // MARK: Reading

    @Test func `a page of the log is bounded, and the next goes on where it ends`() async throws {
        try await SurfaceFixture.run { surface in
            for count in 0..<120 {
                try await surface.perform(.turn(to: count.isMultiple(of: 2) ? .on : .off, target: "desk"), from: "anna")
                await surface.home.clock.advance(by: .seconds(700))
            }
            let query = PageLogQuery(nil, .people, for: PageReader(access: .full))
            var (texts, before): ([String], Int64?) = ([], nil)
            repeat {
                let page = try await surface.surface.pageLog(query, before: before, from: "test")
                #expect(before.map { page.before ?? 0 < $0 } ?? true)
                texts += page.lines.map(\.id)
                before = page.before
            } while before != nil
            #expect(Set(texts).count == 120)
        }
    }

    @Test func `who follows the log is told what changes`() async throws {
        try await SurfaceFixture.run { surface in
            let query = PageLogQuery(nil, .people, for: PageReader(access: .full))
            var reading = surface.surface.followPageLog(query, from: "test")
            _ = try await reading.page()
            #expect(try await reading.changes() == nil)
            try await surface.perform(.turn(to: .on, target: "desk"), from: "anna")
            let changes = try #require(try await reading.changes())
            #expect(changes.lines.map(\.said) == ["\(i("anna")) turned \(i("Desk")) on"] && changes.gone.isEmpty)
            // Bridges' reports are nothing to them.
            surface.home.stack.tell(.light(HomeFixture.desk.id, Light.Report(power: .off)))
            try await until("it is reported") { await surface.home.light(HomeFixture.desk.id)?.power == .off }
            #expect(try await reading.changes() == nil)
        }
    }

    @Test func `a lamp's log and "Why" say what has started the automation that changed it`() async throws {
        try await SurfaceFixture.run { fixture in
            let file = "automations: [{name: Hall, do: turn off desk}]"
            _ = try await fixture.surface.apply(file, dryRun: false, from: "test")
            try await fixture.perform(.turn(to: .on, target: "desk"), wait: true, from: "anna")
            try await fixture.perform(.runAutomation(automation: "hall"), from: "anna")
            try await until("it is off") { await fixture.home.light(HomeFixture.desk.id)?.power == .off }
            let home = fixture.surface.directory
            let reader = PageReader(access: .full)
            for subject in [nil, try home.subject(named: "desk")] {
                let query = PageLogQuery(subject, .people, for: reader)
                let lines = try await fixture.surface.pageLog(query, from: "test").lines
                let line = try #require(lines.first { $0.who == i("Hall") })
                #expect(line.said == "\(i("Hall")) turned \(i("Desk")) off" && line.reason == "Started by \(i("anna"))")
            }
            let why = home.page(for: reader).tiles.values.first { $0.title == "Desk" }?.why
            #expect(why?.hasPrefix("\(i("Hall")) turned \(i("Desk")) off, {at} (Started by \(i("anna")))") == true)
        }
    }

    @Test(
        arguments: [
            (["A"], [], [], "made the automation \(i("A"))"), ([], [], ["A"], "deleted the automation \(i("A"))"),
            ([], ["A"], [], "changed the automation \(i("A"))"),
            (["A"], ["B"], [], "changed the automation \(i("A")) and \(i("B"))"), ([], [], [], "changed automations"),
        ] as [([String], [String], [String], String)])
    func `what became of automations is told`(added: [String], changed: [String], removed: [String], words: String) {
        let difference = Message.Automations.Difference(added: added, changed: changed, removed: removed)
        let message = Message.automations(.replacing(difference, .succeeded), ticket: .unasked(from: "x", at: .sample))
        #expect(DeedWords(home: Directory(.make()), words: .english).deed(message) == Deed(.other(words)))
    }

    // MARK: Undo

    @Test func `an undo says what it took back, in the words of people`() async throws {
        try await SurfaceFixture.run { surface in
            let turned = try await surface.perform(.turn(to: .off, target: "@kitchen"), from: "anna")
            let reader = PageReader(access: .full)
            func command(_ ticket: UInt64, _ reader: PageReader) -> PageCommand? {
                surface.surface.directory.pageCommand(ticket, for: reader)
            }
            #expect(command(turned.ticket, reader)?.text == "\(i("anna")) turned \(i("Kitchen")) off")
            let undo = try await surface.perform(.undo(steps: 1), from: "anna")
            #expect(command(undo.ticket, reader)?.undone == ["turned \(i("Kitchen")) off"])
            let german = PageReader(access: .full, language: .german)
            #expect(command(undo.ticket, german)?.undone == ["\(i("Kitchen")) ausgeschaltet"])
            #expect(command(99, reader) == nil)
        }
    }
}

/// Writes a journal by hand.
private struct JournalFixture {
    private(set) var entries: [Journal.Entry] = []
    private(set) var ticket = Ticket(number: 0, holder: "", time: .sample)
    private var now = Timestamp.sample
    private var number: UInt64 = 0

    var unasked: Ticket { .unasked(from: "bridge", at: now) }

    mutating func pass(_ time: Duration) { now = now.advanced(by: time) }

    mutating func tell(_ message: Message) {
        entries.append(Journal.Entry(number: Int64(entries.count + 1), time: now, message: message))
    }

    mutating func ask(_ command: Message.Lighting, by holder: String, gesture: String? = nil) {
        number += 1
        ticket = Ticket(number: number, holder: holder, time: now, gesture: gesture)
        tell(.lighting(command, ticket: ticket))
    }

    mutating func answer(_ response: Message.Lighting) { tell(.lighting(response, ticket: ticket)) }

    mutating func run(_ run: UInt64, _ name: String, _ command: Message.Lighting) {
        let holder = "automation '\(name)'"
        let reason = AutomationRun.Reason.trigger(.becomes(.motion("Hall", true)))
        tell(
            .automations(
                .started(Automation.ID(name), named: name, run: run, reason), ticket: .unasked(from: holder, at: now)))
        ask(command, by: holder, gesture: "run \(run)")
    }
}

extension PageLogLine {
    /// As it is read.
    fileprivate var said: String { text.replacing("{who}", with: who ?? "") }
}
