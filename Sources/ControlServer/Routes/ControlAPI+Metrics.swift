import ControlProtocol
import ControlSurface
import HTTPTypes
import Hummingbird
import NIOCore

/// `/metrics`, for Prometheus.
extension ControlAPI {
    /// Unlike lists it waits for no bridge, also just after the start: that one is away is what it is to tell.
    func metrics(_ request: APIRequest) async throws -> Response {
        let format = request.http.head.metricsFormat
        // A home of thousands of lights takes a while, in which commands are answered.
        return try await read(request) { [surface] in
            Response(
                status: .ok, headers: [.contentType: format.contentType, .cacheControl: "no-store", .vary: "Accept"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: surface.metrics(as: format))))
        }
    }
}

extension HTTPRequest {
    /// OpenMetrics if the client prefers it, in a version that lightd writes; for whoever names neither, the text that
    /// everybody reads.
    var metricsFormat: MetricsFormat {
        func weight(_ format: MetricsFormat) -> Double {
            preferences(in: .accept).filter { preference in
                let version = preference.parameters.lazy.compactMap { $0.after("version=") }.first
                return preference.name == format.mediaType && (version.map { $0 == format.version } ?? true)
            }
            .map(\.weight).max() ?? 0
        }
        return weight(.openMetrics) > weight(.prometheus) ? .openMetrics : .prometheus
    }
}
