import HueWire

/// What waits for one lamp, in the order asked. A newer wish merges into the last that waits, never across an errand.
struct Lane: Sendable {
    enum Entry: Sendable {
        case wishes(Wishes)
        case errand(UInt64)
    }

    let light: ResourceID
    private(set) var entries: [Entry] = []
    /// When what touches the lamp now was sent; until its answer comes nothing else does.
    var sent: Duration?

    init(_ light: ResourceID) { self.light = light }

    /// The wishes that are next.
    var head: Wishes? { if case let .wishes(wishes)? = entries.first { wishes } else { nil } }

    var headErrand: UInt64? { if case let .errand(id)? = entries.first { id } else { nil } }

    /// The first wishes there are, and the errands before them.
    var firstWishes: (wishes: Wishes, behind: [UInt64])? {
        var behind: [UInt64] = []
        for entry in entries {
            switch entry {
            case let .wishes(wishes): return (wishes, behind)
            case let .errand(id): behind.append(id)
            }
        }
        return nil
    }

    /// What waits to be set; an errand, which may be a scene, sets everything.
    var awaited: Wishes.Attributes {
        entries.reduce(into: []) { awaited, entry in
            switch entry {
            case let .wishes(wishes): awaited.formUnion(wishes.attributes)
            case .errand: awaited = .all
            }
        }
    }

    var hasWishes: Bool { firstWishes != nil }

    var hasErrands: Bool { entries.contains { if case .errand = $0 { true } else { false } } }

    /// - Returns: the tokens of what was overtaken; `nil` where nothing waited that it could be merged with.
    mutating func append(_ newer: Wishes) -> [UInt64]? {
        guard case var .wishes(last)? = entries.last else {
            entries.append(.wishes(newer))
            return nil
        }
        let overtaken = last.merge(newer: newer)
        entries[entries.count - 1] = .wishes(last)
        return overtaken
    }

    mutating func append(errand id: UInt64) { entries.append(.errand(id)) }

    /// Takes attributes out of the wishes that are next.
    mutating func take(_ attributes: Wishes.Attributes) -> Wishes? {
        guard case var .wishes(wishes)? = entries.first else { return nil }
        let taken = wishes.take(attributes)
        if wishes.attributes.isEmpty { entries.removeFirst() } else { entries[0] = .wishes(wishes) }
        return taken
    }

    /// Puts back what was not delivered, before everything that was asked later.
    ///
    /// - Returns: the tokens of what was overtaken meanwhile.
    mutating func giveBack(_ older: Wishes) -> [UInt64] {
        guard let newer = head else {
            entries.insert(.wishes(older), at: 0)
            return []
        }
        var older = older
        let overtaken = older.merge(newer: newer)
        entries[0] = .wishes(older)
        return overtaken
    }

    mutating func giveBack(errand id: UInt64) { entries.insert(.errand(id), at: 0) }

    mutating func remove(errand id: UInt64) {
        entries.removeAll { if case .errand(id) = $0 { true } else { false } }
    }

    /// Drops wishes asked before a moment; all, where none is named.
    ///
    /// - Returns: their tokens, one for each attribute.
    mutating func drop(before moment: Duration?) -> [UInt64] {
        var tokens: [UInt64] = []
        entries = entries.compactMap { entry in
            guard case var .wishes(wishes) = entry else { return entry }
            guard let moment else {
                tokens += wishes.tokens
                return nil
            }
            tokens += wishes.drop(before: moment)
            return wishes.attributes.isEmpty ? nil : .wishes(wishes)
        }
        return tokens
    }
}
