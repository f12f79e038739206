import ControlProtocol
import Testing

@testable import lightctl

/// What `lightctl automation simulate` prints.
struct SimulationTextTests {
    private let simulation = AutomationSimulationBody(
        since: "2026-11-14T17:00:00Z", until: "2026-11-21T17:00:00Z",
        runs: [
            .init(
                date: "2026-11-20", weekday: "fri", at: "18:02", time: "2026-11-20T17:02:00Z", automation: "Hall",
                reason: "motion Hall",
                commands: [
                    .init(at: "18:02", time: "2026-11-20T17:02:00Z", text: "turn Hall on"),
                    .init(at: "18:09", time: "2026-11-20T17:09:00Z", text: "turn Hall off"),
                ]),
            .init(
                date: "2026-11-20", weekday: "fri", at: "18:05", time: "2026-11-20T17:05:00Z", automation: "Hall",
                prevented: "it is running already"),
            .init(
                date: "2026-11-21", weekday: "sat", at: "07:00", time: "2026-11-21T06:00:00Z", automation: "Morning",
                reason: "07:00", error: "turn on attic: no light or room is called 'attic'"),
        ])

    @Test func `a terminal shows it day by day`() {
        #expect(
            AutomationText.simulation(simulation, on: .screen()) == """
                2026-11-20 · fri
                18:02  Hall: turn Hall on, 18:09 turn Hall off  (motion Hall)
                18:05  Hall  (not: it is running already)
                2026-11-21 · sat
                07:00  Morning: nothing  (07:00)  turn on attic: no light or room is called 'attic'
                """)
        let nothing = AutomationSimulationBody(since: "", until: "", runs: [])
        #expect(AutomationText.simulation(nothing, on: .screen()) == "nothing would have run")
    }

    @Test func `a pipe gets a row for each run`() {
        #expect(
            AutomationText.simulation(simulation, on: .pipe).split(separator: "\n") == [
                "2026-11-20T17:02:00Z\tHall\tmotion Hall\trun\t-\tturn Hall on; turn Hall off",
                "2026-11-20T17:05:00Z\tHall\t-\tprevented\tit is running already\t-",
                "2026-11-21T06:00:00Z\tMorning\t07:00\tfailed\tturn on attic: no light or room is called 'attic'\t-",
            ])
    }
}
