import Curl
import FoundationEssentials
import HueWire
import Lighting
import Logging

/// Keeps one line: opens the event stream, fetches everything, tells what comes, and begins anew when the line is lost. The stream
/// is opened first, so that nothing that happens during the fetch is missed: what it brings waits until the fetch is told.
struct ConnectionSupervisor: Sendable {
    let connection: BridgeConnection
    let finder: BridgeFinder
    private let addressWatcher: AddressWatcher
    private let timeouts: Timeouts

    private static let overloaded: Set = [429, 500, 502, 503]

    init(connection: BridgeConnection, finder: BridgeFinder) {
        self.connection = connection
        self.finder = finder
        timeouts = connection.settings.timeouts
        addressWatcher = AddressWatcher(of: connection.id, in: finder.browser)
    }

    /// Until cancelled.
    func run() async {
        var backoff = Backoff()
        var loss: Failure?
        while !Task.isCancelled {
            let latest = await live(after: loss)
            guard !Task.isCancelled else { return }
            loss = latest
            let before = connection.state
            if before == .connected { backoff.reset() }
            connection.set(.lost(latest))
            if before != .lost(latest) {
                connection.publish(.lost(connection.id, because: latest))
                // One line when it goes, and one more where the reason is another kind of trouble; attempts are nobody's news.
                let level: Logger.Level = before.isTrouble(like: latest) ? .debug : .notice
                connection.logger.log(level: level, "bridge lost", metadata: ["reason": "\(latest.reason)"])
            }
            switch latest {
            case .keyRefused: await rest(timeouts.refused)
            // Somebody else may have its address now.
            case .certificateRefused:
                guard await !rediscover(), await addressWatcher.news(within: timeouts.stranger) else { break }
                await rediscover()
            default:
                let isAnnounced = await addressWatcher.news(within: backoff.next())
                // Announced where it was, it is just back; elsewhere, it has moved; not at all, it may have.
                let isHere = isAnnounced && addressWatcher.settle().subtracting([connection.call.address]).isEmpty
                if !isHere, isAnnounced || backoff.attempt > 1 { await rediscover() }
            }
        }
    }

    /// One life of the line. Returns why it ended.
    private func live(after loss: Failure?) async -> Failure {
        guard connection.dialect == .v2 else { return await poll() }
        // A stream that took the place of a silent one may be as silent: nothing is believed before it has spoken.
        var isDoubtful = loss == connection.silent
        while true {
            switch await follow(isDoubtful) {
            case let .ended(loss): return loss
            case .streamUnavailable:
                if let loss = await pollUntilHeard() { return loss }
                isDoubtful = false
            }
        }
    }

    private enum End {
        case ended(Failure)
        /// The bridge answers, but tells nothing unasked: until it is restarted, as some do (homebridge-hue#1139, core#181864).
        case streamUnavailable
    }

    /// Follows the event stream for as long as it lives.
    private func follow(_ isDoubtful: Bool) async -> End {
        let stream: HTTPStream
        switch await openStream() {
        case let .success(opened)?: stream = opened
        case let .failure(failure)?: return .ended(failure)
        case nil: return .streamUnavailable
        }
        if let status = stream.refusal {
            return Self.overloaded.contains(status)
                ? .streamUnavailable : .ended(connection.failure(status, to: " for its event stream"))
        }
        let (detector, buffer) = (SilenceDetector(), EventBuffer(connection))
        return await withTaskGroup(of: End.self) { group in
            group.addTask { .ended(await read(stream, detector) { buffer.take($0) }) }
            group.addTask {
                if isDoubtful, let loss = await prove(detector) {
                    return loss == connection.silent ? .streamUnavailable : .ended(loss)
                }
                do throws(Failure) {
                    connection.load(try await connection.fetch(.everything))
                } catch {
                    return .ended(error)
                }
                buffer.open()
                await tellConnection(by: .stream)
                return .ended(await keep(detector))
            }
            defer { group.cancelAll() }
            return await group.next() ?? .ended(connection.stopping)
        }
    }

    /// Asks the bridge again and again, until a stream speaks.
    ///
    /// - Returns: why the line is lost; `nil` where a stream can be followed.
    private func pollUntilHeard() async -> Failure? {
        await withTaskGroup(of: Failure?.self) { group in
            group.addTask { await poll() }
            group.addTask {
                repeat { await rest(timeouts.stream) } while await !speaks() && !Task.isCancelled
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? connection.stopping
        }
    }

    /// Whether a stream that is opened now tells what happens.
    private func speaks() async -> Bool {
        guard case let .success(stream)? = await openStream(), stream.refusal == nil else { return false }
        let detector = SilenceDetector()
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                _ = await read(stream, detector) { _ in }
                return false
            }
            group.addTask { await prove(detector) == nil }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    /// Everything was fetched, and what changes is heard from now on.
    func tellConnection(by hearing: Bridge.UpdateMode) async {
        connection.set(.connected)
        addressWatcher.settle()
        await tellWhoItIs()
        connection.publish(.connected(connection.id, by: hearing))
        connection.logger.notice(
            "bridge connected",
            metadata: [
                "address": "\(connection.call.address)", "lights": "\(connection.home.lights.count)",
                "heard.by": "\(hearing.word)",
            ])
    }

    /// - Returns: `nil` where the bridge takes the request and does not answer it.
    private func openStream() async -> Result<HTTPStream, Failure>? {
        await withTaskGroup(of: Result<HTTPStream, Failure>?.self) { group in
            group.addTask {
                do throws(CurlError) {
                    return .success(try await connection.client.stream(connection.call.stream()))
                } catch {
                    return .failure(error.failure(of: connection.id))
                }
            }
            group.addTask {
                await rest(timeouts.head)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    /// Ends early when cancelled; the caller's own condition sees it.
    func rest(_ pause: Duration) async { try? await Task.sleep(for: pause) }

    /// The name or model may have changed since the bridge was paired.
    func tellWhoItIs() async {
        guard let config = await finder.identity(of: connection.call) else { return }  // the stream tells if it is gone
        connection.publish(
            .seen(
                connection.id, at: connection.call.address,
                name: connection.home.bridgeName ?? config.name ?? "Hue Bridge",
                model: config.modelid ?? ""))
    }

    private func read(
        _ stream: HTTPStream, _ detector: SilenceDetector, _ take: @Sendable (EventFrame) -> Void
    ) async -> Failure {
        var parser = EventStreamParser()
        do {
            for try await piece in stream.pieces {
                for frame in parser.read(piece) {
                    // A greeting is no event: a stream may say hello and nothing more.
                    detector.heard()
                    take(frame)
                }
            }
            return .unreachable(connection.id, because: "it ended the event stream")
        } catch let error as CurlError {
            return error.failure(of: connection.id)
        } catch {
            return .unreachable(connection.id, because: "\(error)")
        }
    }

    // MARK: - Is it alive?

    private func keep(_ detector: SilenceDetector) async -> Failure {
        await withTaskGroup(of: Failure.self) { group in
            group.addTask { await probe(detector) }
            group.addTask { await doubt(connection.writes(), detector) }
            group.addTask { await doubtAddress() }
            group.addTask { await auditLoop(every: timeouts.audit) }
            defer { group.cancelAll() }
            return await group.next() ?? connection.stopping
        }
    }

    private func probe(_ detector: SilenceDetector) async -> Failure {
        while true {
            do {
                try await Task.sleep(for: timeouts.silence - detector.silence)
            } catch {
                return connection.stopping
            }
            if detector.silence >= timeouts.silence, let loss = await prove(detector) { return loss }
        }
    }

    /// After a write without any echo: the stream may be dead although the bridge is not.
    private func doubt(_ writes: AsyncStream<Void>, _ detector: SilenceDetector) async -> Failure {
        for await _ in writes {
            await rest(timeouts.doubt)
            if detector.silence >= timeouts.doubt, let loss = await prove(detector) { return loss }
        }
        return connection.stopping
    }

    /// After an announcement from elsewhere: the bridge may have left without a goodbye. A line that works is not left for it.
    private func doubtAddress() async -> Failure {
        while await addressWatcher.news() {
            guard await finder.isThere(connection.call) else {
                return .unreachable(connection.id, because: "it announces itself elsewhere, and answers here no longer")
            }
            addressWatcher.settle()
        }
        return connection.stopping
    }

    /// A stream that lives may leave something out (Q42.HueApi#277): now and then the lamps are read, whatever it tells.
    private func auditLoop(every interval: Duration) async -> Failure {
        while true {
            do {
                try await Task.sleep(for: interval)
            } catch {
                return connection.stopping
            }
            do throws(Failure) {
                if try await audit() { connection.logger.debug("the event stream had left something out") }
            } catch {
                return error
            }
        }
    }

    /// - Returns: whether the lamps were other than the stream has told.
    private func audit() async throws(Failure) -> Bool {
        try await connection.inTurn(.read) { connection throws(Failure) in try await connection.read(.lights) }
    }

    /// Makes the bridge say something by its event stream, and listens whether it does. A quiet bridge passes, a dead one does not. A
    /// bridge that has nothing to be stirred is asked for its lamps: where they differ from what the stream has told, it is dead.
    private func prove(_ detector: SilenceDetector) async -> Failure? {
        let asked = ContinuousClock.now
        do throws(Failure) {
            let isProbed = try await connection.inTurn(.other) { connection throws(Failure) in
                try await connection.sendKeepAliveProbe()
            }
            guard isProbed else {
                guard try await !audit() else { return connection.silent }
                detector.heard()
                return nil
            }
        } catch {
            return error
        }
        while !detector.hasHeard(since: asked) {
            guard ContinuousClock.now < asked + timeouts.echo, !Task.isCancelled else { return connection.silent }
            await rest(.milliseconds(100))
        }
        return nil
    }

    /// After several attempts at its last address: is the bridge somewhere else?
    ///
    /// - Returns: whether it is.
    @discardableResult
    private func rediscover() async -> Bool {
        addressWatcher.settle()
        guard let address = await finder.find(connection.call, for: .seconds(3)) else {
            return false
        }
        connection.logger.notice("bridge found at another address", metadata: ["address": "\(address)"])
        connection.move(to: address)
        return true
    }
}

extension HTTPStream {
    /// With which status the stream was refused; `nil` where it is one.
    fileprivate var refusal: Int? {
        head.status == 200 && head["content-type"]?.contains("text/event-stream") == true ? nil : head.status
    }
}

extension Bridge.UpdateMode {
    fileprivate var word: String {
        switch self {
        case .stream: "its event stream"
        case let .polling(every: interval): "asking every \(interval.components.seconds) s"
        }
    }
}

extension BridgeConnection {
    fileprivate var silent: Failure { .unreachable(id, because: "its event stream fell silent") }

    /// What an answer means that is none to the question.
    fileprivate func failure(_ status: Int, to query: String) -> Failure {
        switch status {
        case 401, 403: .keyRefused(by: id)
        case 404: .unreachable(id, because: "it does not speak API v2; its firmware is too old")
        default: .unreachable(id, because: "HTTP \(status)\(query)")
        }
    }
}

extension BridgeConnection.State {
    /// Whether the line was lost already, and for the same kind of reason.
    fileprivate func isTrouble(like failure: Failure) -> Bool {
        switch (self, failure) {
        case (.lost(.unreachable), .unreachable), (.lost(.keyRefused), .keyRefused),
            (.lost(.certificateRefused), .certificateRefused):
            true
        default: false
        }
    }
}
