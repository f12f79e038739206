import Curl
import HueWire
import Lighting
import Synchronization

/// The bridges as they are, without their connections: commands go into copies of their queues, and the copies are then
/// emptied as the queues are, with the same coalescing and the same words, but without waiting for anything.
final class RehearsedBridges: Sendable {
    fileprivate struct Copy: Sendable {
        let dialect: Dialect
        let start: Duration
        var parts: BridgeConnection.Parts
        /// What was asked before has a lower token.
        let firstToken: UInt64
    }

    private let copies: Mutex<[Bridge.ID: Copy]>

    init(_ connections: [BridgeConnection]) {
        copies = Mutex(
            Dictionary(
                connections.map { connection in
                    var parts = connection.parts.withLock { $0 }
                    parts.queue.muteCallers()
                    let copy = Copy(
                        dialect: connection.client.dialect, start: connection.elapsed, parts: parts,
                        firstToken: parts.queue.nextToken())
                    return (connection.id, copy)
                }
            ) { $1 })
    }

    /// Commands are answered at once: they fail if the bridge cannot take them now, and succeed otherwise.
    var lights: LightStack {
        LightStack(
            load: { $0(.failed(.invalid("reading the lights again cannot be rehearsed"))) },
            listen: { _ in },
            ask: ask
        )
    }

    /// Puts a command into a copy of its bridge's queue.
    var ask: LightStack.Ask {
        { [self] bridge, reply, command in
            let refusals = copies.withLock { copies -> [CommandQueue.Answer]? in
                guard var copy = copies[bridge] else { return nil }
                command(&copy.parts, copy.start)
                let answers = copy.parts.queue.takeAnswers()
                copies[bridge] = copy
                return answers
            }
            guard let refusals else { return reply(.failed(.noSuchBridge(bridge))) }
            for answer in refusals { answer.give() }
            if refusals.isEmpty { reply(.succeeded) }
        }
    }

    /// What the commands so far would send, bridge by bridge, each in its order.
    ///
    /// - Throws: if a value cannot be encoded.
    @Sendable func requests() async throws -> [PlannedRequest] {
        var planned: [PlannedRequest] = []
        for (bridge, copy) in copies.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            planned += try await copy.requests(to: bridge)
        }
        return planned
    }
}

extension RehearsedBridges.Copy {
    func requests(to bridge: Bridge.ID) async throws -> [PlannedRequest] {
        var parts = parts
        let held = parts.queue.state.reasonNotToSend(to: bridge)
        var now = start
        if held != nil { parts.queue.connect(at: now) }
        var planned: [PlannedRequest] = []
        while true {
            // Thousands of lights take a while; others are served meanwhile.
            await Task.yield()
            // What is under way, and what was planned just now, counts as accepted.
            parts.queue.acceptAll(at: now)
            let (requests, wake) = parts.queue.next(at: now)
            for request in requests where parts.queue.isAsked(request, from: firstToken) {
                for operation in parts.operations(of: request, at: now) {
                    planned.append(
                        PlannedRequest(
                            bridge: bridge, method: dialect.method(of: operation).rawValue,
                            path: dialect.path(of: operation, key: Secret("KEY")),
                            body: String(decoding: try dialect.body(of: operation) ?? [], as: UTF8.self), held: held))
                }
            }
            guard requests.isEmpty else { continue }
            guard let wake else { return planned }
            now = max(wake, now + .milliseconds(1))
        }
    }
}

extension CommandQueue {
    /// Takes everything that is under way as accepted.
    fileprivate mutating func acceptAll(at now: Duration) {
        for id in scheduler.inFlightRequests.keys.sorted() { accept(id, at: now) }
    }

    /// Whether a request that was just scheduled carries anything asked with this token or a later one.
    fileprivate func isAsked(_ request: ScheduledRequest, from token: UInt64) -> Bool {
        guard let inFlight = scheduler.inFlightRequests[request.id] else { return false }
        return (inFlight.job.map { [$0] } ?? inFlight.pending.flatMap(\.pending.tokens)).contains { $0 >= token }
    }
}

extension ConnectionState {
    fileprivate func reasonNotToSend(to bridge: Bridge.ID) -> Failure? {
        switch self {
        case .connected: nil
        case .connecting: .unreachable(bridge, because: "not connected yet")
        case let .lost(failure, since: _): failure
        case .closed: .unreachable(bridge, because: "its connection was closed")
        }
    }
}
