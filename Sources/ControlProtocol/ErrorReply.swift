/// Every error of the control API: `{"error":{"code","message","hint"}}`.
public struct ErrorReply: Codable, Equatable, Sendable, Error {
    public var error: Body

    public struct Body: Codable, Equatable, Sendable {
        public var code: ErrorCode
        /// What happened, and to what.
        public var message: String
        /// What to do next.
        public var hint: String?
        /// What may have been meant.
        public var candidates: [String]?
        /// For `partly`: the parts that failed.
        public var parts: [Part]?
        /// What the bridge said, word for word, if `message` says it in the names of the home.
        public var bridgeWords: String?
        /// For `partly`: the ticket of the command, by which `undo` takes back what was carried out of it.
        public var ticket: UInt64?

        enum CodingKeys: String, CodingKey {
            case code, message, hint, candidates, parts, ticket
            case bridgeWords = "bridge_words"
        }

        public init(
            code: ErrorCode, message: String, hint: String? = nil, candidates: [String]? = nil, parts: [Part]? = nil,
            bridgeWords: String? = nil
        ) {
            self.code = code
            self.message = message
            self.hint = hint
            self.candidates = candidates
            self.parts = parts
            self.bridgeWords = bridgeWords
        }
    }

    public struct Part: Codable, Equatable, Sendable {
        public var target: String
        public var code: ErrorCode
        public var message: String
        /// As in ``Body``.
        public var bridgeWords: String?

        enum CodingKeys: String, CodingKey {
            case target, code, message
            case bridgeWords = "bridge_words"
        }

        public init(target: String, code: ErrorCode, message: String, bridgeWords: String? = nil) {
            self.target = target
            self.code = code
            self.message = message
            self.bridgeWords = bridgeWords
        }
    }

    public init(
        _ code: ErrorCode, _ message: String, hint: String? = nil, candidates: [String]? = nil, parts: [Part]? = nil,
        bridgeWords: String? = nil
    ) {
        error = Body(
            code: code, message: message, hint: hint, candidates: candidates, parts: parts, bridgeWords: bridgeWords)
    }
}

/// What went wrong, for programs.
public enum ErrorCode: String, Codable, Sendable, CaseIterable {
    case refused, cannot
    case notSaved = "not_saved"
    case notPaired = "not_paired"
    case keyRefused = "key_refused"
    case buttonNotPressed = "button_not_pressed"
    case certificateRefused = "certificate_refused"
    case whichBridge = "which_bridge"
    case notAllowed = "not_allowed"
    /// Too many wrong tokens came from the client's address.
    case tooManyAttempts = "too_many_attempts"
    /// A token of this name exists.
    case nameTaken = "name_taken"
    /// The browser is signed in, and did not ask to replace that.
    case signedIn = "signed_in"
    case bridgeUnreachable = "bridge_unreachable"
    case noBridgeFound = "no_bridge_found"
    case daemonUnreachable = "daemon_unreachable"
    case daemonStopping = "daemon_stopping"
    case noSuchTarget = "no_such_target"
    case ambiguousTarget = "ambiguous_target"
    case unconfirmed
    /// A light that `undo` or `redo` left as it is, because something else has changed it since; or a command that
    /// `undo` left alone, because another one came after it.
    case changedSince = "changed_since"
    case partly
    case invalid
    /// A file of automations has mistakes; the parts name them by line and column. Or a file is not a backup that lightd
    /// can restore.
    case wrongFile = "wrong_file"
    case noSuchPath = "no_such_path"
    case internalError = "internal_error"

    /// The HTTP status of the response.
    public var status: Int {
        switch self {
        case .invalid, .wrongFile: 400
        case .notPaired, .keyRefused, .buttonNotPressed, .certificateRefused, .notAllowed: 403
        case .noSuchTarget, .noSuchPath: 404
        case .ambiguousTarget, .whichBridge, .changedSince, .nameTaken, .signedIn: 409
        case .refused, .cannot: 422
        case .tooManyAttempts: 429
        case .notSaved, .internalError: 500
        case .partly: 502
        case .bridgeUnreachable, .noBridgeFound, .daemonUnreachable, .daemonStopping: 503
        case .unconfirmed: 504
        }
    }
}
