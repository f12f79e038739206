import HueWire

/// The result of a request of API v1, before it is written in the dialect of the bridge's model.
struct V1Outcome: Sendable {
    enum Item: Equatable, Sendable {
        case success(JSONValue)
        case failure(V1Error)

        static func success(_ address: String, _ value: JSONValue) -> Self { .success([address: value]) }
        static func success(id: String) -> Self { .success(["id": .string(id)]) }
        static func deleted(_ address: String) -> Self { .success(.string("\(address) deleted.")) }

        var document: JSONValue {
            switch self {
            case let .success(value): ["success": value]
            case let .failure(error):
                [
                    "error": [
                        "type": .int(error.type), "address": .string(error.address),
                        "description": .string(error.description),
                    ]
                ]
            }
        }
    }

    enum Content: Sendable {
        case document(JSONValue)
        /// One for each attribute, in the order of the request.
        case items([Item])
    }

    var content: Content
    var changes: [SimulatedHome.Change] = []
    var radio: [RadioMessage] = []
    var revoked: [String] = []
    var searches = false
    var timedTasks: [TimedTask] = []

    static func document(_ value: JSONValue) -> Self { Self(content: .document(value)) }
    static func refused(_ error: V1Error) -> Self { Self(content: .items([.failure(error)])) }
    static func done(_ items: [Item], _ changes: [SimulatedHome.Change] = [], _ radio: [RadioMessage] = []) -> Self {
        Self(content: .items(items), changes: changes, radio: radio)
    }
}
