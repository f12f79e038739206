/// Something that happens next, or runs: worded here, timed by the browser.
///
/// `{due}` in a text stands for `at`, worded as a time to come: "16:04", "Fri 06:30"; `{06:45}` for an hour by the home's
/// clock.
public struct PageUpcoming: Encodable, Equatable, Sendable {
    public enum Kind: String, Encodable, Sendable, CaseIterable {
        /// An automation that waits.
        case run
        /// Somebody wants something done later, or for a while.
        case timer
        /// A sunrise or a sunset by lamps.
        case course
        case away
        /// What the clock starts next.
        case next
    }

    public var id: String
    public var kind: Kind
    public var title: String
    /// Why; may be empty.
    public var text: String
    /// Since when the time runs whose end is `at`; null if it is a time of day.
    @OrNull public var since: String?
    /// When it happens, or is over; null if nobody knows.
    @OrNull public var at: String?
    public var skipped: Bool
    /// The automation that it is of.
    @OrNull public var automation: String?
    /// Null for those who may not.
    @OrNull public var action: PageAction?
}

/// A command that a page offers, and how it is called.
public struct PageAction: Encodable, Equatable, Sendable {
    public var title: String
    public var command: String
    public var fields: [String: Field]
    /// What is said when it is done. `{due}` in it is `at`.
    public var said: String
    @OrNull public var at: String?

    public enum Field: Encodable, Equatable, Sendable {
        case text(String)
        case flag(Bool)

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case let .text(text): try container.encode(text)
            case let .flag(flag): try container.encode(flag)
            }
        }
    }
}

/// An automation in the page's list.
public struct PageAutomation: Encodable, Equatable, Sendable {
    public var name: String
    /// What starts it, and what it does, in a sentence; with hours as in ``PageUpcoming``.
    public var text: String
    public var enabled: Bool
    public var running: Bool
    public var skipped: Bool
    /// When the clock starts it next; null if only something in the home does.
    @OrNull public var next: String?
    /// What it does now or next, and what became of it last.
    public var lines: [Line]

    public struct Line: Encodable, Equatable, Sendable {
        public var text: String
        @OrNull public var at: String?
        /// Whether something went wrong.
        public var failed: Bool
    }
}
