import Logging
import ServiceDiscovery

/// The bridge's announcement by mDNS, as current firmware makes it: instance "Hue Bridge - 010203", TXT `bridgeid` in lower case and
/// `modelid`. The host is this machine's, whose addresses avahi knows.
struct Advertisement: Sendable {
    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    /// Announces until cancelled. A missing avahi-daemon is said once, and waited for.
    func run(_ ready: SimulatedBridge.Ready) async throws {
        let registration = try ServiceRegistration(
            name: "Hue Bridge - \(ready.bridgeID.suffix(6).uppercased())", type: "_hue._tcp", port: ready.httpsPort,
            text: ["bridgeid": ready.bridgeID, "modelid": ready.model])
        defer { registration.stop() }
        var told: ServiceRegistration.State?
        for await state in registration.states() where state != told {
            told = state
            if case let .failed(error) = state {
                logger.warning("not announced by mDNS", metadata: ["reason": "\(error)"])
            }
        }
        try Task.checkCancellation()
    }
}
