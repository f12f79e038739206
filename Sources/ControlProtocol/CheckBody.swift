/// What lightd found when it looked at everything that it depends on.
public struct DiagnosisBody: Codable, Equatable, Sendable {
    public var version: String
    public var checks: [CheckBody]
    /// Every key of lightd.yaml, such as "journal.flush", with the value in use. No value is secret.
    public var configuration: [String: String]

    public init(version: String, checks: [CheckBody], configuration: [String: String]) {
        self.version = version
        self.checks = checks
        self.configuration = configuration
    }
}

/// One check of `lightctl doctor`.
public struct CheckBody: Codable, Equatable, Sendable {
    /// "certificate": what was looked at. More may come.
    public var name: String
    /// Which one, if there can be several: a bridge's name.
    public var subject: String?
    public var result: Result
    /// What was found.
    public var text: String
    /// What to do about it; only if something is wrong.
    public var remedy: String?
    /// The exit code of `lightctl doctor` for this failure; absent unless ``result`` is `failure`.
    public var exitCode: Int32?

    /// A warning does not keep lights from being controlled.
    public enum Result: String, Codable, Sendable, CaseIterable { case ok, warning, failure }

    enum CodingKeys: String, CodingKey {
        case name, subject, result, text, remedy
        case exitCode = "exit_code"
    }

    public init(
        _ name: String, of subject: String? = nil, _ result: Result, _ text: String, remedy: String? = nil,
        exitStatus: ExitStatus? = nil
    ) {
        self.name = name
        self.subject = subject
        self.result = result
        self.text = text
        self.remedy = remedy
        exitCode = exitStatus?.rawValue
    }
}
