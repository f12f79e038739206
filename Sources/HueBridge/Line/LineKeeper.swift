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

    /// Until cancelled.
    func run() async {
        var backoff = Backoff()
        while !Task.isCancelled {
            let loss = await live { backoff.reset() }
            guard !Task.isCancelled else { return }
            let before = line.state
            line.set(.lost(loss))
            if before != .lost(loss) {
                line.news(.lost(line.id, because: loss.reason))
                // One line when it goes, and one more where the reason is another kind of trouble; attempts are nobody's news.
                let level: Logger.Level = before.isTrouble(like: loss) ? .debug : .notice
                line.logger.log(level: level, "bridge lost", metadata: ["reason": "\(loss.reason)"])
            }
            let pause: Duration
            switch loss {
            case .keyRefused, .certificateRefused: pause = Self.refusedPause
            default: pause = backoff.next()
            }
            // Cancelled: the loop's own condition sees it.
            try? await Task.sleep(for: pause)
            if case .unreachable = loss, backoff.attempt > 1 { await look() }
        }
    }

    /// One life of the line. Returns why it ended.
    private func live(connected: () -> Void) async -> Failure {
        let stream: HTTPStream
        do throws(CurlError) {
            stream = try await line.client.stream(line.call.stream())
        } catch {
            return error.failure(of: line.id)
        }
        switch stream.head.status {
        case 200 where stream.head["content-type"]?.contains("text/event-stream") == true: break
        case 401, 403: return .keyRefused(by: line.id)
        case 404: return .unreachable(line.id, because: "it does not speak API v2; its firmware is too old")
        case let status: return .unreachable(line.id, because: "HTTP \(status) for its event stream")
        }
        do throws(Failure) {
            line.load(try await line.fetch(Resource.self, ""))
        } catch {
            return error
        }
        line.set(.connected)
        connected()
        await tellWhoItIs()
        line.news(.connected(line.id))
        line.logger.notice(
            "bridge connected", metadata: ["address": "\(line.call.address)", "lights": "\(line.map.lights.count)"])
        return await listen(to: stream)
    }

    /// The name or model may have changed since the bridge was paired.
    private func tellWhoItIs() async {
        guard let config = try? await finder.identity(of: line.call).get() else { return }  // the stream tells if it is gone
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
                line.submit { line in
                    guard let found = try? await line.fetch(LightResource.self, "/light/\(lamp)").first else { return }  // told by the stream, then
                    line.refresh(found)
                }
            }
        }
    }

    private func probe(_ watch: SilenceWatch) async -> Failure {
        while true {
            do {
                try await Task.sleep(for: watch.left(of: Self.silence))
            } catch {
                return .unreachable(line.id, because: "lightd is stopping")
            }
            guard watch.left(of: Self.silence) <= .zero else { continue }
            do throws(Failure) {
                _ = try await line.fetch(BridgeResource.self, "/bridge")
                watch.heard()
            } catch {
                return error
            }
        }
    }

    /// After several attempts at its last address: is the bridge somewhere else?
    private func look() async {
        guard let address = await finder.find(line.id, otherThan: line.call.address, for: .seconds(3)) else { return }
        line.logger.notice("bridge found at another address", metadata: ["address": "\(address)"])
        line.move(to: address)
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

extension Failure {
    /// For the line's own news, where the bridge is named already.
    fileprivate var reason: String {
        switch self {
        case let .unreachable(_, cause): cause
        case let .certificateRefused(_, cause): "its certificate is not the one it was paired with: \(cause)"
        case .keyRefused: "it no longer accepts our key"
        default: description
        }
    }
}
