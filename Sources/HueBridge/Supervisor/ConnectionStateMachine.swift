import Lighting

/// Keeps the connection to one bridge alive, as a value without sockets, clock or chance: inputs and the time come in,
/// actions come out. ``ConnectionSupervisor`` carries the actions out and feeds the results back.
///
/// An attempt to connect opens the event stream, fetches everything, and then follows the stream. A bridge that answers
/// requests but sends no events is polled instead. When an attempt fails, the next one waits, searches for the bridge
/// at another address, or both.
struct ConnectionStateMachine: Sendable {
    /// Something that takes time. It is begun by an action, and ends with an input or by being cancelled.
    enum Request: Hashable, Sendable {
        /// Opens the event stream and reads it: `streamOpened` or `streamRefused`, then `heard` for each event,
        /// `failed` at its end.
        case stream
        /// Reads and publishes all resources: `fetched`.
        case everything
        /// Asks the bridge for its name and model, which may have changed since it was paired: `identified`.
        case identity
        /// Makes the bridge send an event: `probed`.
        case keepAliveProbe
        /// Reads the lights and publishes what the stream has not reported: `audited`.
        case audit(Audit)
        /// Asks whether the bridge still answers at its address: `addressChecked`.
        case addressCheck
        /// Reads the lights and publishes what has changed, with everything else if asked to: `polled`.
        case poll(everything: Bool)
        /// Looks for the bridge at other addresses: `rediscovered`.
        case rediscovery
    }

    enum Audit: Hashable, Sendable {
        /// Every 25 seconds: a live stream may have left something out (Q42.HueApi#277).
        case routine
        /// The same every minute, with rooms, scenes and names: what the stream left out of those costs more than a read.
        case whole
        /// For a bridge that cannot be made to send an event.
        case insteadOfProbe
    }

    enum Input: Hashable, Sendable {
        case started
        /// The time of ``nextWake`` has come.
        case woke
        case streamOpened
        case streamRefused(status: Int)
        /// It brought more events than could be taken in, and was given up.
        case streamFlooded
        /// An event came by the stream. Its greeting is not an event.
        case heard
        case fetched
        case identified
        /// `canEcho`: whether an event is now to be expected.
        case probed(canEcho: Bool)
        case audited(Audit, foundDifference: Bool)
        case addressChecked(isThere: Bool)
        case polled
        /// `nil`: the bridge is nowhere else.
        case rediscovered(Bridge.Address?)
        /// A request ended without an answer.
        case failed(Request, Failure)
        /// A command changed something on the bridge, so an event is to be expected. Without an answer it may have
        /// changed nothing, and the connections to the bridge may be dead.
        case written(isAnswered: Bool)
        /// All addresses at which the bridge announces itself now, and among them those at which something does that does
        /// not say which bridge it is.
        case announced(Set<Bridge.Address>, anonymous: Set<Bridge.Address> = [])
        /// How often the bridge is polled from now on, if it is.
        case pollInterval(Duration)
    }

    enum Action: Equatable, Sendable {
        case begin(Request)
        case cancel(Request)
        case cancelAll
        /// Applies the events that came while everything was fetched, and from now on each as it comes.
        case applyEvents
        /// From now on commands are sent.
        case markConnected
        case publishConnected(by: Bridge.UpdateMode)
        /// From now on commands wait.
        case markLost(Failure)
        /// `isSameTrouble`: whether a loss of the same kind was published just before.
        case publishLost(Failure, isSameTrouble: Bool)
        case move(to: Bridge.Address)
    }

    enum State: Equatable, Sendable {
        case idle
        /// The stream is asked for. `isDoubtful`: the one before fell silent, so this one must prove that it speaks.
        case opening(until: Duration, isDoubtful: Bool)
        case proving(KeepAliveProbe)
        case fetching(LastHeard)
        case identifying(LastHeard)
        case following(Following)
        case polling(Polling)
        case waiting(Waiting)
        case rediscovering(thenWaits: Bool)
    }

    private enum Status: Equatable, Sendable {
        case connecting
        case connected(since: Duration)
        case lost(Failure)
    }

    let bridge: Bridge.ID
    let hasEventStream: Bool
    private(set) var pollInterval: Duration
    let timeouts: Timeouts
    var state = State.idle
    var addresses: AddressWatcher
    var backoff = Backoff()
    private var status = Status.connecting
    /// Whether the key was refused since the last connection. A proxy or a captive portal may say the same once.
    private var wasKeyRefused = false

    init(
        bridge: Bridge.ID, at address: Bridge.Address, hasEventStream: Bool, pollInterval: Duration,
        timeouts: Timeouts = Timeouts()
    ) {
        self.bridge = bridge
        self.hasEventStream = hasEventStream
        self.pollInterval = pollInterval
        self.timeouts = timeouts
        addresses = AddressWatcher(address)
    }

    /// - Parameter chance: from 0 to 1, for the length of a pause.
    mutating func handle(_ input: Input, at now: Duration, chance: Double) -> [Action] {
        if case let .announced(all, anonymous: anonymous) = input { addresses.announce(all, anonymous: anonymous) }
        if case let .pollInterval(interval) = input { pollInterval = interval }
        do throws(Failure) {
            if let slept = sleep(until: now) {
                throw .unreachable(
                    bridge, because: "this machine was asleep for \(slept.components.seconds) s or longer")
            }
            if input == .streamFlooded, isOnStream { return [.cancelAll] + startPolling(at: now) }
            switch state {
            case .idle: return input == .started ? attempt(at: now) : []
            case let .opening(until: end, isDoubtful: isDoubtful):
                return try open(input, until: end, isDoubtful, at: now)
            case let .proving(probe): return try prove(input, probe, at: now)
            case let .fetching(silence): return try fetch(input, silence, at: now)
            case let .identifying(silence): return try identify(input, silence, at: now)
            case let .following(following): return try follow(input, following, at: now)
            case let .polling(polling): return try poll(input, polling, at: now)
            case let .waiting(waiting): return wait(input, waiting, at: now)
            case let .rediscovering(thenWaits: waits): return rediscover(input, thenWaits: waits, at: now)
            }
        } catch {
            return lose(error, at: now, chance: chance)
        }
    }

    /// Whether what changes is told by the event stream, or will be.
    private var isOnStream: Bool {
        switch state {
        case .opening, .proving, .fetching, .identifying, .following: true
        case .idle, .polling, .waiting, .rediscovering: false
        }
    }

    /// When to call ``handle(_:at:chance:)`` with `woke`, if nothing happens before.
    var nextWake: Duration? {
        switch state {
        case .idle, .fetching, .identifying, .rediscovering: nil
        case let .opening(until: end, isDoubtful: _): end
        case let .proving(probe): probe.deadline
        case let .following(following): following.nextWake(timeouts)
        case let .polling(polling): polling.nextWake
        case let .waiting(waiting): waiting.end
        }
    }

    /// For how long nobody looked after the connection beyond the moment for which that was asked; `nil` if that is too
    /// short to matter. A machine that is suspended hears nothing, and its bridge goes on without it: what is known of the
    /// lights is old, and the stream is dead though nothing says so.
    private func sleep(until now: Duration) -> Duration? {
        switch state {
        case .following, .polling: nextWake.flatMap { now - $0 >= timeouts.silence ? now - $0 : nil }
        default: nil
        }
    }

    // MARK: - Connected and lost

    /// Everything was fetched. Who the bridge is comes next, so that its name is known when the connection is
    /// published.
    mutating func connect(at now: Duration) -> [Action] {
        status = .connected(since: now)
        wasKeyRefused = false
        addresses.settle()
        return [.markConnected, .begin(.identity)]
    }

    private mutating func lose(_ failure: Failure, at now: Duration, chance: Double) -> [Action] {
        var failure = failure
        if case .keyRefused = failure, !wasKeyRefused {
            wasKeyRefused = true
            failure = .unreachable(bridge, because: "it refused lightd's key once, and is asked again")
        }
        // One that breaks again and again costs an attempt and a full read each time. Only if it lived for longer than
        // the longest pause is it no more trouble than a bridge that is away.
        if case let .connected(since) = status, now - since > Backoff.longest { backoff.reset() }
        var actions: [Action] = [.cancelAll, .markLost(failure)]
        if status != .lost(failure) {
            let isSameTrouble = if case let .lost(before) = status { before.isTrouble(like: failure) } else { false }
            actions.append(.publishLost(failure, isSameTrouble: isSameTrouble))
        }
        status = .lost(failure)
        return actions + recover(from: failure, at: now, chance: chance)
    }

    /// The stream was open, and said nothing when it had to.
    var silent: Failure { .unreachable(bridge, because: "its event stream fell silent") }

    var isAfterSilence: Bool { status == .lost(silent) }
}

extension Failure {
    /// Whether two losses are of the same kind, so that the second is not worth another line in the log.
    fileprivate func isTrouble(like other: Failure) -> Bool {
        switch (self, other) {
        case (.unreachable, .unreachable), (.keyRefused, .keyRefused), (.certificateRefused, .certificateRefused): true
        default: false
        }
    }
}
