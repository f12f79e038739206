import Khipu
import Lighting

/// Bounds what the access log takes, whatever anybody does, so that all of ``AccessLog/keptFor`` fits: within an hour the
/// first events stand for themselves, later ones and refusals are counted by who and what. A value without a clock.
///
/// An hour has at most ``mostRows`` rows, of at most ``longestRow`` bytes: 100 and 36 kB, which is 78 MB in 90 days.
struct AccessTally {
    static let interval = Duration.seconds(3600)
    /// The events of an hour, refusals aside, that stand for themselves.
    static let most = 24
    /// The senders of an hour that are counted by name; the others are counted together.
    static let mostSenders = 8
    /// In UTF-8 bytes; what is longer is cut.
    static let longestSender = 160
    static let longestText = 80
    static let longestRow = longestSender + 2 * longestText + 40
    /// Each that is counted has a row for its first event and one for all others.
    static let mostRows = most + 2 * (mostSenders + 2 * AccessEvent.Kind.allCases.count)

    static let others = "others"

    private struct Key: Hashable {
        let kind: AccessEvent.Kind
        let hasFailed: Bool
        /// `nil` for those who are not counted by name.
        let sender: String?
    }

    /// When the hour began; `nil` if nothing has happened yet.
    private var start: Timestamp?
    private var count = 0
    /// The events of each that came after its first one; `count` may be 0.
    private var further: [Key: AccessEvent] = [:]

    /// - Parameter sender: by which it is counted: what the client cannot choose.
    /// - Returns: what to write now.
    mutating func add(_ event: AccessEvent, from sender: String) -> [AccessEvent] {
        let event = event.bounded
        let due = end(at: event.time)
        if start == nil { start = event.time }
        if event.kind != .refused, count < Self.most {
            count += 1
            return due + [event]
        }
        var key = Key(kind: event.kind, hasFailed: event.hasFailed, sender: sender)
        if further[key] == nil, further.keys.count(where: { $0.sender != nil }) >= Self.mostSenders {
            key = Key(kind: event.kind, hasFailed: event.hasFailed, sender: nil)
        }
        if let others = further[key] {
            further[key] = others.with(count: others.count + 1, at: event.time)
            return due
        }
        let first = key.sender == nil ? event.by(Self.others) : event
        further[key] = first.ofSeveral
        return due + [first]
    }

    /// Whether no hour has begun.
    var isEmpty: Bool { start == nil }

    /// What was counted and not written yet.
    var open: [AccessEvent] { further.values.filter { $0.count > 0 }.sorted { $0.time < $1.time } }

    /// Ends the hour if it is over. A clock that was set back ends it, too.
    ///
    /// - Returns: what was counted in it.
    mutating func end(at now: Timestamp) -> [AccessEvent] {
        guard let start, now < start || start.advanced(by: Self.interval) <= now else { return [] }
        return finish()
    }

    /// Ends the hour.
    mutating func finish() -> [AccessEvent] {
        defer { self = Self() }
        return open
    }
}

extension AccessEvent {
    fileprivate var bounded: Self {
        Self(
            kind, at: time, by: sender.cut(to: AccessTally.longestSender),
            about: subject?.cut(to: AccessTally.longestText), because: reason?.cut(to: AccessTally.longestText),
            hasFailed: hasFailed, count: count)
    }

    fileprivate func by(_ sender: String) -> Self {
        Self(kind, at: time, by: sender, about: subject, because: reason, hasFailed: hasFailed, count: count)
    }

    fileprivate func with(count: Int, at time: Timestamp) -> Self {
        Self(kind, at: time, by: sender, about: subject, because: reason, hasFailed: hasFailed, count: count)
    }

    /// What stands for those that follow: they may be about something else.
    fileprivate var ofSeveral: Self { Self(kind, at: time, by: sender, hasFailed: hasFailed, count: 0) }
}

extension String {
    /// At most so many UTF-8 bytes, ending with "…" if something is missing.
    fileprivate func cut(to bytes: Int) -> String {
        guard utf8.count > bytes else { return self }
        let mark = "…"
        var (kept, size) = (String.UnicodeScalarView(), mark.utf8.count)
        for scalar in unicodeScalars {
            size += UTF8.width(scalar)
            guard size <= bytes else { break }
            kept.append(scalar)
        }
        return String(kept) + mark
    }
}
