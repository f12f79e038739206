import Curl
import FoundationEssentials
import HueWire
import Lighting
import Logging

/// Keeps one line: opens the event stream, fetches everything, tells what comes, and begins anew when the line is lost. The stream
/// is opened first, so that nothing that happens during the fetch is missed: what it brings waits until the fetch is told.
struct LineKeeper: Sendable {
    let line: BridgeLine
    let finder: Finder
    private let whereabouts: Whereabouts
    private let patience: Patience

    private static let overloaded: Set = [429, 500, 502, 503]

    init(line: BridgeLine, finder: Finder) {
        self.line = line
        self.finder = finder
        patience = line.settings.patience
        whereabouts = Whereabouts(of: line.id, in: finder.neighbourhood)
    }

    /// Until cancelled.
    func run() async {
        var backoff = Backoff()
        var loss: Failure?
        while !Task.isCancelled {
            let latest = await live(after: loss)
            guard !Task.isCancelled else { return }
            loss = latest
            let before = line.state
            if before == .connected { backoff.reset() }
            line.set(.lost(latest))
            if before != .lost(latest) {
                line.news(.lost(line.id, because: latest))
                // One line when it goes, and one more where the reason is another kind of trouble; attempts are nobody's news.
                let level: Logger.Level = before.isTrouble(like: latest) ? .debug : .notice
                line.logger.log(level: level, "bridge lost", metadata: ["reason": "\(latest.reason)"])
            }
            switch latest {
            case .keyRefused: await rest(patience.refused)
            // Somebody else may have its address now.
            case .certificateRefused:
                guard await !look(), await whereabouts.news(within: patience.stranger) else { break }
                await look()
            default:
                let isAnnounced = await whereabouts.news(within: backoff.next())
                // Announced where it was, it is just back; elsewhere, it has moved; not at all, it may have.
                let isHere = isAnnounced && whereabouts.settle().subtracting([line.call.address]).isEmpty
                if !isHere, isAnnounced || backoff.attempt > 1 { await look() }
            }
        }
    }

    /// One life of the line. Returns why it ended.
    private func live(after loss: Failure?) async -> Failure {
        guard line.dialect == .v2 else { return await poll() }
        // A stream that took the place of a silent one may be as silent: nothing is believed before it has spoken.
        var isDoubtful = loss == line.silent
        while true {
            switch await follow(isDoubtful) {
            case let .ended(loss): return loss
            case .deaf:
                if let loss = await pollUntilHeard() { return loss }
                isDoubtful = false
            }
        }
    }

    private enum End {
        case ended(Failure)
        /// The bridge answers, but tells nothing unasked: until it is restarted, as some do (homebridge-hue#1139, core#181864).
        case deaf
    }

    /// Follows the event stream for as long as it lives.
    private func follow(_ isDoubtful: Bool) async -> End {
        let stream: HTTPStream
        switch await openStream() {
        case let .success(opened)?: stream = opened
        case let .failure(failure)?: return .ended(failure)
        case nil: return .deaf
        }
        if let status = stream.refusal {
            return Self.overloaded.contains(status)
                ? .deaf : .ended(line.failure(status, to: " for its event stream"))
        }
        let (watch, intake) = (SilenceWatch(), Intake(line))
        return await withTaskGroup(of: End.self) { group in
            group.addTask { .ended(await read(stream, watch) { intake.take($0) }) }
            group.addTask {
                if isDoubtful, let loss = await prove(watch) { return loss == line.silent ? .deaf : .ended(loss) }
                do throws(Failure) {
                    line.load(try await line.fetch(.everything))
                } catch {
                    return .ended(error)
                }
                intake.open()
                await tellConnection(by: .stream)
                return .ended(await keep(watch))
            }
            defer { group.cancelAll() }
            return await group.next() ?? .ended(line.stopping)
        }
    }

    /// Asks the bridge again and again, until a stream speaks.
    ///
    /// - Returns: why the line is lost; `nil` where a stream can be followed.
    private func pollUntilHeard() async -> Failure? {
        await withTaskGroup(of: Failure?.self) { group in
            group.addTask { await poll() }
            group.addTask {
                repeat { await rest(patience.stream) } while await !speaks() && !Task.isCancelled
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? line.stopping
        }
    }

    /// Whether a stream that is opened now tells what happens.
    private func speaks() async -> Bool {
        guard case let .success(stream)? = await openStream(), stream.refusal == nil else { return false }
        let watch = SilenceWatch()
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                _ = await read(stream, watch) { _ in }
                return false
            }
            group.addTask { await prove(watch) == nil }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    /// Everything was fetched, and what changes is heard from now on.
    func tellConnection(by hearing: Bridge.Hearing) async {
        line.set(.connected)
        whereabouts.settle()
        await tellWhoItIs()
        line.news(.connected(line.id, by: hearing))
        line.logger.notice(
            "bridge connected",
            metadata: [
                "address": "\(line.call.address)", "lights": "\(line.map.lights.count)", "heard.by": "\(hearing.word)",
            ])
    }

    /// - Returns: `nil` where the bridge takes the request and does not answer it.
    private func openStream() async -> Result<HTTPStream, Failure>? {
        await withTaskGroup(of: Result<HTTPStream, Failure>?.self) { group in
            group.addTask {
                do throws(CurlError) {
                    return .success(try await line.client.stream(line.call.stream()))
                } catch {
                    return .failure(error.failure(of: line.id))
                }
            }
            group.addTask {
                await rest(patience.head)
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
        guard let config = await finder.identity(of: line.call) else { return }  // the stream tells if it is gone
        line.news(
            .seen(
                line.id, at: line.call.address, name: line.map.bridgeName ?? config.name ?? "Hue Bridge",
                model: config.modelid ?? ""))
    }

    private func read(
        _ stream: HTTPStream, _ watch: SilenceWatch, _ take: @Sendable (EventFrame) -> Void
    ) async -> Failure {
        var parser = EventStreamParser()
        do {
            for try await piece in stream.pieces {
                for frame in parser.read(piece) {
                    // A greeting is no event: a stream may say hello and nothing more.
                    watch.heard()
                    take(frame)
                }
            }
            return .unreachable(line.id, because: "it ended the event stream")
        } catch let error as CurlError {
            return error.failure(of: line.id)
        } catch {
            return .unreachable(line.id, because: "\(error)")
        }
    }

    // MARK: - Is it alive?

    private func keep(_ watch: SilenceWatch) async -> Failure {
        await withTaskGroup(of: Failure.self) { group in
            group.addTask { await probe(watch) }
            group.addTask { await doubt(line.writes(), watch) }
            group.addTask { await doubtPlace() }
            group.addTask { await look(every: patience.audit) }
            defer { group.cancelAll() }
            return await group.next() ?? line.stopping
        }
    }

    private func probe(_ watch: SilenceWatch) async -> Failure {
        while true {
            do {
                try await Task.sleep(for: patience.silence - watch.silence)
            } catch {
                return line.stopping
            }
            if watch.silence >= patience.silence, let loss = await prove(watch) { return loss }
        }
    }

    /// After a write without any echo: the stream may be dead although the bridge is not.
    private func doubt(_ writes: AsyncStream<Void>, _ watch: SilenceWatch) async -> Failure {
        for await _ in writes {
            await rest(patience.doubt)
            if watch.silence >= patience.doubt, let loss = await prove(watch) { return loss }
        }
        return line.stopping
    }

    /// After an announcement from elsewhere: the bridge may have left without a goodbye. A line that works is not left for it.
    private func doubtPlace() async -> Failure {
        while await whereabouts.news() {
            guard await finder.isThere(line.call) else {
                return .unreachable(line.id, because: "it announces itself elsewhere, and answers here no longer")
            }
            whereabouts.settle()
        }
        return line.stopping
    }

    /// A stream that lives may leave something out (Q42.HueApi#277): now and then the lamps are read, whatever it tells.
    private func look(every interval: Duration) async -> Failure {
        while true {
            do {
                try await Task.sleep(for: interval)
            } catch {
                return line.stopping
            }
            do throws(Failure) {
                if try await audit() { line.logger.debug("the event stream had left something out") }
            } catch {
                return error
            }
        }
    }

    /// - Returns: whether the lamps were other than the stream has told.
    private func audit() async throws(Failure) -> Bool {
        try await line.inTurn(.read) { line throws(Failure) in try await line.read(.lights) }
    }

    /// Makes the bridge say something by its event stream, and listens whether it does. A quiet bridge passes, a dead one does not. A
    /// bridge that has nothing to be stirred is asked for its lamps: where they differ from what the stream has told, it is dead.
    private func prove(_ watch: SilenceWatch) async -> Failure? {
        let asked = ContinuousClock.now
        do throws(Failure) {
            let stirred = try await line.inTurn(.other) { line throws(Failure) in try await line.stir() }
            guard stirred else {
                guard try await !audit() else { return line.silent }
                watch.heard()
                return nil
            }
        } catch {
            return error
        }
        while !watch.hasHeard(since: asked) {
            guard ContinuousClock.now < asked + patience.echo, !Task.isCancelled else { return line.silent }
            await rest(.milliseconds(100))
        }
        return nil
    }

    /// After several attempts at its last address: is the bridge somewhere else?
    ///
    /// - Returns: whether it is.
    @discardableResult
    private func look() async -> Bool {
        whereabouts.settle()
        guard let address = await finder.find(line.call, for: .seconds(3)) else {
            return false
        }
        line.logger.notice("bridge found at another address", metadata: ["address": "\(address)"])
        line.move(to: address)
        return true
    }
}

extension HTTPStream {
    /// With which status the stream was refused; `nil` where it is one.
    fileprivate var refusal: Int? {
        head.status == 200 && head["content-type"]?.contains("text/event-stream") == true ? nil : head.status
    }
}

extension Bridge.Hearing {
    fileprivate var word: String {
        switch self {
        case .stream: "its event stream"
        case let .polling(every: interval): "asking every \(interval.components.seconds) s"
        }
    }
}

extension BridgeLine {
    fileprivate var silent: Failure { .unreachable(id, because: "its event stream fell silent") }

    /// What an answer means that is none to the question.
    fileprivate func failure(_ status: Int, to question: String) -> Failure {
        switch status {
        case 401, 403: .keyRefused(by: id)
        case 404: .unreachable(id, because: "it does not speak API v2; its firmware is too old")
        default: .unreachable(id, because: "HTTP \(status)\(question)")
        }
    }
}

extension BridgeLine.State {
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
