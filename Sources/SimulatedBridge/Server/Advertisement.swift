import Logging
import ServiceDiscovery

/// Announces the bridge by mDNS, as current firmware does: instance "Hue Bridge - 010203", TXT `bridgeid` in lower case and `modelid`.
/// The host is this machine.
struct Advertisement: Sendable {
    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    /// Announces until cancelled. If avahi-daemon is missing, logs it once and waits for it.
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
