/// What a form asks for that makes an automation, or does at once what needs none.
public enum AutomationFormName: String, Codable, Sendable, CaseIterable {
    case wakeUp = "wake_up"
    case off, evening, motion, night
    /// A switch bound to lights.
    case `switch`
    case away
}

/// Something that a form can make.
public struct AutomationFormKind: Codable, Equatable, Sendable {
    public var kind: AutomationFormName
    /// "Motion light"
    public var title: String
    public var text: String
    /// What the home lacks for it; `nil` if nothing.
    public var lacks: String?

    public init(kind: AutomationFormName, title: String, text: String, lacks: String? = nil) {
        (self.kind, self.title, self.text, self.lacks) = (kind, title, text, lacks)
    }
}

/// Which form is wanted, and what is filled in.
public struct AutomationFormRequest: Codable, Equatable, Sendable {
    /// May be left out for an automation that exists.
    public var kind: AutomationFormName?
    /// The one that is edited; `nil` for a new one.
    public var automation: String?
    /// As the form has given them, and changed. Those that are left out are as usual.
    public var values: [String: String]?

    public init(kind: AutomationFormName? = nil, automation: String? = nil, values: [String: String]? = nil) {
        (self.kind, self.automation, self.values) = (kind, automation, values)
    }
}

/// A form, filled in, and what it makes.
public struct AutomationFormBody: Codable, Equatable, Sendable {
    /// `nil` if no form says this automation exactly: then there are no questions.
    public var kind: AutomationFormName?
    public var title: String
    /// What starts an automation that no form says, and what it does; an hour in it is in braces: "{06:45}".
    public var text: String?
    /// By the questions' keys, and what the form keeps without asking.
    public var values: [String: String]
    public var questions: [Question]
    /// The automation as a file; `nil` if it is none.
    public var file: String?
    /// The version of the edited automation that was read, if no values were given.
    public var version: String?
    /// The fields of a `bind`, which the form stands for in place of an automation.
    public var bind: Bind?
    /// The fields of an `away`.
    public var away: Away?
    /// When the clock starts it next, at most three times; empty if something in the home does.
    public var next: [String]
    /// Yesterday in the home's time, for a simulation of what something in the home starts; `nil` for what the clock starts,
    /// and without a journal.
    public var yesterday: Span?
    /// What may be a mistake, as when the file is applied.
    public var warnings: [String]

    public struct Bind: Codable, Equatable, Sendable {
        public var `switch`: String
        public var target: String
        public var scenes: [String]?

        public init(switch: String, target: String, scenes: [String]? = nil) {
            (self.switch, self.target, self.scenes) = (`switch`, target, scenes)
        }
    }

    public struct Away: Codable, Equatable, Sendable {
        public var until: String?
        public var plugs: Bool
        public var ignoreMotion: Bool
        public var plain: Bool

        enum CodingKeys: String, CodingKey {
            case until, plugs, plain
            case ignoreMotion = "ignore_motion"
        }

        public init(until: String? = nil, plugs: Bool = false, ignoreMotion: Bool = false, plain: Bool = false) {
            (self.until, self.plugs, self.ignoreMotion, self.plain) = (until, plugs, ignoreMotion, plain)
        }
    }

    public struct Span: Codable, Equatable, Sendable {
        public var since: String
        public var until: String

        public init(since: String, until: String) { (self.since, self.until) = (since, until) }
    }

    public struct Question: Codable, Equatable, Sendable {
        public enum Kind: String, Codable, Sendable, CaseIterable {
            /// One of the options, or a value of one's own.
            case choice
            /// Any of the options: their values, with line breaks between them.
            case several
            /// "06:30"
            case time
            /// "true" or "false"
            case flag
            case text
        }

        public var key: String
        public var kind: Kind
        public var title: String
        public var hint: String?
        public var options: [Option]
        /// Options that are not shown at first.
        public var more: [Option]
        /// The value of one's own.
        public var own: Own?
        /// Keys whose values are as usual again when this one changes.
        public var resets: [String]

        public init(
            _ key: String, _ kind: Kind, _ title: String, hint: String? = nil, options: [Option] = [],
            more: [Option] = [], own: Own? = nil, resets: [String] = []
        ) {
            (self.key, self.kind, self.title, self.hint) = (key, kind, title, hint)
            (self.options, self.more, self.own, self.resets) = (options, more, own, resets)
        }
    }

    public struct Option: Codable, Equatable, Sendable {
        public var value: String
        public var title: String

        public init(_ value: String, _ title: String) { (self.value, self.title) = (value, title) }
    }

    public struct Own: Codable, Equatable, Sendable {
        public enum Kind: String, Codable, Sendable, CaseIterable {
            case number, time
            /// "2026-12-24T17:30", in the home's time.
            case moment
        }

        public var kind: Kind
        /// "Minutes"
        public var title: String
        public var least: Int?
        public var most: Int?

        public init(_ kind: Kind, _ title: String, _ range: ClosedRange<Int>? = nil) {
            (self.kind, self.title, least, most) = (kind, title, range?.lowerBound, range?.upperBound)
        }
    }

    public init(
        kind: AutomationFormName? = nil, title: String, text: String? = nil, values: [String: String] = [:],
        questions: [Question] = [], file: String? = nil, version: String? = nil, bind: Bind? = nil,
        away: Away? = nil, next: [String] = [], yesterday: Span? = nil, warnings: [String] = []
    ) {
        (self.kind, self.title, self.text, self.values, self.questions) = (kind, title, text, values, questions)
        (self.file, self.version, self.bind, self.away) = (file, version, bind, away)
        (self.next, self.yesterday, self.warnings) = (next, yesterday, warnings)
    }
}
