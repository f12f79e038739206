import FoundationEssentials

/// A request to the control API that comes by a broker. What HTTP has in its head, a message of MQTT 5 has in its user
/// properties, under the names of ``Property`` and of HTTP's fields in small letters; its payload is the body.
public struct RelayedRequest: Equatable, Sendable {
    public var method: String
    /// With its query.
    public var path: String
    /// HTTP's fields, by their names in small letters.
    public var fields: [String: String]
    public var body: [UInt8]

    /// Properties that are no fields of HTTP.
    public enum Property {
        /// "GET", "POST", …; without it, "POST" for a request with a body, and "GET" for one without.
        public static let method = "method"
        /// Without it the payload is a command, as ``Routes/messages`` takes it.
        public static let path = "path"
        /// What the client calls itself, as in ``Routes/clientHeader``.
        public static let client = "client"
        /// Of an answer: that of HTTP.
        public static let status = "status"
    }

    /// In bytes: enough to restore five thousand lights.
    public static let longestBody = 2 << 20
    /// The fields that a client may send.
    public static let fields: Set = ["accept", "content-type"]

    public init(method: String, path: String, fields: [String: String] = [:], body: [UInt8] = []) {
        (self.method, self.path, self.fields, self.body) = (method, path, fields, body)
    }

    /// - Parameter properties: of the message, by their names.
    public init(properties: [String: String], payload: [UInt8]) {
        self.init(
            method: properties[Property.method] ?? (payload.isEmpty ? "GET" : "POST"),
            path: properties[Property.path] ?? Routes.messages,
            fields: properties.filter { Self.fields.contains($0.key) }, body: payload)
    }

    public var properties: [(name: String, value: String)] {
        [(Property.method, method), (Property.path, path)]
            + fields.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }
}

/// The answer to a ``RelayedRequest``.
public struct RelayedAnswer: Equatable, Sendable {
    public var status: Int
    /// As of a request.
    public var fields: [String: String]
    public var body: [UInt8]

    public init(status: Int, fields: [String: String], body: [UInt8]) {
        (self.status, self.fields, self.body) = (status, fields, body)
    }

    public init(_ error: ErrorReply) {
        let json = try? JSONEncoder().encode(error)  // never fails: it has texts and arrays of texts alone
        self.init(
            status: error.error.code.status, fields: ["content-type": "application/json"], body: Array(json ?? Data()))
    }

    /// The fields that an answer may have.
    public static let fields: Set = ["content-type", "retry-after", "allow", Routes.unreadBridgesHeader.lowercased()]

    /// `nil` if the message has no status, or one that is none of an answer.
    public init?(properties: [String: String], payload: [UInt8]) {
        guard let status = properties[RelayedRequest.Property.status].flatMap({ Int($0) }),
            (200..<600).contains(status)
        else { return nil }
        self.init(status: status, fields: properties.filter { Self.fields.contains($0.key) }, body: payload)
    }

    public var properties: [(name: String, value: String)] {
        [(RelayedRequest.Property.status, "\(status)")]
            + fields.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }
}

/// The topics of a site that its clients share; docs/mqtt.md has all.
public enum SiteTopics {
    public static let root = "lightd"

    public static func base(of site: String) -> String { "\(root)/\(site)" }
    /// "online" or "offline".
    public static func status(of site: String) -> String { "\(base(of: site))/status" }
    /// A ``SiteInfo``.
    public static func info(of site: String) -> String { "\(base(of: site))/info" }

    /// Where requests come in.
    ///
    /// - Parameter role: the most that is allowed there; `nil`: what the site allows.
    public static func request(of site: String, as role: TokenAccess? = nil) -> String {
        "\(base(of: site))/request" + (role.map { "/\($0.rawValue)" } ?? "")
    }

    /// Where the answers to one client go: the broker's user, "/", and a text that no other client has. A site answers
    /// nowhere else: whoever may ask it must not be able to have it publish where only the site may.
    public static func response(of site: String, to client: String) -> String {
        "\(base(of: site))/response/\(client)"
    }

    /// Whether a text may be a site's name: small letters, digits and "-", at most 64.
    public static func isSite(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.count <= 64
            && text.unicodeScalars.allSatisfy { ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "-" }
    }
}

/// How a site describes itself on its broker, for whoever has many.
public struct SiteInfo: Codable, Equatable, Sendable {
    /// Of lightd.
    public var version: String
    public var site: String
    /// When lightd has started.
    public var started: String
    public var tags: [String]
    /// The ids of its bridges.
    public var bridges: [String]
    /// How many it has.
    public var lights: Int

    public init(version: String, site: String, started: String, tags: [String], bridges: [String], lights: Int) {
        self.version = version
        self.site = site
        self.started = started
        self.tags = tags
        self.bridges = bridges
        self.lights = lights
    }
}

/// A site as `lightctl sites` lists it.
public struct SiteBody: Codable, Equatable, Sendable {
    public var site: String
    /// Whether its lightd is connected to the broker.
    public var online: Bool
    /// What it says of itself; `nil` if it has not yet.
    public var info: SiteInfo?

    public init(site: String, online: Bool, info: SiteInfo?) {
        (self.site, self.online, self.info) = (site, online, info)
    }
}

/// The process that stands between lightctl and a broker, which lightctl starts for as long as it runs: lightctl itself is
/// one file without libraries. It answers at a unix socket, and brings what it is asked there to a site.
public enum SiteRelayProtocol {
    /// The first argument of lightd that makes it one. After it comes the path of its socket, in a directory that it makes.
    public static let verb = "site-relay"
    /// The argument that lets it send in clear text over a network.
    public static let insecure = "--insecure"
    /// Printed once it answers. If it cannot, it prints an ``ErrorReply`` to standard error.
    public static let ready = "ready\n"
    /// The path of ``SiteBody``s, by name; all others are those of a site.
    public static let sites = "/sites"
    /// The field of HTTP that names the site.
    public static let siteHeader = "X-Lightd-Site"

    // What it takes from the environment: the address of the broker, its password or a file with that, and files in PEM: the
    // authority that signs the broker's certificate, and the certificate of this client with its key.
    public static let broker = "LIGHTCTL_BROKER"
    public static let password = "LIGHTCTL_BROKER_PASSWORD"
    public static let passwordFile = "LIGHTCTL_BROKER_PASSWORD_FILE"
    public static let authority = "LIGHTCTL_BROKER_CA"
    public static let certificate = "LIGHTCTL_BROKER_CERTIFICATE"
    public static let key = "LIGHTCTL_BROKER_KEY"
}
