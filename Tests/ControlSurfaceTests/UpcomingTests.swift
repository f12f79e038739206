import ControlProtocol
import Foundation
import Khipu
import Languages
import Lighting
import LightingTestKit
import Testing

@testable import ControlSurface

/// What a page says of the time to come, and of the automations.
@Suite struct UpcomingTests {
    private static let file = """
        automations:
          - name: Evening
            when: 18:00
            if: "@Kitchen off"
            do: [turn on stove, set desk --brightness 40%]
          - name: Weekend
            when: 09:00
            if: sat-sun
            do: wake @Kitchen --over 30m
          - name: Early
            when: button Dial 2 short
            do: [wake @Kitchen --over 30m, wait 90m, turn off @Kitchen, wait 5m, turn off desk]
          - name: "{at} \u{05d0}<b>"
            when: [contact door open, "button Dial 1 long", "every 30m between 20:00 and 22:00 mon-fri"]
            do: [turn off all, wait 90s, restore @Kitchen]
          - name: Off
            when: 20:00
            do: turn off all
            enabled: false

        """

    /// A curve that needs no sun.
    private static let office = Command.setCurve(name: "office", points: ["00:00 60% 2700K"])

    private static func with(_ body: (SurfaceFixture) async throws -> Void) async throws {
        try await SurfaceFixture.run { fixture in
            _ = try await fixture.surface.apply(file, dryRun: false, from: "test")
            try await body(fixture)
        }
    }

    private func upcoming(
        _ fixture: SurfaceFixture, _ access: TokenAccess = .full, _ language: Language = .english
    ) -> [PageUpcoming] {
        fixture.surface.directory.page(for: PageReader(access: access, language: language)).frame.upcoming
    }

    private func list(_ fixture: SurfaceFixture, _ language: Language = .english) -> [PageAutomation] {
        fixture.surface.directory.pageAutomations(for: PageReader(access: .look, language: language))
    }

    /// What its button sends.
    private func command(_ action: PageAction) throws -> Command {
        var fields =
            try JSONSerialization.jsonObject(with: JSONEncoder().encode(action.fields)) as? [String: Any] ?? [:]
        fields["command"] = action.command
        return try CommandRequest(json: JSONSerialization.data(withJSONObject: fields)).command
    }

    @Test func `each has a button that lightd takes, for those who may use it`() async throws {
        try await Self.with { fixture in
            try await fixture.perform(.schedule(steps: ["turn off all"], after: 600))
            try await fixture.perform(.schedule(steps: ["turn on stove", "wait 10m", "restore stove"]))
            try await fixture.perform(.wake(target: "@Kitchen"))
            try await fixture.perform(Self.office)
            try await fixture.perform(.follow(target: "@Kitchen", curve: "office"))
            try await fixture.perform(.runAutomation(automation: "{at} \u{05d0}<b>"))
            try await fixture.perform(.away(to: .on, .init(plain: true)))
            let all = upcoming(fixture)
            #expect(Set(all.map(\.kind)) == Set(PageUpcoming.Kind.allCases))
            #expect(Set(all.map(\.id)).count == all.count)
            for entry in all {
                #expect(try command(try #require(entry.action)).neededRole == .control && !entry.title.isEmpty)
                // All but the end of being away is known.
                #expect(entry.at != nil || entry.kind == .away, "\(entry)")
            }
            for access in [TokenAccess.look, .readOnly] {
                let read = upcoming(fixture, access)
                #expect(read.map(\.id) == all.map(\.id) && read.allSatisfy { $0.action == nil })
            }
            // The curve goes on when the sunrise is stopped.
            for entry in all { try await fixture.perform(try command(try #require(entry.action))) }
            #expect(upcoming(fixture).map(\.id).sorted() == upcoming(fixture).filter(\.skipped).map(\.id).sorted())
            #expect(fixture.surface.directory.state.followings.all.map(\.course.name) == ["office"])
            for entry in upcoming(fixture) { try await fixture.perform(try command(try #require(entry.action))) }
            #expect(upcoming(fixture).allSatisfy { !$0.skipped && $0.kind == .next })
        }
    }

    @Test func `what goes on comes first, then what is next, and why`() async throws {
        try await Self.with { fixture in
            try await fixture.perform(.schedule(steps: ["turn on stove", "wait 10m", "restore stove"]), from: "anna")
            let all = upcoming(fixture)
            #expect(all.first?.title == "Stove off" && all.first?.text == "Asked for: \(i("anna"))")
            #expect(all.first?.since != nil && all.first?.action?.title == "Keep on")
            let times = all.dropFirst().compactMap(\.at)
            #expect(times == times.sorted() && times.count == 3)
            #expect(all.first { $0.title == "Evening" }?.text == "If Kitchen off: Stove on, Desk 40%")
            // Its days are known: nothing is open.
            #expect(all.first { $0.title == "Weekend" }?.text == "Wake-up in Kitchen")
            #expect(!all.contains { $0.title == "Off" })
            let german = upcoming(fixture, .full, .german)
            #expect(german.first?.title == "Stove aus" && german.first?.action?.title == "Anlassen")
            #expect(german.first { $0.title == "Evening" }?.text == "Wenn Kitchen aus: Stove an, Desk 40\u{A0}%")
        }
    }

    @Test func `in another place, pages learn the other hours, and what can follow the day`() async throws {
        try await Self.with { fixture in
            let state = fixture.surface.directory.state
            let place = Place(latitude: 52.5, longitude: 13.4)
            let (before, after) = (Directory(state), Directory(state, in: HomeTime(zone: .fixed(3600), place: place)))
            let events = try after.pageEvents(since: before, for: PageReader(access: .full))
            #expect(events.last?.name == .frame && events.count { $0.name == .tile } > 1)
            let times = [before, after].map { home in
                home.page(for: PageReader(access: .full)).frame.upcoming.first { $0.title == "Evening" }?.at
            }
            #expect(times[0]?.contains("T18:00:00") == true && times[1]?.contains("T17:00:00") == true)
        }
    }

    @Test func `what is skipped says who wanted it, and when it runs again`() async throws {
        try await Self.with { fixture in
            let action = upcoming(fixture).first { $0.title == "Evening" }?.action
            #expect(action?.said == "Skipped once. Evening runs again: {due}.")
            try await fixture.perform(.skipAutomation(automation: "evening"), from: "anna (uid 1000) with lightctl")
            let skipped = upcoming(fixture).first { $0.title == "Evening" }
            #expect(skipped?.skipped == true && skipped?.text == "Skipped once (\u{2068}anna\u{2069})")
            #expect(skipped?.action?.title == "Don't skip")
            let row = list(fixture).first { $0.name == "Evening" }
            #expect(row?.skipped == true && row?.lines.first?.text == "Skipped once: {due}")
            let body = fixture.surface.automations.first { $0.name == "Evening" }
            #expect(body?.skipping.flatMap { Timestamp(iso8601: $0) } == skipped?.at.flatMap { Timestamp(iso8601: $0) })
            #expect(body?.next != nil && body?.next != body?.skipping)
        }
    }

    @Test func `an automation is a sentence, and what became of it follows`() async throws {
        try await Self.with { fixture in
            let all = list(fixture)
            #expect(all.map(\.next).compactMap(\.self) == all.map(\.next).compactMap(\.self).sorted())
            #expect(all.last?.next == nil && all.last?.enabled == false)
            let texts = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.text) })
            #expect(texts["Evening"] == "{18:00}, if Kitchen off: Stove on, Desk 40%")
            #expect(texts["Weekend"] == "{09:00}, Sat, Sun: wake-up in Kitchen")
            #expect(
                texts["{at} \u{05d0}<b>"]
                    == "Door open or Dial, button 1 held or every 30 min, {20:00} to {22:00} Mon–Fri: all lights off, "
                    + "after 1 min 30 s, Kitchen as before")
            // As its form says it: the light is full after half an hour.
            #expect(
                texts["Early"]
                    == "Dial, button 2 pressed: wake-up in Kitchen, after 1 h of full light, Kitchen off, after 5 min, "
                    + "Desk off")
            let german = list(fixture, .german)
            #expect(german.first { $0.name == "Weekend" }?.text == "{09:00}, Sa, So: Wecklicht in Kitchen")
            #expect(german.first { $0.name == "Early" }?.text.contains("nach 1 Std. vollem Licht, Kitchen aus") == true)
            try await fixture.perform(.runAutomation(automation: "Evening"))
            #expect(
                list(fixture).first { $0.name == "Evening" }?.lines.map(\.text) == ["Next: {due}", "Ran at {clock}"])
        }
    }

    @Test func `a name is none of the marks, and turns no word around it`() async throws {
        try await Self.with { fixture in
            let titles = upcoming(fixture).map(\.title)
            #expect(titles.contains("\u{2068}{\u{2060}at} \u{05d0}<b>\u{2069}"))
        }
    }

    @Test func `what is set on the clock is news for a page, and what a lamp does is not`() async throws {
        try await Self.with { fixture in
            let before = fixture.surface.directory
            func events() throws -> [PageEventName] {
                try fixture.surface.directory.pageEvents(since: before, for: PageReader(access: .full)).map(\.name)
            }
            try await fixture.perform(.turn(to: .on, target: "stove"))
            #expect(try !events().contains(.automations))
            try await fixture.perform(.enableAutomation(automation: "off"))
            #expect(try events().contains(.automations) && events().contains(.frame))
        }
    }

    @Test func `a lamp that follows the day says so, and what of it is a person's`() async throws {
        try await Self.with { fixture in
            func tile(_ language: Language = .english) -> PageTile? {
                let page = fixture.surface.directory.page(for: PageReader(access: .look, language: language))
                return page.tiles.values.first { $0.title == "Desk" }
            }
            #expect(tile()?.follows == nil)
            try await fixture.perform(Self.office)
            try await fixture.perform(.follow(target: "desk", curve: "office"))
            #expect(tile()?.follows == .init(text: "Follows office", paused: false))
            #expect(tile()?.valueText.contains(", follows office") == true)
            try await fixture.perform(.set(LightValuesBody(brightness: 11), target: "desk"))
            #expect(tile()?.follows == .init(text: "Follows office. Its brightness is yours", paused: true))
            #expect(tile(.german)?.follows?.text == "Folgt office. Ihre Helligkeit bestimmst du")
            try await fixture.perform(.resume(target: "desk"))
            #expect(tile()?.follows?.paused == false)
            try await fixture.perform(.unfollow(target: "desk"))
            #expect(tile()?.follows == nil)
        }
    }
}
