import ControlProtocol
import ControlSurface
import HTTPTypes
import Hummingbird
import Languages
import Lighting
import NIOCore

/// `/v1/page` and `/v1/page/events`: the view model of the page, and what changes in it.
extension ControlAPI {
    /// What the events of the page depend on, besides the newest state.
    struct PageStep: Hashable {
        /// The id of the state that they begin at; `nil` for a client that begins here.
        let from: Int64?
        let reader: PageReader
    }

    func page(_ request: APIRequest) async throws -> Response {
        let reader = request.pageReader
        return try state(
            request, of: surface.latest.snapshot, kept: "\(Routes.page) \(reader)", variant: reader.variant
        ) { $0.page(for: reader) }
    }

    func pageEvents(_ request: APIRequest) async throws -> Response {
        let reader = request.pageReader
        var response = try follow(request, variant: reader.variant) { [sharedPageEvents] shown, _ in
            let bytes = try sharedPageEvents.value(for: PageStep(from: nil, reader: reader), of: shown.id) {
                Self.framed(
                    [try PageEvent(.page, shown.home.page(for: reader))], of: shown, variant: reader.variant)
            }
            return bytes ?? ByteBuffer()
        } changes: { [sharedPageEvents] shown, state in
            guard shown.id != state.id else { return nil }
            return try sharedPageEvents.value(for: PageStep(from: shown.id, reader: reader), of: state.id) {
                Self.framed(
                    try state.home.pageEvents(since: shown.home, for: reader), of: state, variant: reader.variant)
            }
        }
        // A page that was open while lightd was replaced connects again, and learns that its files are old.
        if let name = Self.pageVersion { response.headers[name] = PageFiles.embedded.version }
        return response
    }

    func pageSensors(_ request: APIRequest) async throws -> Response {
        let reader = request.pageReader
        guard request.wantsStream else {
            return try state(
                request, of: surface.latest.snapshot, kept: "\(Routes.pageSensors) \(reader.language)",
                variant: reader.variant
            ) { $0.pageSensors(in: reader.language) }
        }
        @Sendable func event(of state: LatestState.Snapshot) throws -> ByteBuffer {
            let sensors = try SensorsEvent(.sensors, state.home.pageSensors(in: reader.language))
            return Self.framed([sensors], of: state, variant: reader.variant) ?? ByteBuffer()
        }
        return try follow(request, variant: reader.variant) { shown, _ in
            try event(of: shown)
        } changes: { shown, state in
            let (old, new) = (shown.state, state.state)
            // Nearly always only lights have changed.
            guard old.sensors != new.sensors || old.sensorDays != new.sensorDays || old.rooms != new.rooms else {
                return nil
            }
            return try event(of: state)
        }
    }

    private static let pageVersion = HTTPField.Name("X-Lightd-Page")
}

typealias SensorsEvent = SurfaceEvent<SensorsEventName>

enum SensorsEventName: String, Sendable { case sensors }

extension PageReader {
    /// Whoever signs in anew, with other rights or another language, must not go on with the page of before: neither
    /// with one that is cached, nor from an event of its stream.
    fileprivate var variant: String {
        (access == .full ? "" : "-\(access.rawValue)") + (language == .english ? "" : "-\(language.rawValue)")
    }
}

extension APIRequest {
    fileprivate var pageReader: PageReader {
        PageReader(
            access: min(admission.level, .full).role ?? .look,
            language: Language(accepted: http.headers[.acceptLanguage]))
    }
}
