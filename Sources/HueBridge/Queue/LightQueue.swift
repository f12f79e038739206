import HueWire

/// What waits for one light, in the order asked. Newer values merge into the last ones that wait, but never across a
/// job.
struct LightQueue: Sendable {
    enum Entry: Sendable {
        case pending(PendingState)
        case job(UInt64)
    }

    let light: ResourceID
    private(set) var entries: [Entry] = []
    /// When the request that is in flight for this light was sent; until it is answered nothing else is sent to the
    /// light.
    var sent: Duration?

    init(_ light: ResourceID) { self.light = light }

    /// The values at the head.
    var head: PendingState? { if case let .pending(pending)? = entries.first { pending } else { nil } }

    var headJob: UInt64? { if case let .job(id)? = entries.first { id } else { nil } }

    /// The first values, and the jobs before them.
    var firstPending: (pending: PendingState, behind: [UInt64])? {
        var behind: [UInt64] = []
        for entry in entries {
            switch entry {
            case let .pending(pending): return (pending, behind)
            case let .job(id): behind.append(id)
            }
        }
        return nil
    }

    /// The attributes that wait to be sent. A job may be a scene, which sets all of them.
    var awaited: PendingState.Attributes {
        entries.reduce(into: []) { awaited, entry in
            switch entry {
            case let .pending(pending): awaited.formUnion(pending.attributes)
            case .job: awaited = .all
            }
        }
    }

    /// Who asked for what waits: one token for each attribute and each job.
    var tokens: [UInt64] {
        entries.flatMap { entry in
            switch entry {
            case let .pending(pending): pending.tokens
            case let .job(id): [id]
            }
        }
    }

    var hasJobs: Bool { entries.contains { if case .job = $0 { true } else { false } } }

    /// - Returns: the tokens of what was overtaken; `nil` if it could not be merged.
    mutating func append(_ newer: PendingState) -> [UInt64]? {
        guard case var .pending(last)? = entries.last else {
            entries.append(.pending(newer))
            return nil
        }
        let overtaken = last.merge(newer: newer)
        entries[entries.count - 1] = .pending(last)
        return overtaken
    }

    mutating func append(job id: UInt64) { entries.append(.job(id)) }

    /// Takes attributes out of the values at the head.
    mutating func take(_ attributes: PendingState.Attributes) -> PendingState? {
        guard case var .pending(pending)? = entries.first else { return nil }
        let taken = pending.take(attributes)
        if pending.attributes.isEmpty { entries.removeFirst() } else { entries[0] = .pending(pending) }
        return taken
    }

    /// Puts back what was not delivered, before everything asked later.
    ///
    /// - Returns: the tokens of what was overtaken meanwhile.
    mutating func giveBack(_ older: PendingState) -> [UInt64] {
        guard let newer = head else {
            entries.insert(.pending(older), at: 0)
            return []
        }
        var older = older
        let overtaken = older.merge(newer: newer)
        entries[0] = .pending(older)
        return overtaken
    }

    mutating func giveBack(job id: UInt64) { entries.insert(.job(id), at: 0) }

    mutating func remove(job id: UInt64) {
        entries.removeAll { if case .job(id) = $0 { true } else { false } }
    }

    /// Drops values by what asked for them.
    ///
    /// - Returns: their tokens, one for each attribute.
    mutating func drop(where isMeant: (PendingOrigin) -> Bool) -> [UInt64] {
        var tokens: [UInt64] = []
        entries = entries.compactMap { entry in
            guard case var .pending(pending) = entry else { return entry }
            tokens += pending.drop(where: isMeant)
            return pending.attributes.isEmpty ? nil : .pending(pending)
        }
        return tokens
    }
}
