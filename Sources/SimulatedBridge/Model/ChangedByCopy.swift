/// A model whose `Change` table names only what changes.
protocol ChangedByCopy {}

extension ChangedByCopy {
    /// A copy with one property set; everything else is carried over.
    func with<Value>(_ property: WritableKeyPath<Self, Value>, _ value: Value) -> Self {
        var copy = self
        copy[keyPath: property] = value
        return copy
    }
}
