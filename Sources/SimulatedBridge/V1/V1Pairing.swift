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
        let reading = V1BodyReader("")
        var wantsClientKey = false
        var key: String?
        guard let value = body["devicetype"] else { throw V1Failure(.missing("")) }
        let name = try Self.name(value, reading)
        for (member, value) in body.members {
            switch member {
            case "devicetype": break
            case "generateclientkey": wantsClientKey = try reading.bool(value, member)
            case "username" where model == .deconz: key = try reading.text(value, member, 10...40)
            default: throw reading.unknown(member)
            }
        }
        self.name = name
        self.wantsClientKey = wantsClientKey
        self.key = key
    }

    /// An application of at most 20 characters and an instance of at most 19 (michielpost/Q42.HueApi); where there is no "#", at
    /// most 40.
    private static func name(_ value: JSONValue, _ reading: V1BodyReader) throws(V1Failure) -> String {
        let name = try reading.text(value, "devicetype", 1...40)
        let parts = name.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count < 2 || parts[0].unicodeScalars.count <= 20 && parts[1].unicodeScalars.count <= 19 else {
            throw reading.invalid(value, "devicetype")
        }
        return name
    }
}
