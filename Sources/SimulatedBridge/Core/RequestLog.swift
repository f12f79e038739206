public import FoundationEssentials
import HueWire

/// The requests of clients: the latest ones in full, and counts of all. A value; the time is a parameter.
struct RequestLog: Sendable {
    /// Oldest first, at most the last few thousand.
    private(set) var requests: [LoggedRequest] = []
    private(set) var tally = Tally()
    private var inFlight = 0
    private let longest = 4096
    private let most = 2000

    /// Counts that a test can check.
    struct Tally: Equatable, Sendable {
        /// All requests, and the most within one second of real time.
        var all = RateMeter()
        /// Commands to single lamps, and to groups and scenes, including refused ones.
        var lights = RateMeter()
        var groups = RateMeter()
        /// The most requests in flight at once, without event streams.
        var inFlight = 0
        /// Requests answered with 429 or 503.
        var refused = 0
        /// Requests refused because the key is missing or unknown.
        var unauthorized = 0
        /// Event streams that were opened.
        var streams = 0
        /// Commands by the resource that they go to: "light/ID", "grouped_light/ID".
        var commands: [String: Int] = [:]
        /// Requests by status; 0 if the connection was closed.
        var statuses: [Int: Int] = [:]
        /// Requests by key; "" if there was none.
        var keys: [String: Int] = [:]
    }

    /// - Parameter target: the resource that a command goes to.
    mutating func began(
        _ request: BridgeRequest, _ reply: BridgeReply, on target: String?, at now: Duration, date: Date
    ) {
        inFlight += 1
        let seen = LoggedRequest(request, reply, number: tally.all.total + 1, date: date, longest: longest)
        tally.all.count(at: now)
        tally.inFlight = max(tally.inFlight, inFlight)
        tally.statuses[seen.status, default: 0] += 1
        tally.keys[seen.key ?? "", default: 0] += 1
        if seen.status == 429 || seen.status == 503 { tally.refused += 1 }
        if case .stream = reply { tally.streams += 1 }
        if seen.isUnauthorized { tally.unauthorized += 1 }
        if let cost = request.cost {
            if let target { tally.commands[target, default: 0] += 1 }
            switch cost {
            case .light: tally.lights.count(at: now)
            case .group: tally.groups.count(at: now)
            case .nothing: break
            }
        }
        requests.append(seen)
        if requests.count > 2 * most { requests.removeFirst(most) }
    }

    mutating func ended() { inFlight -= 1 }

    /// Clears the log; requests in flight still count.
    mutating func clear() {
        requests = []
        tally = Tally()
        tally.inFlight = inFlight
    }
}

extension BridgeRequest {
    /// Its cost; `nil` if it is not a command.
    fileprivate var cost: Cost? {
        let path = trimmedPath
        guard method == "PUT", path.count == 5 else { return nil }
        switch path[0] {
        case "clip":
            let v2Request = V2API.Request(
                method: method, type: ResourceType(rawValue: path[3]), id: ResourceID(path[4]))
            return V2API.cost(of: v2Request)
        case "api":
            let cost = V1API.cost(of: V1API.Request(method: method, path: path))
            return cost == .nothing ? nil : cost
        default: return nil
        }
    }
}

extension LoggedRequest {
    fileprivate init(_ request: BridgeRequest, _ reply: BridgeReply, number: Int, date: Date, longest: Int) {
        var answer: [UInt8] = []
        switch reply {
        case let .response(whole): (status, answer) = (whole.status, whole.body)
        case .stream, .poll: status = 200
        case .hangUp, .hang: status = 0
        }
        self.number = number
        time = date
        method = request.method
        path = request.fullPath
        // API v1 has the key in the path.
        key = request.key ?? (request.path.first == "api" && request.path.count > 2 ? request.path[1] : nil)
        body = String(decoding: request.body.prefix(longest), as: UTF8.self)
        secure = request.isSecure
        self.answer = String(decoding: answer.prefix(longest), as: UTF8.self)
    }

    /// API v2 refuses an unknown key by the status, API v1 in the body.
    fileprivate var isUnauthorized: Bool {
        status == 401 || status == 403 || status == 200 && answer.contains("\"unauthorized user\"")
    }
}

/// A request in the log; bodies are cut at 4 KiB.
public struct LoggedRequest: Codable, Equatable, Sendable {
    /// From 1, since the start or since the log was cleared.
    public let number: Int
    public let time: Date
    public let method: String
    public let path: String
    public let key: String?
    public let body: String
    /// Whether it came over HTTPS.
    public let secure: Bool
    /// 0 if the connection was closed without a response.
    public let status: Int
    /// The body of the response.
    public let answer: String
}
