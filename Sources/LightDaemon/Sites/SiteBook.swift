import ControlProtocol
import FoundationEssentials
import MQTT

/// The sites of a broker, and the requests that are under way to them: a value, without a socket or a clock. What the
/// broker says and what lightctl asks comes in; what is to be published, and what is answered, comes out.
struct SiteBook {
    enum Step: Equatable {
        case publish(MQTTMessage)
        /// The answer to the request of this number.
        case answer(Int, RelayedAnswer)
        /// All sites are known that the broker keeps.
        case ready
    }

    private struct Request {
        let site: String
        let message: MQTTMessage
        /// The place in ``roles`` of the topic to which it went.
        var role: Int
    }

    /// The topics of requests, in the order in which they are tried: a broker may let an operator do less than a site does.
    private static let roles: [TokenAccess?] = [nil] + TokenAccess.allCases.sorted(by: >)

    /// As in ``SiteTopics/response(of:to:)``.
    private let client: String
    private let user: String
    private var sites: [String: SiteBody] = [:]
    private var requests: [Int: Request] = [:]
    /// The place in ``roles`` that the broker was found to allow for a site.
    private var allowed: [String: Int] = [:]
    private(set) var isReady = false

    /// - Parameters:
    ///   - user: that the broker knows this client as.
    ///   - name: a text that no other client has.
    init(user: String, name: String) { (self.user, client) = (user, "\(user)/\(name)") }

    /// Where the answers are to be read.
    var answers: String { SiteTopics.response(of: "+", to: client) }
    /// Where the sites are to be read.
    var places: [String] { [SiteTopics.status(of: "+"), SiteTopics.info(of: "+")] }

    /// By name.
    var listed: [SiteBody] { sites.values.sorted { $0.site < $1.site } }

    // MARK: The broker

    /// Comes back after all that the broker keeps: a message to this client itself.
    var sentinel: MQTTMessage { MQTTMessage(SiteTopics.response(of: user, to: client), "ready") }

    mutating func hear(_ message: MQTTMessage) -> [Step] {
        if message.topic == sentinel.topic, message.correlation == nil { return becomeReady() }
        let parts = message.topic.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 3, parts[0] == SiteTopics.root, SiteTopics.isSite(parts[1]) else { return [] }
        let site = parts[1]
        switch parts[2...] {
        case ["status"]:
            sites[site] = SiteBody(
                site: site, online: message.payload.elementsEqual("online".utf8), info: sites[site]?.info)
            if message.payload.isEmpty { sites[site] = nil }
            return []
        case ["info"]:
            // What is none is somebody else's, or of another version: the site is listed without.
            let info = try? JSONDecoder().decode(SiteInfo.self, from: Data(message.payload))
            sites[site] = SiteBody(site: site, online: sites[site]?.online ?? false, info: info)
            return []
        case _ where message.topic == SiteTopics.response(of: site, to: client): return answered(site, message)
        default: return []
        }
    }

    /// All sites are known, as far as one can tell.
    mutating func becomeReady() -> [Step] {
        guard !isReady else { return [] }
        isReady = true
        return [.ready]
    }

    private mutating func answered(_ site: String, _ message: MQTTMessage) -> [Step] {
        guard let number = Self.number(message.correlation),
            // Only the site that was asked may answer.
            requests[number]?.site == site,
            let answer = RelayedAnswer(
                properties: Dictionary(message.userProperties.map { ($0.name, $0.value) }) { first, _ in first },
                payload: message.payload)
        else { return [] }
        requests[number] = nil
        return [.answer(number, answer)]
    }

    /// The broker does not take a request.
    ///
    /// - Parameters:
    ///   - correlation: of its message.
    ///   - isDenied: whether that is because this client may not publish there.
    mutating func rejected(_ correlation: [UInt8]?, _ reason: String, isDenied: Bool) -> [Step] {
        guard let number = Self.number(correlation), let request = requests[number] else { return [] }
        let next = request.role + 1
        guard isDenied, Self.roles.indices.contains(next) else {
            return fail(
                number,
                isDenied
                    ? ErrorReply(
                        .notAllowed, "the broker does not let you ask site '\(request.site)'",
                        hint: "its access list says who may publish on \(SiteTopics.request(of: request.site))")
                    : ErrorReply(.invalid, "the broker does not take the request: \(reason)"))
        }
        allowed[request.site] = max(next, allowed[request.site] ?? 0)
        requests[number]?.role = next
        return [.publish(request.message.moved(to: Self.topic(request.site, next)))]
    }

    /// A request could not be handed to the connection.
    mutating func unsent(_ correlation: [UInt8]?) -> [Step] {
        guard let number = Self.number(correlation), requests[number] != nil else { return [] }
        return fail(
            number,
            ErrorReply(.daemonUnreachable, "nothing can be sent to the broker now", hint: "try again in a moment"))
    }

    private mutating func fail(_ number: Int, _ error: ErrorReply) -> [Step] {
        requests[number] = nil
        return [.answer(number, RelayedAnswer(error))]
    }

    private static func number(_ correlation: [UInt8]?) -> Int? {
        correlation.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    }

    /// The connection is lost: nobody knows what became of what was asked.
    mutating func lost(_ reason: String) -> [Step] {
        defer { requests = [:] }
        return requests.keys.sorted().map { number in
            .answer(
                number,
                RelayedAnswer(
                    ErrorReply(
                        .unconfirmed,
                        "the connection to the broker broke (\(reason)); the request may have been carried out")))
        }
    }

    // MARK: lightctl

    /// - Parameters:
    ///   - number: no other request has it.
    ///   - sender: what lightctl calls itself.
    mutating func ask(_ site: String, _ request: RelayedRequest, number: Int, as sender: String) -> [Step] {
        guard let known = sites[site] else {
            return fail(
                number,
                ErrorReply(
                    .noSuchTarget, "the broker knows no site '\(site.prefix(64))'",
                    hint: "'lightctl sites' lists those that it knows"))
        }
        guard known.online else {
            return fail(
                number,
                ErrorReply(
                    .daemonUnreachable, "lightd of site '\(site)' is not connected to the broker",
                    hint: "there, 'lightctl doctor' says why"))
        }
        guard request.body.count <= RelayedRequest.longestBody else { return fail(number, Self.tooLong) }
        let role = allowed[site] ?? 0
        let message = MQTTMessage(
            Self.topic(site, role), request.body, responseTopic: SiteTopics.response(of: site, to: client),
            correlation: Array("\(number)".utf8),
            userProperties: request.properties.map { .init($0.name, $0.value) } + [
                .init(RelayedRequest.Property.client, sender)
            ])
        requests[number] = Request(site: site, message: message, role: role)
        return [.publish(message)]
    }

    static let tooLong = ErrorReply(
        .invalid, "what is to be sent is longer than the \(RelayedRequest.longestBody >> 20) MiB that a site reads")

    private static func topic(_ site: String, _ role: Int) -> String { SiteTopics.request(of: site, as: roles[role]) }
}

extension MQTTMessage {
    fileprivate func moved(to topic: String) -> Self {
        var message = self
        message.topic = topic
        return message
    }
}
