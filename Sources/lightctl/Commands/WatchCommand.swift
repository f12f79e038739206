import ArgumentParser
import ControlProtocol
import ServerSentEvents

struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print every change as it happens; press Ctrl-C to stop.",
        discussion: """
            Prints all changes, whether made by a wall switch, another app or lightctl. If lightd restarts, watch \
            waits for it and then prints what changed in between. With --json one object per line: \
            {"event","time","data"}; data is the same as in 'lightctl list --json', or for "removed" the kind and the \
            id.

            Examples:
              lightctl watch
              lightctl watch --json | jq -r 'select(.event == "light") | .data.name'
            """
    )

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let printer = ChangePrinter(session: Session(options))
        // lightd starts every stream with a resync event, which fetches the whole state.
        try EventFollower(session: printer.session) { _ in Routes.events }.run { try printer.take($0) }
    }

    private final class ChangePrinter {
        let session: Session
        private var view = LiveView()
        private var ready = false

        init(session: Session) {
            self.session = session
        }

        func take(_ event: ServerSentEvent) throws {
            switch EventName(rawValue: event.name) {
            case .resync:
                let lights: [LightBody] = try session.get(Routes.lights)
                let rooms: [RoomBody] = try session.get(Routes.rooms)
                let scenes: [SceneBody] = try session.get(Routes.scenes)
                let bridges: [BridgeBody] = try session.get(Routes.bridges)
                let changes = view.replace(lights: lights, rooms: rooms, scenes: scenes, bridges: bridges)
                if ready {
                    try print(changes)
                } else {
                    session.console.note(
                        "watching \(counted(lights.count, "light")) of \(counted(bridges.count, "bridge"))")
                }
                ready = true
            case .light: try print(view.take(light: EventFollower.body(event)))
            case .room: try print(view.take(room: EventFollower.body(event)))
            case .scene: try print(view.take(scene: EventFollower.body(event)))
            case .bridge: try print(view.take(bridge: EventFollower.body(event)))
            case .removed: try print(view.remove(EventFollower.body(event)))
            case .dashboard: try print([.dashboard(EventFollower.body(event))])
            case .log, nil: break  // sent on another stream, or by a newer lightd
            }
        }

        private func print(_ changes: [LiveView.Change]) throws {
            let clock = WallClock.local()
            for change in changes {
                if session.console.json {
                    try change.write(to: session.console, time: clock.now.iso)
                } else if let words = change.text(clock) {
                    try session.console.print(
                        StyledText(clock.time(clock.now), .faint).painted(session.terminal.colours) + "  " + words)
                }
            }
        }
    }
}
