import ControlProtocol
import FoundationEssentials

extension ErrorReply {
    /// Decodes the error in a response. If its code is unknown (a newer lightd), keeps the message and derives the code
    /// from the HTTP status. A body that is not an error of lightd's comes from another server.
    ///
    /// - Parameter address: where the response came from.
    init(status: Int, body: Data, from address: String) {
        // If this fails, MinimalError below is tried.
        if let reply = try? JSONDecoder().decode(ErrorReply.self, from: body) {
            self = reply
            return
        }
        struct MinimalError: Decodable {
            let error: Body
            struct Body: Decodable {
                let code: String
                let message: String
                let hint: String?
            }
        }
        // As above: the body is not one of lightd's.
        guard let minimal = try? JSONDecoder().decode(MinimalError.self, from: body) else {
            self.init(.daemonUnreachable, "something other than lightd answers at \(address) (HTTP status \(status))")
            return
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
        self.init(code, minimal.error.message, hint: minimal.error.hint)
    }
}
