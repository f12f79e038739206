import ControlProtocol

/// The errors of the API, each described once.
extension OpenAPI {
    enum Errors: CaseIterable {
        case health, reading, naming, asking, commands, tokens, restoring

        /// What each kind of path may be answered with. 405 belongs to methods that a path does not have, so it stands
        /// at none.
        fileprivate var statuses: [Int] {
            let always = [400, 403, 431, 500, 503]
            let withToken = always + [401, 429]
            return switch self {
            case .health: always
            case .reading: withToken
            case .naming: withToken + [404, 409]
            case .asking: withToken + [404, 409, 422, 504]
            case .commands: withToken + [404, 408, 409, 413, 422, 502, 504]
            case .tokens: withToken + [404, 408, 409, 413, 422]
            case .restoring: withToken + [408, 413]
            }
        }
    }

    /// The members of an operation's `responses` for its errors.
    static func errors(_ kind: Errors) -> String {
        kind.statuses.sorted().map { ##""\##($0)": {"$ref": "#/components/responses/Error\##($0)"}"## }
            .joined(separator: ", ")
    }

    /// The members of the components' `responses` for all errors.
    static var errorResponses: String {
        descriptions.map { status, description in
            let headers = headers(of: status).map { #""headers": {"\#($0)": {"schema": {"type": "string"}}}, "# } ?? ""
            return #""Error\#(status)": {"description": "\#(description)", \#(headers)"content": "#
                + ##"{"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}"##
        }.joined(separator: ",\n      ")
    }

    private static func headers(of status: Int) -> String? {
        switch status {
        case 401: "WWW-Authenticate"
        case 405: "Allow"
        case 429, 503: "Retry-After"
        default: nil
        }
    }

    private static let descriptions = [
        (400, "The request is wrong: its query, its body, or a value out of range."),
        (401, "Over TCP: no token, or one that does not exist."),
        (
            403,
            "Not allowed: a token whose role is too low, an unknown Host or Origin, tokens or backups over TCP, bridges' keys for others than root; or lightd is not paired with "
                + "the bridge, or the bridge's link button was not pressed."
        ),
        (404, "No such target, token or path."),
        (405, "The path does not take this method."),
        (408, "The body did not arrive within 10 s, or 3 s to sign in."),
        (409, "The name fits several things, or is taken; or the browser is signed in already."),
        (
            413,
            "The body is longer than \(APIRequest.largestBody >> 20) MiB, or than 4 KiB to sign in, \(Routes.longestBackup >> 20) MiB for a backup."
        ),
        (422, "The bridge refused, or the lamp is not able to do it."),
        (429, "Over TCP: too many wrong tokens came from this address."),
        (
            431,
            "The target and header fields have more than 16 KiB, one has more than 8 KiB, or they are more than 100."
        ),
        (500, "lightd made a mistake, or could not save the change."),
        (502, "Some parts of the command were done, some failed."),
        (503, "The bridge cannot be reached, or lightd is busy or stopping."),
        (504, "Sent, but not confirmed."),
    ]
}
