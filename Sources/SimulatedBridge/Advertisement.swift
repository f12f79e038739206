import Logging

/// The bridge's announcement by mDNS.
struct Advertisement {
    init(_ logger: Logger) {}
    func run(_ ready: SimulatedBridge.Ready, model: String) async throws {}
}
