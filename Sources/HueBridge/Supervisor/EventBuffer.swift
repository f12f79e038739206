import HueWire
import Logging
import Synchronization

/// Where the frames of one event stream wait until everything was fetched, so that none is lost and none is taken in too early.
final class EventBuffer: Sendable {
    private let connection: BridgeConnection
    /// `nil` once it is open.
    private let waiting = Mutex<[EventFrame]?>([])

    init(_ connection: BridgeConnection) {
        self.connection = connection
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
            connection.take(try EventContainer.all(in: frame))
        } catch {
            connection.logger.debug("an event cannot be read", metadata: ["problem": "\(error)"])
        }
    }
}
