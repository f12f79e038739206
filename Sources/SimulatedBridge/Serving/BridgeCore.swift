import FoundationEssentials
import HueWire

/// The bridge's mind: its home, its keys, its limits. Every request is looked at here, one at a time.
actor BridgeCore {
    struct Key: Codable, Sendable {
        let name: String
        let created: Date
    }

    /// What is still to go wrong.
    struct Faults: Codable, Sendable {
        /// Answer the next `count` requests with this status and the bridge's page.
        var status: Int?
        var count: Int?
        /// Cut the connection instead of answering, for the next `count` requests.
        var hangUp: Bool?
        /// Streams stay open and say nothing.
        var silentStream: Bool?

        enum CodingKeys: String, CodingKey {
            case status, count
            case hangUp = "hang_up"
            case silentStream = "silent_stream"
        }
    }

    private(set) var home: SimulatedHome
    private(set) var keys: [String: Key]
    private let derive: DerivedID
    private let quirks: Set<Quirk>
    private let now: @Sendable () -> Duration
    private let today: @Sendable () -> Date
    private let keep: (@Sendable (Keep) -> Void)?
    private let window: Duration

    private var buttonUntil: Duration?
    private var pairings: Int
    private var inFlight = 0
    private var lights: Throttle
    private var groups: Throttle
    private var faults = Faults()
    private var hub = EventHub()
    private(set) var requests: [SeenRequest] = []
    private let changed: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation

    init(
        home: SimulatedHome, keys: [String: Key] = [:], pairings: Int = 0, seed: UInt64, quirks: Set<Quirk>,
        window: Duration,
        now: @escaping @Sendable () -> Duration, today: @escaping @Sendable () -> Date,
        keep: (@Sendable (Keep) -> Void)? = nil
    ) {
        self.home = home
        self.keys = keys
        derive = DerivedID(seed: seed)
        self.quirks = quirks
        self.window = window
        self.now = now
        self.today = today
        self.keep = keep
        self.pairings = pairings
        lights = Throttle(perSecond: quirks.lightsPerSecond)
        groups = Throttle(perSecond: quirks.groupsPerSecond)
        (changed, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: - Requests

    /// Looks at a request. Whoever calls must call ``end()`` when the answer is out.
    func begin(_ ask: Ask) -> Reaction {
        let reaction = limited(ask) ?? respond(to: ask)
        inFlight += 1
        record(ask, reaction)
        return reaction
    }

    /// A stream occupies no place among the requests in flight.
    func end() { inFlight -= 1 }

    private func record(_ ask: Ask, _ reaction: Reaction) {
        let status =
            switch reaction {
            case let .answer(answer): answer.status
            case .stream: 200
            case .hangUp: 0
            }
        requests.append(
            SeenRequest(
                time: today(), method: ask.method, path: ask.fullPath, key: ask.key,
                body: String(decoding: ask.body.prefix(4096), as: UTF8.self), secure: ask.isSecure, status: status))
        if requests.count > 2000 { requests.removeFirst(1000) }
    }

    private func limited(_ ask: Ask) -> Reaction? {
        if let count = faults.count, count > 0, faults.status != nil || faults.hangUp == true {
            faults.count = count - 1
            return faults.hangUp == true ? .hangUp : .answer(.page(faults.status ?? 503))
        }
        if !quirks.contains(.unlimited), inFlight >= quirks.inFlight { return .answer(.page(429)) }
        return nil
    }

    private func respond(to ask: Ask) -> Reaction {
        switch (ask.path.first, ask.isSecure) {
        case ("api", _): .answer(v1(ask))
        case ("clip", true): clip(ask)
        case ("eventstream", true): events(ask)
        case ("auth", true): .answer(auth(ask))
        case (nil, _) where ask.method == "GET":
            .answer(
                Answer(
                    status: 200, type: "text/html",
                    body: Array("<html><title>hue personal wireless lighting</title></html>\n".utf8)))
        default: .answer(.page(404))
        }
    }

    // MARK: - API v2

    private func isKnown(_ key: String?) -> Bool { key.map { keys[$0] != nil } ?? false }

    private func clip(_ ask: Ask) -> Reaction {
        guard ask.path.count >= 3, ask.path[1] == "v2", ask.path[2] == "resource", ask.path.count <= 5 else {
            return .answer(.page(404))
        }
        guard isKnown(ask.key) else { return .answer(.page(403)) }
        let type = ask.path.count > 3 ? ask.path[3] : nil
        let id = ask.path.count > 4 ? ResourceID(ask.path[4]) : nil
        if let type, !ResourceType.served.contains(type) {
            return .answer(.envelope(404, errors: [HueError("Not Found", code: "client_error")]))
        }
        switch ask.method {
        case "GET": return .answer(read(type, id, ask.query))
        case "PUT":
            guard let type, let id else { return .answer(.envelope(405, errors: [HueError("Method not allowed")])) }
            return .answer(write(type, id, ask.body))
        default: return .answer(.envelope(405, errors: [HueError("Method not allowed")]))
        }
    }

    private func read(_ type: String?, _ id: ResourceID?, _ query: String?) -> Answer {
        var documents = home.documents
        if let type { documents = documents.filter { $0["type"]?.string == type } }
        if let wanted = query?.split(separator: "&").first(where: { $0.hasPrefix("type=") })?.dropFirst(5) {
            let types = Set(wanted.split(separator: ",").map(String.init))
            documents = documents.filter { types.contains($0["type"]?.string ?? "") }
        }
        guard let id else { return .data(documents) }
        let found = documents.filter { $0["id"]?.string == id.description }
        return found.isEmpty ? .envelope(404, errors: [HueError("Not Found", code: "client_error")]) : .data(found)
    }

    private func write(_ type: String, _ id: ResourceID, _ body: [UInt8]) -> Answer {
        if !quirks.contains(.unlimited) {
            switch Writing.cost(of: type) {
            case .light: guard lights.take(at: now()) else { return .page(429) }
            case .group: guard groups.take(at: now()) else { return .page(429) }
            case .nothing: break
            }
        }
        let writing = Writing(type, id, body, in: home)
        alter(by: writing.changes)
        return writing.answer
    }

    private func events(_ ask: Ask) -> Reaction {
        guard ask.path == ["eventstream", "clip", "v2"], ask.method == "GET" else { return .answer(.page(404)) }
        guard isKnown(ask.key) else { return .answer(.page(403)) }
        guard ask.accept?.contains("text/event-stream") == true else {
            // The long poll of early firmware: nobody's client uses it any more.
            return .answer(.page(406))
        }
        return .stream(hub.open(after: ask.lastEventID))
    }

    private func auth(_ ask: Ask) -> Answer {
        guard isKnown(ask.key), let key = ask.key else { return .page(403) }
        var answer = Answer(status: 200, type: "application/json", body: [])
        answer.headers = [("hue-application-id", derive.uuid("application", key).description)]
        return answer
    }

    // MARK: - API v1

    private func v1(_ ask: Ask) -> Answer {
        // Clients write a slash at the end or not.
        let path = ask.path.last == "" ? Array(ask.path.dropLast()) : ask.path
        switch (ask.method, path.count) {
        case ("POST", 1): return pair(ask)
        case ("GET", 1): return .v1(V1Error(4, address: "/", "method, GET, not available for resource, /"))
        case ("GET", 2) where path[1] == "config": return .json(publicConfig)
        // Any word in the key's place gets the public part: a good answer does not prove a key.
        case ("GET", 3) where path[2] == "config": return .json(publicConfig)
        default: break
        }
        let rest = "/" + path.dropFirst(2).joined(separator: "/")
        guard path.count >= 2, keys[path[1]] != nil else {
            return .v1(V1Error(V1Error.unauthorized, address: rest, "unauthorized user"))
        }
        if ask.method == "DELETE", path.count == 5, path[2] == "config", path[3] == "whitelist" {
            guard keys[path[4]] != nil else {
                return .v1(V1Error(3, address: rest, "resource, \(rest), not available"))
            }
            keys[path[4]] = nil
            save()
            return .json([["success": "\(rest) deleted."]])
        }
        return .v1(V1Error(3, address: rest, "resource, \(rest), not available"))
    }

    private var publicConfig: PublicConfig {
        PublicConfig(
            name: home.name, bridgeid: home.bridgeID.uppercased(), modelid: home.model, swversion: "1978293000",
            apiversion: "1.78.0", mac: BridgeID.mac(of: home.bridgeID))
    }

    private func pair(_ ask: Ask) -> Answer {
        guard let body = try? JSONDecoder().decode(JSONValue.self, from: Data(ask.body)) else {
            return .v1(V1Error(2, address: "", "body contains invalid json"))  // said to the client
        }
        guard let name = body["devicetype"]?.string, !name.isEmpty else {
            return .v1(V1Error(5, address: "", "invalid/missing parameters in body"))
        }
        guard name.count <= 40 else {
            return .v1(V1Error(7, address: "/devicetype", "invalid value, \(name), for parameter, devicetype"))
        }
        guard quirks.contains(.noButton) || (buttonUntil.map { now() <= $0 } ?? false) else {
            return .v1(V1Error(V1Error.linkButtonNotPressed, address: "", "link button not pressed"))
        }
        pairings += 1
        let key = derive.key(name, pairings)
        keys[key] = Key(name: name, created: today())
        save()
        let wantsClientKey = body["generateclientkey"]?.bool == true
        return .json([
            PairingAnswer(
                success: .init(username: key, clientkey: wantsClientKey ? derive.clientKey(name, pairings) : nil))
        ])
    }

    // MARK: - The world around

    func pressButton() { buttonUntil = now() + window }

    func alter(by changes: [SimulatedHome.Change]) {
        guard !changes.isEmpty else { return }
        let before = home
        home = home.alter(by: changes)
        let differences = SimulatedHome.differences(from: before, to: home)
        guard !differences.isEmpty else { return }
        for (old, new) in differences { hub.note(old, new) }
        save()
        if quirks.contains(.unlimited) { hub.flush(at: today()) } else { change.yield() }
    }

    func set(_ faults: Faults) {
        self.faults = faults
        hub.isSilent = faults.silentStream ?? false
    }

    func revokeKeys() {
        keys = [:]
        save()
    }

    /// What a reboot, or the end, does to those who listen.
    func endStreams() { hub.close() }

    /// Sends what has changed: at once after a quiet second, gathered otherwise. Runs until cancelled.
    func tellChanges(every interval: Duration) async throws {
        for await _ in changed {
            hub.flush(at: today())
            try await Task.sleep(for: interval)
        }
    }

    /// Nothing is put together where nobody keeps it.
    private func save() {
        keep?(Keep(keys: keys, pairings: pairings, lamps: home.lamps.map { Keep.LampState($0) }))
    }
}

extension Set<Quirk> {
    var inFlight: Int { value { if case let .inFlight(count) = $0 { count } else { nil } } ?? 3 }
    var lightsPerSecond: Int { value { if case let .lightsPerSecond(count) = $0 { count } else { nil } } ?? 10 }
    var groupsPerSecond: Int { value { if case let .groupsPerSecond(count) = $0 { count } else { nil } } ?? 1 }
    var latency: Duration? { value { if case let .latency(count) = $0 { .milliseconds(count) } else { nil } } }

    private func value<Value>(_ of: (Quirk) -> Value?) -> Value? { lazy.compactMap(of).first }
}
