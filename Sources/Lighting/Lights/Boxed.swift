/// A value that few lights have, as one word: states of the home are kept by the hundred, each with copies of its lights,
/// and most of what a ``Light`` would hold otherwise is the room for effects that do not run.
///
/// Codable as the optional is: left out where there is none.
@propertyWrapper
public struct Boxed<Value> {
    fileprivate indirect enum Box {
        case it(Value)
    }

    private var box: Box?

    public init(wrappedValue: Value?) { box = wrappedValue.map { .it($0) } }

    public var wrappedValue: Value? {
        get { if case let .it(value)? = box { value } else { nil } }
        set { self = Self(wrappedValue: newValue) }
    }
}

extension Boxed.Box: Sendable where Value: Sendable {}
extension Boxed: Sendable where Value: Sendable {}

extension Boxed: Equatable where Value: Equatable {
    public static func == (one: Self, other: Self) -> Bool { one.wrappedValue == other.wrappedValue }
}

extension Boxed: Hashable where Value: Hashable {
    public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

extension Boxed: Encodable where Value: Encodable {
    public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension Boxed: Decodable where Value: Decodable {
    public init(from decoder: any Decoder) throws { self.init(wrappedValue: try Value?(from: decoder)) }
}

// A synthesized conformance calls these, because they are more specific.

extension KeyedEncodingContainer {
    mutating func encode<Value: Encodable>(_ boxed: Boxed<Value>, forKey key: Key) throws {
        try encodeIfPresent(boxed.wrappedValue, forKey: key)
    }
}

extension KeyedDecodingContainer {
    func decode<Value: Decodable>(_: Boxed<Value>.Type, forKey key: Key) throws -> Boxed<Value> {
        Boxed(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }
}
