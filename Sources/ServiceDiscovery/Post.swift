/// The work of one registration: keeps the service offered. Belongs to the registration's thread.
struct Post {
    private var offer: Offer
    private let retry: Duration
    private var request: Request?
    private var nextAttempt: ContinuousClock.Instant? = .now

    init(offer: Offer, retry: Duration) {
        self.offer = offer
        self.retry = retry
    }

    /// Carries out `orders`, then what `bell` wakes it for, once. False when it can never succeed.
    mutating func turn(_ orders: Desk.Orders, _ bell: Bell, _ tell: (ServiceRegistration.State) -> Void) -> Bool {
        do throws(DiscoveryError) {
            if let text = orders.text {
                offer.text = text
                try request?.update(text: text)
            }
            if let attempt = nextAttempt, attempt <= .now {
                nextAttempt = nil
                request = try .register(offer)
            }
            let readable = bell.wait(with: request?.descriptor.map { [$0] } ?? [], until: nextAttempt)
            guard let request, !readable.isEmpty else { return true }
            for answer in request.process() {
                switch answer {
                case let .registered(name): tell(.offered(name: name))
                case let .failed(code): throw DiscoveryError(code: code, doing: "offering \(offer.name)")
                default: break
                }
            }
            return true
        } catch {
            request?.close()
            request = nil
            nextAttempt = .now + retry
            tell(.failed(error))
            if case .badRequest = error { return false }
            return true
        }
    }
}
