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
