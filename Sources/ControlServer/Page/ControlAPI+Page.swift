import ControlProtocol
import ControlSurface
import HTTPTypes
import Hummingbird
import NIOCore

/// `/v1/page` and `/v1/page/events`: the view model of the page, and what changes in it.
extension ControlAPI {
    /// What the events of the page depend on, besides the newest state.
    struct PageStep: Hashable {
        /// The id of the state that they begin at; `nil` for a client that begins here.
        let from: Int64?
        let access: TokenAccess
    }

    func page(_ request: APIRequest) async throws -> Response {
        let access = request.pageAccess
        return try state(
            request, of: surface.latest.snapshot, kept: "\(Routes.page) \(access.rawValue)",
            variant: access.variant
        ) { $0.page(for: access) }
    }

    func pageEvents(_ request: APIRequest) async throws -> Response {
        let access = request.pageAccess
        var response = try follow(request, variant: access.variant) { [sharedPageEvents] shown, _ in
            let bytes = try sharedPageEvents.value(for: PageStep(from: nil, access: access), of: shown.id) {
                Self.framed(
                    [try PageEvent(.page, shown.home.page(for: access))], of: shown, variant: access.variant)
            }
            return bytes ?? ByteBuffer()
        } changes: { [sharedPageEvents] shown, state in
            guard shown.id != state.id else { return nil }
            return try sharedPageEvents.value(for: PageStep(from: shown.id, access: access), of: state.id) {
                Self.framed(
                    try state.home.pageEvents(since: shown.home, for: access), of: state, variant: access.variant)
            }
        }
        // A page that was open while lightd was replaced connects again, and learns that its files are old.
        if let name = Self.pageVersion { response.headers[name] = PageFiles.embedded.version }
        return response
    }

    private static let pageVersion = HTTPField.Name("X-Lightd-Page")
}

extension TokenAccess {
    /// Whoever signs in anew, with other rights, must not go on with the page of before: neither with one that is cached,
    /// nor from an event of its stream.
    fileprivate var variant: String { self == .full ? "" : "-\(rawValue)" }
}

extension APIRequest {
    fileprivate var pageAccess: TokenAccess { min(admission.level, .full).role ?? .look }
}
