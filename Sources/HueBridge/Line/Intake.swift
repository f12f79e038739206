import HueWire
import Logging
import Synchronization

/// Where the frames of one event stream wait until everything was fetched, so that none is lost and none is taken in too early.
final class Intake: Sendable {
    private let line: BridgeLine
    /// `nil` once it is open.
    private let waiting = Mutex<[EventFrame]?>([])

    init(_ line: BridgeLine) {
        self.line = line
    }

    func take(_ frame: EventFrame) {
        waiting.withLock { waiting in
            if waiting == nil { pass(frame) } else { waiting?.append(frame) }
        }
    }

    /// Takes in what has come so far, and from now on everything at once.
    func open() {
        waiting.withLock { frames in
            for frame in frames ?? [] { pass(frame) }
            frames = nil
        }
    }

    private func pass(_ frame: EventFrame) {
        do {
            line.take(try EventContainer.all(in: frame))
        } catch {
            line.logger.debug("an event cannot be read", metadata: ["problem": "\(error)"])
        }
    }
}
