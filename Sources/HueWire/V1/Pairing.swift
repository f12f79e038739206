/// `POST /api`: asks for a key while the link button is pressed.
public struct PairingRequest: Hashable, Codable, Sendable {
    /// "application#instance": at most 20 and 19 characters.
    public var devicetype: String?
    public var generateclientkey: Bool?

    public init(application: String, instance: String) {
        devicetype = "\(application.prefix(20))#\(instance.prefix(19))"
        generateclientkey = true
    }
}

/// One element of the answer to ``PairingRequest``.
public struct PairingAnswer: Hashable, Codable, Sendable {
    public var success: Success?
    public var error: V1Error?

    public struct Success: Hashable, Codable, Sendable {
        public var username: String
        /// 32 hex digits; some bridges write them with dashes.
        public var clientkey: String?

        public init(username: String, clientkey: String?) {
            self.username = username
            self.clientkey = clientkey
        }
    }

    public init(success: Success) { self.success = success }
    public init(error: V1Error) { self.error = error }
}

/// An error of API v1. It comes with HTTP status 200, or from deCONZ with a matching status.
public struct V1Error: Hashable, Codable, Sendable {
    public var type: Int
    public var address: String
    public var description: String

    public init(_ type: Int, address: String, _ description: String) {
        self.type = type
        self.address = address
        self.description = description
    }

    /// However little an emulator says, it is an error: one that is dropped would read as success.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        type = container.feature(.type) ?? 0
        address = container.feature(.address) ?? ""
        description = container.feature(.description) ?? ""
    }

    public static let unauthorized = 1
    public static let linkButtonNotPressed = 101
    /// The bridge has nothing with that id.
    public static let absent = 3
    /// "Internal error, 503" and similar: the command buffer is full.
    public static let internalError = 901
    /// deCONZ: the lamp does not answer.
    public static let notReachable = 951

    /// The lamp is off, and the attribute has no effect.
    public static let deviceIsOff = 201

    /// Whether it concerns one attribute only, so that the others of the request were carried out
    /// (ebaauw/hb-hue-tools): not available, a wrong value, not modifiable, or the lamp is off.
    public var isOfOneAttribute: Bool { [6, 7, 8, Self.deviceIsOff].contains(type) }
}
