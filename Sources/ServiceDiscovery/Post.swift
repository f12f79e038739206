/// The work of one registration: keeps the service offered. Belongs to the registration's thread.
struct Post {
    private var offer: Offer
    private let wanted: String
    private let retry: Duration
    private var request: Request?
    private var nextAttempt: ContinuousClock.Instant? = .now
    private var renames = 0

    /// How many names in a row may be taken before the registration says so and rests.
    private static let mostRenames = 32

    init(offer: Offer, retry: Duration) {
        self.offer = offer
        self.retry = retry
        wanted = offer.name
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
                case let .registered(name):
                    renames = 0
                    tell(.offered(name: name))
                case let .failed(code): throw DiscoveryError(code: code, doing: "offering", offer.name)
                default: break
                }
            }
            return true
        } catch {
            request?.close()
            request = nil
            return recover(from: error, tell)
        }
    }

    private mutating func recover(from error: DiscoveryError, _ tell: (ServiceRegistration.State) -> Void) -> Bool {
        if case .nameTaken = error, renames < Self.mostRenames {
            renames += 1
            offer.name = alternative(to: offer.name)
            nextAttempt = .now
            return true
        }
        renames = 0
        offer.name = wanted
        nextAttempt = .now + retry
        tell(.failed(error))
        if case .badRequest = error { return false }
        return true
    }
}
