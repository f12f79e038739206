import HueWire

/// Ends a request with one error; nothing is changed.
struct V1Failure: Error, Equatable {
    let error: V1Error

    init(_ error: V1Error) { self.error = error }
}

/// The errors of API v1 with their numbers and texts.
extension V1Error {
    static func unknownKey(_ address: String) -> Self { Self(unauthorized, address: address, "unauthorized user") }
    static func brokenJSON(_ address: String) -> Self { Self(2, address: address, "body contains invalid json") }
    static func absent(_ address: String) -> Self {
        Self(3, address: address, "resource, \(address), not available")
    }
    static func method(_ method: String, _ address: String) -> Self {
        Self(4, address: address, "method, \(method), not available for resource, \(address)")
    }
    static func missing(_ address: String) -> Self {
        Self(5, address: address, "invalid/missing parameters in body")
    }
    static func unknown(_ name: String, _ address: String) -> Self {
        Self(6, address: "\(address)/\(name)", "parameter, \(name), not available")
    }
    static func invalid(_ value: JSONValue, _ name: String, _ address: String) -> Self {
        Self(7, address: "\(address)/\(name)", "invalid value, \(value.words), for parameter, \(name)")
    }
    static func fixed(_ name: String, _ address: String) -> Self {
        Self(8, address: "\(address)/\(name)", "parameter, \(name), is not modifiable")
    }
    static func off(_ name: String, _ address: String) -> Self {
        Self(201, address: "\(address)/\(name)", "parameter, \(name), is not modifiable. Device is set to off.")
    }
    static let groupsFull = Self(301, address: "/groups", "group could not be created. Group table is full.")
    static func fixedGroup(_ address: String) -> Self {
        Self(305, address: address, "It is not allowed to update or delete group of this type")
    }
    static func taken(_ number: String, _ address: String) -> Self {
        Self(306, address: "\(address)/lights", "light, \(number), is already used in another room")
    }
    static let scenesFull = Self(402, address: "/scenes", "scenes could not be created. Scene buffer in bridge full.")
    /// The buffer of commands is full.
    static func busy(_ address: String) -> Self { Self(901, address: address, "Internal error, 503") }
}

extension JSONValue {
    /// The value as an error shows it: texts without quotation marks.
    var words: String { string ?? String(decoding: wire, as: UTF8.self) }
}
