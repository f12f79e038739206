import CoreMetrics
import Curl
import FoundationEssentials
import HueWire
import Khipu
import Lighting
import Logging
import Synchronization

/// Sends typed requests to one bridge, in the API that it speaks, wherever it is now.
///
/// Reads are repeated here while the bridge is overloaded. Writes are sent once: ``CommandQueue`` decides whether and
/// when to send one again.
final class BridgeClient: Sendable {
    let bridge: Bridge.ID
    let dialect: Dialect
    /// Requests and the event stream have connections of their own, and no other bridge shares them: one that is stuck
    /// delays nothing else.
    private let http = HTTPClient()
    private let streams = HTTPClient()
    private let live: Live<GatewaySettings>
    private let metrics: BridgeMetrics
    private let logger: Logger
    private let currentCall: Mutex<BridgeCall>

    private static let mostAttempts = 5

    init(_ pairing: Pairing, settings: Live<GatewaySettings>, metrics: BridgeMetrics? = nil, logger: Logger) {
        bridge = pairing.bridge.id
        self.metrics = metrics ?? BridgeMetrics(bridge, NOOPMetricsHandler.instance)
        dialect = Dialect(pairing.api)
        live = settings
        self.logger = logger
        currentCall = Mutex(BridgeCall(pairing, settings.value))
    }

    private var settings: GatewaySettings { live.value }

    var call: BridgeCall { currentCall.withLock { $0 } }

    func move(to address: Bridge.Address) { currentCall.withLock { $0.address = address } }

    /// Gives up every connection to the bridge: whatever was under way ends, later requests open new ones.
    func dropConnections() {
        http.dropConnections()
        streams.dropConnections()
    }

    /// Returns once both threads that send requests have come to this call.
    func ping() async {
        await http.ping()
        await streams.ping()
    }

    /// Ends every request; no other can follow.
    func shutdown() {
        http.shutdown()
        streams.shutdown()
    }

    private func send(
        _ request: HTTPRequest, _ kind: BridgeMetrics.Kind
    ) async throws(CurlError) -> HTTPResponse {
        do throws(CurlError) {
            return try await measured(kind) { () throws(CurlError) in
                let response = try await http.send(request)
                return (response, response.status)
            }
        } catch {
            // The connection may be dead although the bridge is not, and bytes written to it vanish: the next request
            // must not use it.
            if error == .timedOut { http.dropConnections() }
            throw error
        }
    }

    /// - Parameter work: returns with the answer, or its beginning, and the status.
    private func measured<Answer>(
        _ kind: BridgeMetrics.Kind, _ work: () async throws(CurlError) -> (Answer, status: Int)
    ) async throws(CurlError) -> Answer {
        let start = settings.clock.now()
        do throws(CurlError) {
            let (answer, status) = try await work()
            metrics.answered(kind, status: status, after: settings.clock.now() - start)
            return answer
        } catch {
            metrics.failed(kind, error)
            throw error
        }
    }

    // MARK: - Commands

    /// Changes or deletes one resource, once. A PUT of the same values twice does no harm, nor does a second DELETE, so
    /// one that may not have been carried out may be sent again.
    func write(_ operation: Operation) async -> Delivery { await carryOut(operation).delivery }

    /// Creates one resource, once, and never again if it may have been created.
    ///
    /// - Returns: its id, if the bridge has accepted it and names it.
    func create(_ operation: Operation) async -> (delivery: Delivery, id: ResourceID?) {
        let (delivery, response) = await carryOut(operation)
        switch delivery {
        case .unknown: return (.doubted("its answer was lost, so it may have been created all the same"), nil)
        case let .faulty(words): return (.refused(BridgeWords(words)), nil)
        case .done, .doubted:
            guard let id = response.flatMap({ dialect.created(by: operation, $0) }) else {
                return (.doubted("its answer does not name what it has created"), nil)
            }
            return (delivery, id)
        default: return (delivery, nil)
        }
    }

    private func carryOut(_ operation: Operation) async -> (delivery: Delivery, response: HTTPResponse?) {
        let call = call
        let response: HTTPResponse
        do {
            response = try await send(
                call.request(
                    dialect.method(of: operation), dialect.path(of: operation, key: call.key),
                    body: dialect.body(of: operation), deadline: settings.requestTimeout), operation.kind)
        } catch let error as CurlError {
            return (Delivery(error), nil)
        } catch {
            return (.refused("a value cannot be encoded: \(error)"), nil)
        }
        let delivery = dialect.delivery(of: operation, response)
        switch delivery {
        case let .busy(words), let .faulty(words): logger.debug("bridge is busy", metadata: ["reason": "\(words)"])
        default: break
        }
        return (delivery, response)
    }

    /// Deletes our key on the bridge.
    ///
    /// - Throws: if the bridge cannot be reached, or does not allow it.
    func removeKey() async throws(Failure) { try await call.removeKey(over: http) }

    // MARK: - Reads

    /// Asks the bridge which one it is, over a new connection, so that the answer comes with its certificate.
    func identify() async throws(CurlError) -> HTTPResponse {
        var request = call.request(.get, "/api/config", deadline: call.timeouts.discovery)
        request.wantsCertificate = true
        request.bringsConnection = true
        request.maximumBodySize = Probe.largestAnswer
        return try await send(request, .read)
    }

    /// How much room the bridge has; `nil` if it does not tell, as some that are not the maker's.
    func capabilities() async -> V1Capabilities? {
        let path = Dialect.capabilitiesPath(call.key)
        guard let response = try? await send(call.request(.get, path, deadline: call.timeouts.discovery), .read),
            response.isAccepted
        else { return nil }
        return response.decoded()
    }

    /// The resources that answer a query.
    func fetch(_ query: Query) async throws(Failure) -> [Resource] {
        var resources = try await read(query)
        // In API v1 each light says whether it is in reach.
        if query == .lights, dialect == .v2 { resources += try await read(.connectivity) }
        return resources
    }

    /// The same, asked once, as a part of a command.
    func fetchOnce(_ query: Query) async -> Result<[Resource], ReadingTrouble> {
        let response: HTTPResponse
        do throws(CurlError) {
            response = try await send(
                call.request(.get, dialect.path(of: query, key: call.key), deadline: settings.requestTimeout), .read)
        } catch {
            return .failure(ReadingTrouble(delivery: Delivery(error)))
        }
        return switch dialect.reading(query, response) {
        case let .resources(resources, unreadable: _): .success(resources)
        case let .busy(words): .failure(ReadingTrouble(delivery: .busy(words)))
        case .keyRefused: .failure(ReadingTrouble(delivery: .keyRefused))
        case .gone: .failure(ReadingTrouble(delivery: .refused("it is gone")))
        case let .unreadable(words): .failure(ReadingTrouble(delivery: .refused(BridgeWords(words))))
        }
    }

    /// The sensors of these types; in API v1 all.
    func fetch(sensors types: [ResourceType]) async throws(Failure) -> [Resource] {
        var resources: [Resource] = []
        for type in dialect == .v1 ? Array(types.prefix(1)) : types { resources += try await read(.sensors(type)) }
        return resources
    }

    private func read(_ query: Query) async throws(Failure) -> [Resource] {
        let reading = try await repeated(.read) { [dialect] call in
            call.request(.get, dialect.path(of: query, key: call.key), deadline: call.timeouts.list)
        } read: { [dialect] response in
            let reading = dialect.reading(query, response)
            return (reading, reading.isBusy)
        }
        switch reading {
        case let .resources(resources, unreadable: problems):
            for problem in problems {
                logger.debug("a resource cannot be read", metadata: ["problem": "\(problem)"])
            }
            return resources
        case let .busy(words), let .unreadable(words): throw .unreachable(bridge, because: words)
        case .keyRefused: throw .keyRefused(by: bridge)
        case .gone: throw .unreachable(bridge, because: "it has no \(dialect.path(of: query, key: nil))")
        }
    }

    /// Opens the event stream.
    func openStream() async throws(CurlError) -> HTTPStream {
        try await measured(.stream) { () throws(CurlError) in
            let stream = try await streams.stream(call.stream())
            return (stream, stream.head.status)
        }
    }

    /// Sends a request of a probe, which has no words of its own in ``Dialect``. Only in API v2.
    ///
    /// - Returns: the answer; the last one, if the bridge stays overloaded.
    func send(_ method: HTTPRequest.Method, _ path: String, body: [UInt8]? = nil) async throws(Failure) -> HTTPResponse
    {
        let response = try await repeated(.probe) { [settings] call in
            call.request(method, "/clip/v2/resource/\(path)", body: body, deadline: settings.requestTimeout)
        } read: {
            ($0, $0.isBusy)
        }
        if response.status == 401 || response.status == 403 { throw .keyRefused(by: bridge) }
        return response
    }

    /// Repeats a request while the bridge is overloaded, up to the most attempts; and a read at once, but once, whose
    /// connection broke: bridges close those that they have not heard of for a while, perhaps just then.
    private func repeated<Answer>(
        _ kind: BridgeMetrics.Kind, _ request: (BridgeCall) -> HTTPRequest,
        read: (HTTPResponse) -> (answer: Answer, isBusy: Bool)
    ) async throws(Failure) -> Answer {
        var (backoff, hasBroken) = (Backoff(), false)
        while true {
            let response: HTTPResponse
            do throws(CurlError) {
                response = try await send(request(call), kind)
            } catch {
                if case .broken = error, kind == .read, !hasBroken {
                    hasBroken = true
                    continue
                }
                throw error.failure(of: bridge)
            }
            let (answer, isBusy) = read(response)
            guard isBusy, backoff.attempt < Self.mostAttempts else { return answer }
            do {
                try await settings.clock.sleep(backoff.next())
            } catch {
                throw .unreachable(bridge, because: "lightd is stopping")
            }
        }
    }
}

extension Delivery {
    fileprivate init(_ error: CurlError) {
        switch error {
        case .noConnection: self = .unsent
        case let .certificateRefused(words): self = .certificateRefused(words)
        case .timedOut, .broken, .tooMuch: self = .unknown
        case .cancelled, .closed, .invalid: self = .refused(BridgeWords(error.description))
        }
    }
}
