import Logging
import ServiceDiscovery

/// Announces the bridge by mDNS, as current firmware does: instance "Hue Bridge - 010203", TXT `bridgeid` in lower case
/// and `modelid`. The host is this machine.
struct Advertisement: Sendable {
    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    /// Announces until cancelled. If avahi-daemon is missing, logs it once and waits for it.
    func run(_ details: SimulatedBridge.ConnectionDetails) async throws {
        let registration = try ServiceRegistration(
            name: "Hue Bridge - \(details.bridgeID.suffix(6).uppercased())", type: "_hue._tcp", port: details.httpsPort,
            text: ["bridgeid": details.bridgeID, "modelid": details.model])
        defer { registration.stop() }
        var last: ServiceRegistration.State?
        for await state in registration.states() where state != last {
            last = state
            if case let .failed(error) = state {
                logger.warning("not announced by mDNS", metadata: ["reason": "\(error)"])
            }
        }
        try Task.checkCancellation()
    }
}
