import HueWire

/// `POST /api`: a request for a key.
struct V1Pairing: Equatable, Sendable {
    /// "application#instance", or without an instance as old clients send it.
    let name: String
    let wantsClientKey: Bool
    /// The key that the client wants; only deCONZ accepts one.
    let key: String?

    init(_ text: [UInt8], to model: BridgeModel) throws(V1Failure) {
        let body = try V1Body(text, at: "")
        let reader = V1BodyReader("")
        var wantsClientKey = false
        var key: String?
        guard let value = body["devicetype"] else { throw V1Failure(.missing("")) }
        let name = try Self.name(value, reader)
        for (member, value) in body.members {
            switch member {
            case "devicetype": break
            case "generateclientkey": wantsClientKey = try reader.bool(value, member)
            case "username" where model == .deconz: key = try reader.text(value, member, 10...40)
            default: throw reader.unknown(member)
            }
        }
        self.name = name
        self.wantsClientKey = wantsClientKey
        self.key = key
    }

    /// Reads an application of at most 20 characters and an instance of at most 19 (michielpost/Q42.HueApi), or a name
    /// without "#" of at most 40.
    private static func name(_ value: JSONValue, _ reader: V1BodyReader) throws(V1Failure) -> String {
        let name = try reader.text(value, "devicetype", 1...40)
        let parts = name.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count < 2 || parts[0].unicodeScalars.count <= 20 && parts[1].unicodeScalars.count <= 19 else {
            throw reader.invalid(value, "devicetype")
        }
        return name
    }
}
