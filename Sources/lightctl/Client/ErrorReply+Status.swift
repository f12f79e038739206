import ControlProtocol
import FoundationEssentials

extension ErrorReply {
    /// The error in an answer. One whose code this lightctl does not know keeps its words, and its status chooses the code.
    init(status: Int, body: Data) {
        // What cannot be read as ours is read more loosely just below.
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
        // Not even that: only the status is left to tell.
        let loose = try? JSONDecoder().decode(MinimalError.self, from: body)
        self.init(code, loose?.error.message ?? "lightd answered with HTTP status \(status)", hint: loose?.error.hint)
    }
}
