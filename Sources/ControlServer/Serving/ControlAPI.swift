import ControlProtocol
import Hummingbird
import Khipu
import Lighting
import Logging
import Synchronization

/// What both listeners stand before: reads the state, hands in commands, tells what changes.
final class ControlAPI: Sendable {
    let home: ControlledHome
    let settings: ControlServerSettings
    let logger: Logger
    let latest: LatestState
    /// Rung for every message that goes into the journal.
    let entries = ChangeSignal()
    /// Taken down when those who still wait for an outcome must be let go.
    let waits = ChangeSignal()
    let commands: ConcurrencyLimit
    let streams: ConcurrencyLimit
    private let stopping = Atomic(false)
    private let isBeating = Atomic(false)

    init(_ home: ControlledHome, _ settings: ControlServerSettings, _ logger: Logger) {
        self.home = home
        self.settings = settings
        self.logger = logger
        latest = LatestState(started: home.started)
        commands = ConcurrencyLimit(most: settings.maximumInFlight)
        streams = ConcurrencyLimit(most: settings.maximumStreams)
    }

    /// A pause on a stream longer than this is filled with a comment, so that either end notices when the other is gone.
    static let keepAlive = Duration.seconds(15)

    /// Shows the store's state from now on.
    @DomainActor
    func attach() -> Subscription {
        latest.update(to: home.store.state())
        return home.store.subscribe { [latest] in latest.update(to: $0) }
    }

    /// Hears what flows by.
    var receiver: Input<Message> {
        { [entries] message in
            switch message {
            // A look into the journal is not recorded, and must not wake those who look.
            case .logging(.list, _), .logging(.listing, _), .logging(.writing, _): break
            default: entries.send()
            }
        }
    }

    var directory: Directory {
        get async { Directory(await home.store.state()) }
    }

    // MARK: Stopping

    var isStopping: Bool { stopping.load(ordering: .acquiring) }

    /// No new requests; streams end.
    func stop() {
        stopping.store(true, ordering: .releasing)
        latest.changes.close()
        entries.close()
    }

    /// Lets those go who wait for an outcome.
    func abandonWaits() { waits.close() }

    // MARK: Time

    /// Begins to beat, where it is not beating; ends by itself when nobody listens.
    func beat() {
        guard !isBeating.exchange(true, ordering: .acquiringAndReleasing) else { return }
        wait()
    }

    private func wait() {
        home.clock.wake(Self.keepAlive) { [weak self] in
            guard let self else { return }
            latest.changes.send(.beat)
            entries.send(.beat)
            guard latest.changes.isHeard || entries.isHeard else {
                isBeating.store(false, ordering: .releasing)
                // Somebody may have come in between, and found us still beating.
                if latest.changes.isHeard || entries.isHeard { beat() }
                return
            }
            wait()
        }
    }
}
