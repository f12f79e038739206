import HTTPTypes

/// Something that a client accepts: a type, an encoding.
struct Preference: Equatable, Sendable {
    /// In lower case.
    let name: String
    /// All but the weight: "version=1.0.0".
    let parameters: [Substring]
    /// From 0, which is "not at all", to 1.
    let weight: Double
}

extension HTTPRequest {
    /// What a field like `Accept` names, in its order (RFC 9110, 12.4.2).
    func preferences(in field: HTTPField.Name) -> [Preference] {
        headerFields[values: field].flatMap { $0.elements() }.compactMap { item in
            let parts = item.elements(separatedBy: ";")
            guard let name = parts.first else { return nil }
            let weight = parts.dropFirst().lazy.compactMap { $0.after("q=") }.first.map { Double($0) ?? 0 }
            return Preference(
                name: name.lowercased(), parameters: parts.dropFirst().filter { $0.after("q=") == nil },
                weight: weight ?? 1)
        }
    }
}
