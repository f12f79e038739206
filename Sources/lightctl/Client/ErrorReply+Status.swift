import ControlProtocol
import FoundationEssentials

extension ErrorReply {
    /// Decodes the error in a response. If its code is unknown (a newer lightd), keeps the message and derives the code
    /// from the HTTP status.
    init(status: Int, body: Data) {
        // If this fails, MinimalError below is tried.
        if let reply = try? JSONDecoder().decode(ErrorReply.self, from: body) {
            self = reply
            return
        }
        struct MinimalError: Decodable {
            let error: Body
            struct Body: Decodable {
                let message: String
                let hint: String?
            }
        }
        let code: ErrorCode =
            switch status {
            case 400: .invalid
            case 401, 403: .notAllowed
            case 404: .noSuchPath
            case 409: .ambiguousTarget
            case 422: .refused
            case 502: .partly
            case 503: .bridgeUnreachable
            case 504: .unconfirmed
            default: .internalError
            }
        // If this fails too, only the status is left to report.
        let minimal = try? JSONDecoder().decode(MinimalError.self, from: body)
        self.init(
            code, minimal?.error.message ?? "lightd answered with HTTP status \(status)", hint: minimal?.error.hint)
    }
}
