import ControlProtocol
import Khipu
import Languages
import Lighting
import LightingTestKit
import Testing

@testable import ControlSurface

/// What the page says of sensors, and what it leaves out.
@Suite struct SensorPageTests {
    private static let reader = PageReader(access: .full)
    private static let later = Timestamp.sample.advanced(by: .seconds(60))

    private static func sensor(
        _ resource: String = "hall", name: String = "Hall", motion: Bool? = nil, contact: Sensor.Contact? = nil,
        temperature: Double? = nil, battery: Double? = nil, isReachable: Bool = true
    ) -> Sensor {
        Sensor(
            id: .init(bridge: .sample, resource: resource), name: name, room: HomeFixture.kitchen.id,
            motion: motion.map { .init($0, at: .sample) }, contact: contact.map { .init($0, at: .sample) },
            temperature: temperature.map { .init($0, at: .sample) }, battery: battery.map { .init($0, at: .sample) },
            isReachable: isReachable)
    }

    private static func home(_ sensors: Sensor...) -> AppState {
        HomeFixture.state.alter(by: sensors.map { .adding(.sensor($0)) })
    }

    private static func sensed(_ language: Language = .english, _ sensors: Sensor...) -> PageSensed? {
        let page = Directory(HomeFixture.state.alter(by: sensors.map { .adding(.sensor($0)) }))
            .page(for: PageReader(access: .look, language: language))
        return page.frame.sections.first { $0.title == "Kitchen" }?.sensed
    }

    @Test func `a room says what its sensors say, and nothing of one that is not heard`() {
        let window = Self.sensor("window", name: "Window", contact: .open)
        #expect(
            Self.sensed(.english, Self.sensor(motion: false, temperature: 21.46), window)
                == PageSensed(text: "motion {at} · 21.5° · \u{2068}Window\u{2069} open", at: Timestamp.sample.iso8601))
        #expect(
            Self.sensed(.german, Self.sensor(motion: true, temperature: -0.5))
                == PageSensed(text: "Bewegung jetzt · -0,5°", at: nil))
        #expect(Self.sensed(.english, Self.sensor(motion: true, isReachable: false)) == nil)
        #expect(Self.sensed(.english, Self.sensor(contact: .closed)) == nil)
    }

    @Test func `a name cannot be taken for a time`() {
        let window = Self.sensor(name: "{at}", contact: .open)
        #expect(Self.sensed(.english, window)?.text.contains("{at}") == false)
    }

    @Test func `batteries come the weakest first, and a weak one is said on the home`() throws {
        let home = Directory(
            Self.home(
                Self.sensor("a", name: "A", battery: 0.9), Self.sensor("b", name: "B", battery: 0.09),
                Self.sensor("c", name: "C", battery: 0.15)))
        let batteries = home.pageSensors(at: Self.later, in: .english).batteries
        #expect(batteries.map(\.title) == ["B", "C", "A"] && batteries.map(\.low) == [true, false, false])
        let notices = home.page(for: Self.reader).frame.notices
        #expect(notices.map(\.title) == ["The battery of \u{2068}B\u{2069} is low."])
        #expect(notices.first?.causes == ["battery/\(Bridge.ID.sample)/b"])
        let german = home.page(for: PageReader(access: .look, language: .german)).frame.notices
        #expect(german.first?.text.hasPrefix("Noch 9") == true)
    }

    @Test func `a sensor has its values with their day`() throws {
        let hall = Self.sensor(motion: false, temperature: 20)
        let state = Self.home(hall).alter(
            by: .updating(.sensorDay(hall.id, by: .init(motion: true, temperature: 20), at: .sample)),
            .updating(.sensorDay(hall.id, by: .init(motion: false), at: Self.later)),
            .updating(.sensorDay(hall.id, by: .init(temperature: 22.5), at: .sample.advanced(by: .seconds(900)))))
        let sensor = try #require(Directory(state).pageSensors(at: Self.later, in: .english).sensors.first)
        #expect(sensor.title == "Hall" && sensor.place == "Kitchen" && sensor.doubt.isEmpty)
        #expect(sensor.values.map(\.text) == ["No motion since {clock}", "20°"])
        let start = Double(Timestamp.sample.milliseconds)
        #expect(sensor.values[0].spans == [[start, start + 60_000]])
        #expect(sensor.values[0].day == "Motion once in the last day")
        #expect(sensor.values[1].curve == [[start, 20], [start + 900_000, 22.5]])
        #expect(sensor.values[1].day == "Between 20° and 22.5° in the last day")
        // Nothing was told since, and that was long ago.
        let now = Self.later.advanced(by: .seconds(3 * 86_400))
        let old = try #require(Directory(state).pageSensors(at: now, in: .english).sensors.first)
        #expect(old.values[0].spans.isEmpty && old.values[0].day == "Motion 0 times in the last day")
        #expect(old.values[1].day == "22.5° in the last day")
    }

    // MARK: What is left out

    @Test(arguments: HomeFixture.lights)
    func `a page without a hidden lamp is that of a home without the lamp`(light: Light) {
        let pinned = HomeFixture.state.alter(by: .updating(.dashboard(by: .pinning(.it(.light(light.id))))))
        let hidden = Directory(
            pinned.alter(by: .updating(.dashboard(by: .excluding(.lights([light.id], from: .page))))))
        let (page, without) = (
            hidden.page(for: Self.reader),
            Directory(pinned.alter(by: .removing(.light(light.id)))).page(for: Self.reader)
        )
        #expect(page.tiles == without.tiles)
        var frame = page.frame
        frame.allOff = without.frame.allOff
        #expect(frame == without.frame)
    }

    @Test func `a lamp that is hidden and shown again comes and goes by events`() throws {
        let shown = Directory(HomeFixture.state)
        let hidden = Directory(
            HomeFixture.state.alter(
                by: .updating(.dashboard(by: .excluding(.lights([HomeFixture.desk.id], from: .page))))))
        #expect(try shown.pageEvents(since: hidden, for: Self.reader).contains { $0.data.contains(#""title":"Desk""#) })
        let away = try hidden.pageEvents(since: shown, for: Self.reader)
        #expect(away.last?.name == .frame && !away.contains { $0.data.contains(#""title":"Desk""#) })
    }

    @Test func `all off says what stays on, and is of no use if nothing else is on`() {
        func allOff(_ lights: [Light], lit: [Light] = HomeFixture.lights) -> PageFrame.AllOff {
            let state = AppState.make(
                lights: HomeFixture.lights.map { light in
                    light.alter(by: .turning(.it(lit.contains(light) ? .on : .off)))
                }
            ).alter(by: .updating(.dashboard(by: .excluding(.lights(lights.map(\.id), from: .allOff)))))
            return Directory(state).page(for: Self.reader).frame.allOff
        }
        #expect(allOff([]) == .init(possible: true, spared: ""))
        #expect(allOff([HomeFixture.fan]) == .init(possible: true, spared: "\u{2068}Fan\u{2069} stays on."))
        #expect(allOff([HomeFixture.fan], lit: [HomeFixture.fan]).possible == false)
        #expect(allOff([HomeFixture.fan], lit: [HomeFixture.desk]).spared.isEmpty)
    }
}
