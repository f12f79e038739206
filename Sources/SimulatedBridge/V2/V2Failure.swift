import HueWire

/// An error response of API v2; nothing is changed.
struct V2Failure: Error, Equatable {
    let status: Int
    let description: String

    /// The body breaks the schema and is refused as a whole (home-assistant/core#61584).
    init(_ words: String) { self.init(400, "Invalid Request: \(words)") }

    private init(_ status: Int, _ description: String) {
        self.status = status
        self.description = description
    }

    static func unknown(_ property: String) -> Self {
        Self("Property [\(property)] cannot be specified for this request type")
    }

    static func missing(_ path: String) -> Self { Self("\(path) is missing or of the wrong type") }

    static let notFound = Self(404, "Not Found")
    static let notAllowed = Self(405, "Method not allowed")
    static let broken = Self(500, "Internal error")
    static let noTriggers = Self(400, "The instance doesn't support triggers.")
    static func conflict(_ words: String) -> Self { Self(409, words) }
    static func full(_ what: String) -> Self { Self(507, "No space for another \(what)") }

    var response: BridgeResponse {
        .envelope(status, errors: [HueError(description, code: status >= 500 ? "internal_error" : "client_error")])
    }
}

/// Errors about single attributes, while the rest of the request succeeds (status 207).
extension HueError {
    static func unsupported(_ attribute: String, by id: ResourceID) -> Self {
        Self("attribute (\(attribute)) is not supported by resource \(id)", code: "client_error")
    }

    /// The lamp may not have received the command.
    static func communication(with type: String, _ id: String, _ attribute: String) -> Self {
        Self(
            "device (\(type)) \(id) has communication issues, command (\(attribute)) may not have effect",
            code: "communication_error")
    }
}
