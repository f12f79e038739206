import CoreMetrics
import Curl
import Khipu
import Lighting
import Synchronization

/// Counts and measures what goes to one bridge and what comes from it. The series are made when there is something to
/// tell, and each once.
final class BridgeMetrics: Sendable {
    /// What a request is for.
    enum Kind: String {
        /// Values of one light, or a lamp that blinks.
        case light
        /// Values of all lights of a room or zone.
        case group
        /// A scene that is recalled.
        case scene
        /// Rooms, scenes, names and settings that are made otherwise.
        case edit
        case read
        /// What makes the event stream tell whether it lives.
        case probe
        /// The event stream.
        case stream
    }

    private struct Answer: Hashable {
        let kind: Kind
        let code: String
    }

    private struct Series: Sendable {
        var requests: [Answer: Counter] = [:]
        var seconds: [Kind: Timer] = [:]
        var lastEvent: Meter?
        /// The bridge was forgotten: what still goes to it is not told.
        var isEnded = false
    }

    private let bridge: [(String, String)]
    private let factory: any MetricsFactory
    private let events: Counter
    private let reconnects: Counter
    private let series = Mutex(Series())

    /// Those that bridges are known to send. Any other may come from whatever is in a bridge's place.
    private static let statuses: Set = [200, 201, 207, 400, 401, 403, 404, 409, 429, 500, 502, 503, 504]

    init(_ bridge: Bridge.ID, _ factory: any MetricsFactory) {
        self.factory = factory
        self.bridge = [("bridge", bridge.description)]
        events = Counter(label: "lightd_bridge_events_total", dimensions: self.bridge, factory: factory)
        reconnects = Counter(label: "lightd_bridge_stream_reconnects_total", dimensions: self.bridge, factory: factory)
    }

    /// - Parameter duration: until the answer, or its beginning if it is a stream.
    func answered(_ kind: Kind, status: Int, after duration: Duration) {
        count(Answer(kind: kind, code: Self.statuses.contains(status) ? "\(status)" : "other"))
        change { series in
            if series.seconds[kind] == nil {
                series.seconds[kind] = Timer(
                    label: "lightd_bridge_request_seconds", dimensions: bridge + [("kind", kind.rawValue)],
                    factory: factory)
            }
            series.seconds[kind]?.recordNanoseconds(duration.nanoseconds)
        }
    }

    func failed(_ kind: Kind, _ error: CurlError) { count(Answer(kind: kind, code: error.code)) }

    private func count(_ answer: Answer) {
        change { series in
            if series.requests[answer] == nil {
                series.requests[answer] = Counter(
                    label: "lightd_bridge_requests_total",
                    dimensions: bridge + [("kind", answer.kind.rawValue), ("code", answer.code)], factory: factory)
            }
            series.requests[answer]?.increment()
        }
    }

    /// - Parameter time: by the wall clock.
    func heard(events count: Int, at time: Timestamp) {
        guard count > 0 else { return }
        events.increment(by: count)
        change { series in
            if series.lastEvent == nil {
                series.lastEvent = Meter(
                    label: "lightd_bridge_last_event_timestamp_seconds", dimensions: bridge, factory: factory)
            }
            series.lastEvent?.set(Double(time.milliseconds) / 1000)
        }
    }

    /// Does nothing once they have ended.
    private func change(_ change: (inout Series) -> Void) { series.withLock { if !$0.isEnded { change(&$0) } } }

    func reconnected() { reconnects.increment() }

    /// The bridge was forgotten, and so are its series. One that is paired again begins anew.
    func end() {
        let ended = series.withLock { series in
            defer { series = Series(isEnded: true) }
            return series
        }
        events.destroy()
        reconnects.destroy()
        for counter in ended.requests.values { counter.destroy() }
        for timer in ended.seconds.values { timer.destroy() }
        ended.lastEvent?.destroy()
    }
}

extension Operation {
    var kind: BridgeMetrics.Kind {
        switch self {
        case .light, .identify: .light
        case .group: .group
        case let .signal(type, _, _): type == .light ? .light : .group
        case .recall, .activate: .scene
        case .enable, .rename, .configure, .createGroup, .arrange, .createScene, .store, .storeLight, .delete: .edit
        }
    }
}

extension CurlError {
    /// Why there was no answer, in the place of its status.
    fileprivate var code: String {
        switch self {
        case .noConnection: "no_connection"
        case .certificateRefused: "certificate_refused"
        case .timedOut: "timed_out"
        case .broken, .tooMuch: "broken"
        case .cancelled, .closed, .invalid: "cancelled"
        }
    }
}
