import Khipu
import Lighting
import LightingTestKit
import Testing

@DomainActor
struct DashboardTests {
    private let lights = (0..<4).map { Light.make("\($0)", name: "Lamp \($0)") }
    private func target(_ number: Int) -> Target { .light(lights[number].id) }
    private func home() -> DomainFixture { DomainFixture(.make(lights: lights)) }

    @Test func `pins are in the order of pinning, without duplicates, and saved`() {
        let home = home()
        for number in [2, 0, 2] { home.send(.pin(target(number))) }
        #expect(home.store.state().dashboard.pins.map(\.target) == [target(2), target(0)])
        #expect(home.archive.items.last == .dashboard(home.store.state().dashboard))
    }

    @Test(arguments: [-3, 0, 1, 2, 3, 99]) func `moving puts a pin in its place and keeps the order of the others`(
        place: Int
    ) {
        let home = home()
        for number in 0..<4 { home.send(.pin(target(number))) }
        home.send(.move(target(1), to: place))
        let pins = home.store.state().dashboard.pins.map(\.target)
        #expect(pins[min(max(place, 0), 3)] == target(1))
        #expect(pins.filter { $0 != target(1) } == [target(0), target(2), target(3)])
    }

    @Test func `the display of a pin can be changed, and only what is pinned can be unpinned`() {
        let home = home()
        home.send(.pin(target(0)))
        home.send(.toggle(.display(to: .scrubbing), of: target(0)))
        #expect(home.store.state().dashboard.pins == [DashboardPin(target(0), display: .scrubbing)])
        #expect(home.light(lights[0].id)?.display == .scrubbing)
        let ticket = home.send(.unpin(target(3)))
        #expect(home.response(to: ticket)?.outcome == .failed(.notPinned(target(3))))
    }

    @Test func `the dashboard is shown in its order, and showing it changes and records nothing`() {
        let home = home()
        for number in [2, 0] { home.send(.pin(target(number))) }
        let (state, entries) = (home.store.state(), home.journal.entries.count)
        let ticket = home.send(Message.Dashboard.show)
        let pins = [DashboardPin(target(2)), DashboardPin(target(0))]
        #expect(home.response(to: ticket) == .dashboard(.showing(pins, .succeeded), ticket: ticket))
        #expect(home.store.state() == state && home.journal.entries.count == entries)
    }

    @Test func `what is left out is saved, and neither it nor the pins change the other`() {
        let home = home()
        let ids = lights.map(\.id)
        home.send(.pin(target(1)))
        home.send(.exclude([ids[0], ids[2]], from: .allOff))
        home.send(.exclude([ids[0]], from: .page))
        home.send(.pin(target(3)))
        home.send(.include([ids[2], ids[3]], in: .allOff))
        let dashboard = home.store.state().dashboard
        #expect(dashboard.exclusions == [.allOff: [ids[0]], .page: [ids[0]]])
        #expect(dashboard.pins.map(\.target) == [target(1), target(3)])
        #expect(home.archive.items.last == .dashboard(dashboard))
        home.send(.include([ids[0]], in: .page))
        #expect(home.store.state().dashboard.exclusions == [.allOff: [ids[0]]])
    }

    @Test func `only a light that exists is left out, and any is left out no more`() {
        let home = home()
        let gone = Light.ID(bridge: .sample, resource: "gone")
        let ticket = home.send(.exclude([lights[0].id, gone], from: .page))
        #expect(home.response(to: ticket)?.outcome == .failed(.noSuchTarget(.light(gone))))
        #expect(home.store.state().dashboard.exclusions.isEmpty)
        #expect(home.response(to: home.send(.include([gone], in: .page)))?.outcome == .succeeded)
    }

    @Test func `a light that is pinned again is displayed as before`() {
        let home = home()
        home.send(.pin(target(0)))
        home.send(.toggle(.display(to: .scrubbing), of: target(0)))
        home.send(.unpin(target(0)))
        home.send(.pin(target(0)))
        #expect(home.store.state().dashboard.pins == [DashboardPin(target(0), display: .scrubbing)])
        #expect(home.archive.items.last == .dashboard(home.store.state().dashboard))
    }
}
