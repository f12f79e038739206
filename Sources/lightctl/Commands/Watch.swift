import ArgumentParser
import ControlProtocol

struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print every change when it happens; ^C ends.",
        discussion: """
            Changes made by anybody: at the wall, in another app, by lightctl. When lightd restarts, it waits and then tells what \
            has changed meanwhile. With --json one object a line: {"event","time","data"}, where data is what \
            'lightctl list --json' would show, or for "removed" the kind and the id.

            Examples:
              lightctl watch
              lightctl watch --json | jq -r 'select(.event == "light") | .data.name'
            """
    )

    @OptionGroup var options: Options

    func run() async throws {
        let watcher = Watcher(session: Session(options))
        // lightd opens every stream by a resync: everything is fetched then.
        try await Following(session: watcher.session) { _ in Routes.events }.run { try await watcher.take($0) }
    }

    private actor Watcher {
        let session: Session
        private var picture = Picture()
        private var ready = false

        init(session: Session) {
            self.session = session
        }

        func take(_ event: ServerSentEvent) async throws {
            switch EventName(rawValue: event.name) {
            case .resync:
                let lights: [LightBody] = try await session.get(Routes.lights)
                let rooms: [RoomBody] = try await session.get(Routes.rooms)
                let scenes: [SceneBody] = try await session.get(Routes.scenes)
                let bridges: [BridgeBody] = try await session.get(Routes.bridges)
                let changes = picture.replace(lights: lights, rooms: rooms, scenes: scenes, bridges: bridges)
                if ready {
                    try print(changes)
                } else {
                    session.console.note(
                        "watching \(counted(lights.count, "light")) of \(counted(bridges.count, "bridge"))")
                }
                ready = true
            case .light: try print(picture.take(light: Following.body(event)))
            case .room: try print(picture.take(room: Following.body(event)))
            case .scene: try print(picture.take(scene: Following.body(event)))
            case .bridge: try print(picture.take(bridge: Following.body(event)))
            case .removed: try print(picture.remove(Following.body(event)))
            case .dashboard: try print([.dashboard(Following.body(event))])
            case .log, nil: break  // not for this stream, or a word of a later day
            }
        }

        private func print(_ changes: [Picture.Change]) throws {
            let clock = WallClock.local()
            for change in changes {
                if session.console.json {
                    try change.write(to: session.console, time: clock.now.iso)
                } else if let words = change.words(clock) {
                    try session.console.say(
                        Text(clock.time(clock.now), .faint).painted(session.terminal.colours) + "  " + words)
                }
            }
        }
    }
}
