import ArgumentParser
import ControlProtocol
import FoundationEssentials
import Glibc
import ServerSentEvents

struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Watch every change as it happens; press Ctrl-C to stop.",
        discussion: """
            Shows all changes, whether made by a wall switch, another app or lightctl. On a terminal: a table of all \
            lights that is kept up to date. With --lines or in a pipe: one line for each change, also for what \
            sensors tell and buttons that are pressed, but not for what is only measured. If lightd restarts, \
            watch waits for it and then shows what changed in between. With --json one object per line: \
            {"event","time","data"}; data is the same as in 'lightctl list --json', or for "removed" the kind and the \
            id.

            Examples:
              lightctl watch
              lightctl watch --lines
              lightctl watch --json | jq -r 'select(.event=="light").data.name'
            """
    )

    @Flag(help: "Print one line for each change, on a terminal too.") var lines = false
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        if session.terminal.isTerminal, !lines, !options.json, !options.quiet {
            try LiveTableScreen(session).run()
        } else {
            try ChangePrinter(session).run()
        }
    }
}

extension Session {
    /// Everything that a stream of events tells the changes of.
    fileprivate func home() throws -> (
        lights: [LightBody], rooms: [RoomBody], scenes: [SceneBody], sensors: [SensorBody], bridges: [BridgeBody]
    ) {
        (
            try get(Routes.lights), try get(Routes.rooms), try get(Routes.scenes), try get(Routes.sensors),
            try get(Routes.bridges)
        )
    }
}

/// One line for each change.
private final class ChangePrinter {
    private let session: Session
    private var view = LiveView()
    private var ready = false

    init(_ session: Session) {
        self.session = session
    }

    func run() throws {
        // lightd starts every stream with a resync event, which fetches the whole state.
        try EventFollower(session: session) { _ in Routes.events }.run { event in
            if let event { try take(event) }
        }
    }

    private func take(_ event: ServerSentEvent) throws {
        switch EventName(rawValue: event.name) {
        case .resync:
            let home = try session.home()
            let changes = view.replace(
                lights: home.lights, rooms: home.rooms, scenes: home.scenes, sensors: home.sensors,
                bridges: home.bridges)
            if ready {
                try print(changes)
            } else {
                session.console.note(
                    "watching \(counted(home.lights.count, "light")) of \(counted(home.bridges.count, "bridge"))")
            }
            ready = true
        case .light: try print(view.take(light: EventFollower.body(event)))
        case .room: try print(view.take(room: EventFollower.body(event)))
        case .scene: try print(view.take(scene: EventFollower.body(event)))
        case .sensor: try print(view.take(sensor: EventFollower.body(event)))
        case .press: try print([.press(EventFollower.body(event))])
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
                let time = StyledText(clock.time(clock.now), .faint)
                try session.console.print(
                    folded(
                        [time, StyledText("  " + words)], for: session.terminal, indent: columns(time.text) + 2))
            }
        }
    }
}

/// The table of all lights, drawn again after each change and each new size of the terminal.
private final class LiveTableScreen {
    private let session: Session
    private let environment = ProcessInfo.processInfo.environment
    private var table = LiveTable()
    /// Opened with the first frame, so that an error at the start is an ordinary line.
    private var screen: Screen?
    private var drawn: Moment?
    private var isDue = true

    /// Twenty frames a second are enough for the eye; a burst of events is drawn once.
    private static let pause = Duration.milliseconds(50)

    init(_ session: Session) {
        self.session = session
    }

    func run() throws {
        var follower = EventFollower(session: session) { _ in Routes.events }
        follower.trouble = { [self] in
            table.trouble = $0
            try draw()
        }
        try follower.run(atMost: { [self] in wait }) { event in
            if let event { try take(event) }
            // Without an event: a highlight has ended, or the terminal has a new size.
            isDue = true
            let now = WallClock.local().now
            if let drawn, event != nil, .milliseconds(now.milliseconds - drawn.milliseconds) < Self.pause { return }
            try draw()
        }
    }

    private var wait: Duration {
        let now = WallClock.local().now
        return min(isDue ? Self.pause : .seconds(3600), table.nextChange(after: now) ?? .seconds(3600))
    }

    private func take(_ event: ServerSentEvent) throws {
        let now = WallClock.local().now
        switch EventName(rawValue: event.name) {
        case .resync:
            let home = try session.home()
            table.replace(
                lights: home.lights, rooms: home.rooms, scenes: home.scenes, bridges: home.bridges, now: now)
        case .light: table.take(light: try EventFollower.body(event), now: now)
        case .bridge: table.take(bridge: try EventFollower.body(event))
        case .removed: table.remove(try EventFollower.body(event))
        case .room, .scene, .sensor, .press, .dashboard, .log, nil: break  // not in the table
        }
    }

    private func draw() throws {
        let clock = WallClock.local()
        let terminal = Terminal.behind(STDOUT_FILENO, environment: environment)
        let screen = screen ?? Screen()
        self.screen = screen
        try screen.draw(table.frame(on: terminal, rows: terminal.rows, clock))
        (drawn, isDue) = (clock.now, false)
    }
}
