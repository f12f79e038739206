// An automation keeps ids behind its names. What stands in it is what its things are called today, so that whatever reads
// it (a run, a list, an export) needs to know nothing of that.

extension Automation {
    /// A name that stands in it, and what it means.
    public struct Name: Hashable, Codable, Sendable {
        public internal(set) var use: NameUse
        /// `nil` if that is not known: nothing has had the name so far, several things have, or not all bridges were read
        /// since it was written. It is then looked up by its name.
        var thing: NamedThing?
        /// What stood there before it was renamed, the newest last: an old file still says so.
        var former: [String] = []
        /// The name, while the id stands there in its place because the thing is gone and something else has its name.
        var replaced: String?

        init(_ use: NameUse) { self.use = use }

        /// What a person knows it by.
        var text: String { replaced ?? use.text }

        static let mostFormer = 8
    }

    /// Its names as things are called today; those that are not known yet are learned, once the whole home was read.
    ///
    /// - Parameter meanings: what names mean to automations that are known already.
    func withNames(
        of home: HomeNames, _ commands: CommandResolver, meanings: NameMeanings = NameMeanings()
    ) -> Self {
        var replacements: [NameUse: String] = [:]
        let isNew = names == nil
        let before = names ?? nameUses(commands).map(Name.init)
        let after = before.map { name in
            var name = name
            if isNew { name.thing = meanings.thing(of: name.use, in: home) }
            name.update(to: home)
            return name
        }
        for (old, new) in zip(before, after) where old.use != new.use { replacements[old.use] = new.use.text }
        guard isNew || before != after else { return self }
        let renamed =
            replacements.isEmpty ? self : replacingNames(commands) { replacements[$0] ?? $0.text }
        return renamed.with(names: after)
    }

    /// Whether both say the same, whatever their names mean.
    public func isWritten(like other: Self) -> Bool { with(names: nil) == other.with(names: nil) }

    /// The names that stand in it in the place of others, which it had as it was written.
    public func namesReplaced(
        in written: Self, _ commands: CommandResolver
    ) -> [(old: String, new: String)] {
        guard !isWritten(like: written) else { return [] }
        var seen: Set<NameUse> = []
        return zip(written.allNameUses(commands), allNameUses(commands)).compactMap { old, new in
            guard old.folded != new.folded, seen.insert(old.folded).inserted else { return nil }
            return (old.text, new.text)
        }
    }
}

extension AppState {
    /// Automations that a person has written, as they are kept: with what their names mean.
    public func settled(_ written: [Automation], _ commands: CommandResolver) -> [Automation] {
        automations.settled(written, in: HomeNames(self), commands)
    }
}

extension Automation.Name {
    fileprivate mutating func update(to home: HomeNames) {
        let found = home.things(of: use)
        guard let thing else {
            if home.isWhole, found.count == 1 { self.thing = found[0] }
            return
        }
        if home.has(thing) {
            // Sensors of one name are meant together.
            let isMeant = use.role == .sensor ? found.contains(thing) : found == [thing]
            let written = former.first ?? self.text
            let isMakeshift = replaced != nil || self.text.contains("/") && !written.contains("/")
            guard !isMeant || isMakeshift, home.isRead(thing) else { return }
            let text = home.text(naming: thing, like: NameUse(use.role, written))
            if text.folded != self.text.folded {
                former = former.filter { $0.folded != self.text.folded || $0 == written } + [self.text]
                // How it was written first says how it is to be written.
                if former.count > Self.mostFormer { former.remove(at: 1) }
            }
            (use, replaced) = (NameUse(use.role, text), nil)
            return
        }
        // What one read of a bridge lacks may be there in the next: it is not forgotten. Meanwhile nothing else is meant.
        let namesakes = home.things(of: NameUse(use.role, text))
        if namesakes.isEmpty {
            (use, replaced) = (NameUse(use.role, text), nil)
        } else if home.isWhole, namesakes.count == 1, namesakes[0].kind == thing.kind {
            // A lamp was exchanged for another, or a scene was made anew.
            (self.thing, use, replaced) = (namesakes[0], NameUse(use.role, text), nil)
        } else if replaced == nil {
            (replaced, use) = (text, NameUse(use.role, text.roomSign + thing.text))
        }
    }
}

/// What names mean to the automations of a home, and meant before something was renamed.
struct NameMeanings {
    private var current: [NameUse: Set<NamedThing>] = [:]
    private var former: [NameUse: Set<NamedThing>] = [:]

    init(_ automations: some Sequence<Automation> = []) {
        for name in automations.lazy.flatMap({ $0.names ?? [] }) {
            guard let thing = name.thing else { continue }
            current[NameUse(name.use.role, name.text).folded, default: []].insert(thing)
            for text in name.former { former[NameUse(name.use.role, text).folded, default: []].insert(thing) }
        }
    }

    /// What a name means that a person has written now: what it names today, or else what it meant before.
    func thing(of use: NameUse, in home: HomeNames) -> NamedThing? {
        let found = home.things(of: use)
        if home.isWhole, found.count == 1 { return found[0] }
        if let same = current[use.folded]?.only { return same }
        return found.isEmpty ? former[use.folded]?.only : nil
    }
}

extension Set {
    fileprivate var only: Element? { count == 1 ? first : nil }
}
