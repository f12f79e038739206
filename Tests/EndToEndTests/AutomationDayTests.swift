import ControlProtocol
import Foundation
import Khipu
import LightDaemon
import LightingTestKit
import SimulatedBridge
import TestSupport
import Testing

/// A day of a house with six automations, a followed room, motion, a door and a dial. The daemon's civil time is wound by
/// hand, so that the day takes no longer than what happens on it.
@Suite(.timeLimit(.minutes(5)))
struct AutomationDayTests {
    private static let home = """
        rooms:
          - name: Living
            lights: [{ name: Sofa, kind: color }, { name: Shelf, kind: ambiance }, { name: Reading, kind: dimmable }]
            accessories: [{ name: Dial, kind: dial }]
          - name: Hall
            lights: [{ name: Hall lamp, kind: color }]
            accessories: [{ name: Motion, kind: motion }, { name: Door, kind: contact }]
          - name: Kitchen
            lights: [{ name: Stove, kind: ambiance }, { name: Sink, kind: ambiance }]
        scenes:
          - name: Evening
            group: Living
            lights: { Sofa: { brightness: 40, mirek: 400 }, Shelf: { brightness: 30, mirek: 400 } }
        """

    private static let automations = """
        automations:
          - name: Wake
            when: 06:45
            do: set Reading --brightness 60%
          - name: Day
            when: sunrise + 10m
            do: turn off @Living
          - name: Evening
            when: sunset - 20m
            if: [between 12:00 and 23:30, "@Living off"]
            do: recall Living/Evening
          - name: Hall at night
            when: motion Motion
            if: between 22:00 and 06:00
            do: [set "Hall lamp" --brightness 5% --temperature 2200K, wait no motion Motion for 20m, restore @Hall]
          - name: Door
            when: contact Door open for 30m
            do: turn on Sink
          - name: Leaving
            when: button Dial 4 long
            do: turn off all
        """

    @Test func `a day goes as its automations say, and the journal tells each cause`() async throws {
        try await withDay { day in
            let place = try TemporaryDirectory()
            defer { place.remove() }
            let home = day.home
            func ctl(_ arguments: String...) async throws {
                let end = try await home.lightctl(arguments)
                #expect(end.status == 0, "\(arguments): \(end)")
            }
            try await ctl("off", "all")
            try await ctl("automation", "apply", place.write("automations.yaml", Self.automations))
            try await ctl("curve", "set", "even", "00:00 50% 3000K", "12:00 50% 3000K")
            try await ctl("follow", "@Kitchen", "even")

            try await day.passes(until: "06:50")
            try await home.wait(for: "Reading", "on since 06:45") { $0.power == .on }
            try await day.passes(until: "10:00")
            try await home.wait(for: "Reading", "off since sunrise + 10m") { $0.power == .off }

            // Somebody at the wall: the lamp follows at once.
            try await home.tell("lights/Stove/switch", #"{"on":true}"#)
            try await home.wait(for: "Stove", "on at 50%") { $0.power == .on && $0.isAt(50) }
            // A hand wins.
            try await ctl("dim", "Stove", "80%", "--wait")

            // The door, for a quarter of an hour and then for long.
            try await day.passes(until: "11:00")
            try await day.door(isOpen: true)
            try await day.passes(until: "11:15")
            try await day.door(isOpen: false)
            try await day.passes(until: "12:30")
            #expect(try await home.light("Sink").power == .off)
            try await day.door(isOpen: true)
            try await day.passes(until: "12:59")
            #expect(try await home.light("Sink").power == .off)
            try await day.passes(until: "13:00")
            try await home.wait(for: "Sink", "on") { $0.power == .on }

            try await day.passes(until: "15:00")
            #expect(try await home.light("Sofa").power == .off)
            try await day.passes(until: "16:00")
            try await home.wait(for: "Sofa", "on in the evening") { $0.power == .on }

            // Motion before its hours, and in them.
            try await day.passes(until: "20:00")
            try await day.motion(true)
            try await day.passes(until: "20:20")
            try await day.motion(false)
            try await day.passes(until: "22:10")
            #expect(try await home.light("Hall lamp").power == .off)
            try await day.motion(true)
            try await home.wait(for: "Hall lamp", "on") { $0.power == .on }
            try await day.passes(until: "22:15")
            try await day.motion(false)
            try await day.passes(until: "22:34")
            #expect(try await home.light("Hall lamp").power == .on)
            try await day.passes(until: "22:35")
            try await home.wait(for: "Hall lamp", "off again") { $0.power == .off }

            // What a reading of the file says.
            let lights = Dictionary(uniqueKeysWithValues: try await home.lights().map { ($0.name, $0) })
            #expect(lights.filter { $0.value.power == .on }.keys.sorted() == ["Shelf", "Sink", "Sofa", "Stove"])
            for (name, level) in ["Sofa": 40.0, "Shelf": 30, "Stove": 80, "Sink": 50] {
                #expect(lights[name]?.isAt(level) == true, "\(name)")
            }
            #expect(lights["Sofa"]?.cause.by == "automation 'Evening'")
            #expect(lights["Sink"]?.cause.by == "automation 'Door'")
            #expect(lights["Stove"]?.cause.by?.contains("with lightctl") == true)

            try await day.passes(until: "23:00")
            try await home.tell("sensors/Dial/button", #"{"button":4,"event":"initial_press"}"#)
            try await home.tell("sensors/Dial/button", #"{"button":4,"event":"long_press"}"#)
            try await until("all is off") { try await home.lights().allSatisfy { $0.power == .off } }
            try await day.rests()
            let journal = try await day.journal
            #expect(
                journal == [
                    "06:45 'Wake' starts: 06:45", "06:45 'Wake' ends",
                    "07:50 'Day' starts: sunrise + 10m", "07:50 'Day' ends",
                    "13:00 'Door' starts: contact Door open for 30m", "13:00 'Door' ends",
                    "15:44 'Evening' starts: sunset - 20m", "15:44 'Evening' ends",
                    "22:10 'Hall at night' starts: motion Motion", "22:35 'Hall at night' ends",
                    "23:00 'Leaving' starts: button Dial 4 long", "23:00 'Leaving' ends",
                ])
        }
    }

    /// Runs the home's bridge, whose time runs sixty times as fast so that it reports at once, and a daemon whose clock
    /// shows six o'clock in the morning and stands still.
    private func withDay(_ body: @escaping @Sendable (Day) async throws -> Void) async throws {
        let clock = ManualClock(at: Day.start.milliseconds)
        var settings = Settings(home: try HomeFile(yaml: Self.home, path: "home.yaml"))
        settings.timeScale = 60
        settings.quirks = [.unlimited]
        try await SeveralBridgesFixture.running(
            [settings], civilTime: clock.clock,
            adjust: { configuration in
                configuration.home = .init(latitude: 52.52, longitude: 13.405, timeZone: "Europe/Berlin")
                // Of an unlimited bridge.
                configuration.limits.lightsPerSecond = 1000
                configuration.limits.groupsPerSecond = 1000
            }
        ) { home in try await body(Day(home: home, clock: clock)) }
    }
}

/// A day that passes when it is told to.
private struct Day: Sendable {
    let home: SeveralBridgesFixture
    let clock: ManualClock

    /// 22 November 2026, 06:00 in Berlin.
    static let start = Timestamp(milliseconds: 1_795_323_600_000)

    /// Winds the clock to a time such as "06:45", from one alarm to the next; what one has begun is done before the next.
    func passes(until time: String) async throws {
        let parts = time.split(separator: ":").compactMap { Int64($0) }
        let end = Self.start.advanced(by: .seconds(((parts[0] - 6) * 60 + parts[1]) * 60))
        while clock.now < end {
            let next = min(max(clock.nextAlarm ?? end, clock.now), end)
            await clock.advance(by: next.since(clock.now))
            try await rests()
        }
    }

    /// Waits until no automation does anything but wait, and what was sent to lights has arrived.
    func rests() async throws {
        // Answered behind what an alarm has posted: until then the lists may be those from before it.
        _ = try await journal
        try await until("what has begun is done") {
            let automations = try await home.client.get([AutomationBody].self, Routes.automations)
            let isWaiting = automations.flatMap(\.running).allSatisfy { $0.step?.hasPrefix("wait") == true }
            let lights = try await home.lights()
            return isWaiting && lights.allSatisfy { $0.freshness == .confirmed }
        }
    }

    func door(isOpen: Bool) async throws {
        try await home.tell("sensors/Door/contact", #"{"closed":\#(!isOpen)}"#)
        try await sees("the door \(isOpen ? "open" : "closed")", "Door") {
            $0.contact?.value == (isOpen ? .open : .closed)
        }
    }

    func motion(_ isMoving: Bool) async throws {
        try await home.tell("sensors/Motion/motion", #"{"motion":\#(isMoving)}"#)
        try await sees(isMoving ? "motion" : "no motion", "Motion") { $0.motion?.value == isMoving }
    }

    private func sees(_ what: String, _ name: String, _ matches: (SensorBody) -> Bool) async throws {
        try await until("lightd sees \(what)") {
            try await home.client.get([SensorBody].self, Routes.sensors).first { $0.name == name }.map(matches) ?? false
        }
    }

    /// What automations did, with the home's time: "06:45 'Wake' starts: 06:45".
    var journal: [String] {
        get async throws {
            let log = Routes.path(Routes.log, [(.limit, "1000"), (.feature, "automations")])
            let words = [" starts", " ends", "does not run"]
            return try await home.client.get([LogBody].self, log)
                .filter { entry in words.contains { entry.text.contains($0) } }
                .map { "\(try shown($0.time)) \($0.text)" }
        }
    }

    private func shown(_ time: String) throws -> String {
        let passed = Int(try Date(time, strategy: .iso8601).timeIntervalSince1970) - Int(Self.start.milliseconds / 1000)
        let minutes = 6 * 60 + passed / 60
        return [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}

extension LightBody {
    fileprivate func isAt(_ percent: Double) -> Bool { values.brightness.map { abs($0 - percent) < 1 } == true }
}
