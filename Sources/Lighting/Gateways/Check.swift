/// What came of looking at one thing that lightd depends on: a bridge's certificate, the state directory. For people who
/// ask why something does not work.
public struct Check: Equatable, Sendable {
    /// "certificate": the same for every bridge.
    public let name: String
    /// What was looked at, if there can be several: a bridge's name.
    public let subject: String?
    public let result: Result
    /// What was found. It names no program of ours.
    public let text: String
    /// What to do about it.
    public let remedy: Remedy?

    public enum Result: Equatable, Sendable {
        case ok
        /// Lights can be controlled; something is worse than it should be.
        case warning
        case failure(Problem)
    }

    /// What kind of thing is wrong.
    public enum Problem: Equatable, Sendable {
        case unreachable, notAllowed, badConfiguration
    }

    public init(_ name: String, of subject: String? = nil, _ result: Result, _ text: String, remedy: Remedy? = nil) {
        self.name = name
        self.subject = subject
        self.result = result
        self.text = text
        self.remedy = remedy
    }
}
