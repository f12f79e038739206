/// A text in English with values in it, which another language may put in another order.
public struct Phrase: ExpressibleByStringInterpolation, Sendable {
    /// "{1} of {2} on"
    public let template: String
    private let values: [String]

    public init(stringLiteral value: String) { (template, values) = (value, []) }

    public init(stringInterpolation: Interpolation) {
        (template, values) = (stringInterpolation.template, stringInterpolation.values)
    }

    public struct Interpolation: StringInterpolationProtocol {
        fileprivate var template: String
        fileprivate var values: [String] = []

        public init(literalCapacity: Int, interpolationCount: Int) {
            template = ""
            template.reserveCapacity(literalCapacity + 3 * interpolationCount)
        }

        public mutating func appendLiteral(_ literal: String) { template += literal }

        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            values.append(value.description)
            template += "{\(values.count)}"
        }
    }

    /// A template with the values in the places of their numbers. A number that no value has stays as it is.
    func text(_ template: String) -> String {
        guard !values.isEmpty else { return template }
        var text = ""
        var rest = template[...]
        while let open = rest.firstIndex(of: "{") {
            text += rest[..<open]
            rest = rest[open...]
            guard let close = rest.firstIndex(of: "}"), let number = Int(rest[rest.index(after: open)..<close]),
                values.indices.contains(number - 1)
            else {
                text.append(rest.removeFirst())
                continue
            }
            text += values[number - 1]
            rest = rest[rest.index(after: close)...]
        }
        return text + rest
    }
}
