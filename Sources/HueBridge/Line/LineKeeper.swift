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

    /// An idle house is silent for hours, and so is a dead line: after so much silence a cheap question tells them apart.
    static let silence = Duration.seconds(60)
    /// A key that was refused is tried again seldom: somebody may restore the bridge from a backup.
    static let refusedPause = Duration.seconds(300)
    /// How long until somebody else's certificate at our bridge's address is looked at again.
    static let strangerPause = Duration.seconds(30)
    /// A bridge that takes the connection begins its stream at once.
    static let headPatience = Duration.seconds(10)
    /// What was written is echoed within about a second; no word at all for so long is worth a look.
    static let echoPatience = Duration.seconds(3)

    /// Until cancelled.
    func run() async {
        var backoff = Backoff()
        while !Task.isCancelled {
            let loss = await live { backoff.reset() }
            guard !Task.isCancelled else { return }
            let before = line.state
            line.set(.lost(loss))
            if before != .lost(loss) {
                line.news(.lost(line.id, because: loss))
                // One line when it goes, and one more where the reason is another kind of trouble; attempts are nobody's news.
                let level: Logger.Level = before.isTrouble(like: loss) ? .debug : .notice
                line.logger.log(level: level, "bridge lost", metadata: ["reason": "\(loss.reason)"])
            }
            switch loss {
            case .keyRefused: await rest(Self.refusedPause)
            // Somebody else may have its address now.
            case .certificateRefused: if await !look() { await rest(Self.strangerPause) }
            default:
                await rest(backoff.next())
                if backoff.attempt > 1 { await look() }
            }
        }
    }

    /// One life of the line. Returns why it ended.
    private func live(connected: () -> Void) async -> Failure {
        let stream: HTTPStream
        switch await open() {
        case let .success(opened): stream = opened
        case let .failure(failure): return failure
        }
        guard stream.head.status == 200, stream.head["content-type"]?.contains("text/event-stream") == true else {
            return line.failure(stream.head.status, to: " for its event stream")
        }
        do throws(Failure) {
            line.load(try await line.fetch(Resource.self, ""))
        } catch {
            return error
        }
        line.set(.connected)
        connected()
        await tellWhoItIs()
        line.news(.connected(line.id, by: .stream))
        line.logger.notice(
            "bridge connected", metadata: ["address": "\(line.call.address)", "lights": "\(line.map.lights.count)"])
        return await listen(to: stream)
    }

    private func open() async -> Result<HTTPStream, Failure> {
        await withTaskGroup(of: Result<HTTPStream, Failure>.self) { group in
            group.addTask {
                do throws(CurlError) {
                    return .success(try await line.client.stream(line.call.stream()))
                } catch {
                    return .failure(error.failure(of: line.id))
                }
            }
            group.addTask {
                await rest(Self.headPatience)
                return .failure(.unreachable(line.id, because: "no answer in time"))
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.unreachable(line.id, because: "no answer in time"))
        }
    }

    /// Ends early when cancelled; the caller's own condition sees it.
    private func rest(_ pause: Duration) async { try? await Task.sleep(for: pause) }

    /// The name or model may have changed since the bridge was paired.
    private func tellWhoItIs() async {
        guard let config = await finder.identity(of: line.call) else { return }  // the stream tells if it is gone
        line.news(
            .seen(
                line.id, at: line.call.address, name: line.map.bridgeName ?? config.name ?? "Hue Bridge",
                model: config.modelid ?? ""))
    }

    private func listen(to stream: HTTPStream) async -> Failure {
        let watch = SilenceWatch()
        return await withTaskGroup(of: Failure.self) { group in
            group.addTask { await read(stream, watch) }
            group.addTask { await probe(watch) }
            group.addTask { await doubt(line.writes(), watch) }
            defer { group.cancelAll() }
            return await group.next() ?? .unreachable(line.id, because: "the event stream ended")
        }
    }

    private func read(_ stream: HTTPStream, _ watch: SilenceWatch) async -> Failure {
        var parser = EventStreamParser()
        do {
            for try await piece in stream.pieces {
                watch.heard()
                for frame in parser.read(piece) { await take(frame) }
            }
            return .unreachable(line.id, because: "it ended the event stream")
        } catch let error as CurlError {
            return error.failure(of: line.id)
        } catch {
            return .unreachable(line.id, because: "\(error)")
        }
    }

    private func take(_ frame: EventFrame) async {
        let events: [EventContainer]
        do {
            events = try EventContainer.all(in: frame)
        } catch {
            return line.logger.debug("an event cannot be read", metadata: ["problem": "\(error)"])
        }
        for event in events {
            // A lamp that comes back shows its own power-on state, which no event tells in time (openhab/openhab-addons#21018).
            for lamp in line.apply(event) {
                line.submit { _ = try? await $0.reread("/light/\(lamp)") }  // where that fails, the stream tells it
            }
        }
    }

    private func probe(_ watch: SilenceWatch) async -> Failure {
        while true {
            do {
                try await Task.sleep(for: Self.silence - watch.silence)
            } catch {
                return line.stopping
            }
            if watch.silence >= Self.silence, let loss = await check(watch) { return loss }
        }
    }

    /// After a write without any echo: the stream may be dead although the bridge is not.
    private func doubt(_ writes: AsyncStream<Void>, _ watch: SilenceWatch) async -> Failure {
        for await _ in writes {
            await rest(Self.echoPatience)
            if watch.silence >= Self.echoPatience, let loss = await check(watch) { return loss }
        }
        return line.stopping
    }

    /// Asks the bridge for its lamps. Where they differ from what the stream has told, the stream is dead.
    private func check(_ watch: SilenceWatch) async -> Failure? {
        do throws(Failure) {
            guard try await !line.reread() else {
                return .unreachable(line.id, because: "its event stream fell silent")
            }
            watch.heard()
            return nil
        } catch {
            return error
        }
    }

    /// After several attempts at its last address: is the bridge somewhere else?
    ///
    /// - Returns: whether it is.
    @discardableResult
    private func look() async -> Bool {
        guard let address = await finder.find(line.id, otherThan: line.call.address, for: .seconds(3)) else {
            return false
        }
        line.logger.notice("bridge found at another address", metadata: ["address": "\(address)"])
        line.move(to: address)
        return true
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
