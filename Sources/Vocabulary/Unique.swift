extension Sequence {
    /// The first of those with the same key, in their order.
    public func unique<Key: Hashable>(by key: (Element) -> Key) -> [Element] {
        var seen: Set<Key> = []
        return filter { seen.insert(key($0)).inserted }
    }
}

extension Sequence where Element: Hashable {
    /// Each once, in their order.
    public var unique: [Element] { unique { $0 } }
}
