/// The id of a bridge in one form: 16 hex digits, lower case, MAC with `fffe` in its middle.
///
/// Bridges write it in upper and lower case, HomeKit with colons, some clients as the bare MAC
/// (aiohue, `normalize_bridge_id`); all forms name the same bridge.
public enum BridgeID {
    public static func normalized(_ text: String) -> String {
        let separators = Array(" \t\r\n:-".utf8)
        let digits = String(decoding: text.utf8.filter { !separators.contains($0) }, as: UTF8.self).lowercased()
        // Text that merely contains such digits is not an id: two names must not become one bridge.
        guard digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return text.lowercased() }
        guard digits.count == 12 else { return digits.count == 16 ? digits : text.lowercased() }
        return digits.prefix(6) + "fffe" + digits.suffix(6)
    }

    /// "ecb5fafffe010203" for "ec:b5:fa:01:02:03".
    public static func of(mac: String) -> String { normalized(mac) }

    /// "ec:b5:fa:01:02:03" for "ecb5fafffe010203".
    public static func mac(of id: String) -> String {
        let digits = Array(normalized(id))
        guard digits.count == 16 else { return id }
        let mac = digits[..<6] + digits[10...]
        return stride(from: mac.startIndex, to: mac.endIndex, by: 2).map { String(mac[$0..<($0 + 2)]) }.joined(
            separator: ":")
    }
}

/// `GET /api/config`: which bridge this is. It needs no key.
public struct PublicConfig: Hashable, Codable, Sendable {
    /// A name longer than 256 bytes is cut.
    public var name: String?
    /// Sloppy emulators leave it out; we do not count those as bridges (home-assistant-libs/aiohue#134).
    public var bridgeid: String?
    public var modelid: String?
    /// A number as text.
    public var swversion: String?
    public var apiversion: String?
    public var mac: String?

    public init(
        name: String?, bridgeid: String?, modelid: String?, swversion: String? = nil, apiversion: String? = nil,
        mac: String? = nil
    ) {
        self.name = name?.heldToName
        self.bridgeid = bridgeid
        self.modelid = modelid
        self.swversion = swversion
        self.apiversion = apiversion
        self.mac = mac
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String? { try container.decodeIfPresent(String.self, forKey: key) }
        self.init(
            name: try text(.name), bridgeid: try text(.bridgeid), modelid: try text(.modelid),
            swversion: try text(.swversion), apiversion: try text(.apiversion), mac: try text(.mac))
    }

    /// The first firmware that speaks API v2 on a square bridge (ebaauw/hb-hue-tools). The Pro's numbers are all above
    /// it.
    public static let firstWithV2 = 1_948_086_000
}

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
