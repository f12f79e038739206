import HueWire

/// The body of a write: an object, its members in the order of the text.
struct V1Body: Equatable, Sendable {
    let members: [(name: String, value: JSONValue)]
    private let values: [String: JSONValue]

    /// - Parameter address: the address in the error.
    init(_ text: [UInt8], at address: String) throws(V1Failure) {
        guard let value = JSONValue(wire: text) else { throw V1Failure(.brokenJSON(address)) }
        guard let values = value.object else { throw V1Failure(.missing(address)) }
        self.init(values, order: JSONMemberNames.inOrder(of: text))
    }

    /// - Parameter order: the names in order; members it does not list come last, alphabetically.
    init(_ values: [String: JSONValue], order: [String] = []) {
        self.values = values
        var left = values
        var members: [(String, JSONValue)] = []
        for name in order + values.keys.sorted() {
            if let value = left.removeValue(forKey: name) { members.append((name, value)) }
        }
        self.members = members
    }

    subscript(_ name: String) -> JSONValue? { values[name] }

    static func == (one: Self, other: Self) -> Bool {
        one.values == other.values && one.members.map(\.name) == other.members.map(\.name)
    }
}
