/// A model whose `alter(by:)` is a table: one row for each change.
protocol ChangeTable {}

extension ChangeTable {
    /// A copy in which only what `change` sets is different. Everything else is carried over, so that a row names only
    /// what it changes.
    func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}
