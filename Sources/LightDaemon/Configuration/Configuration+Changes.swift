extension Configuration {
    /// A key whose value differs between two configurations.
    struct Change: Equatable, Sendable, CustomStringConvertible {
        let key: String
        let old: String
        let new: String
        /// Whether it takes effect only when lightd starts.
        var needsRestart: Bool { Configuration.startKeys.contains(key) }

        var description: String { "\(key) \(Self.words(old)) → \(Self.words(new))" }

        private static func words(_ value: String) -> String { value.isEmpty ? "(none)" : value }
    }

    /// The keys that take effect only when lightd starts: what is open then stays open.
    static let startKeys: Set = ["socket", "socket_group", "state_dir", "journal.enabled"]

    /// What differs in another configuration, by key.
    func changes(to new: Self) -> [Change] {
        let (old, new) = (settings, new.settings)
        return old.keys.sorted().compactMap { key in
            guard let before = old[key], let after = new[key], before != after else { return nil }
            return Change(key: key, old: before, new: after)
        }
    }

    /// Another configuration, as far as it can take effect while lightd runs with this one.
    func reloaded(as new: Self) -> Self {
        var result = new
        (result.socket, result.socketGroup, result.stateDirectory) = (socket, socketGroup, stateDirectory)
        result.journal.enabled = journal.enabled
        for key in Self.startKeys { result.origins[key] = origins[key] }
        return result
    }
}
