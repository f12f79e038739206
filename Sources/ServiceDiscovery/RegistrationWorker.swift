import Executors

/// Keeps one service registered with avahi-daemon. Runs on the registration's thread.
struct RegistrationWorker {
    private var offer: ServiceOffer
    private let requestedName: String
    private let retry: Duration
    private var request: DNSServiceRequest?
    private var nextAttempt: ContinuousClock.Instant? = .now
    private var renames = 0

    /// How many names in a row may be taken before the registration fails and waits for the next attempt.
    private static let maximumRenames = 32

    init(offer: ServiceOffer, retry: Duration) {
        self.offer = offer
        self.retry = retry
        requestedName = offer.name
    }

    /// One round: does the pending work, waits for an answer, a wakeup or the next attempt, and publishes what came.
    /// Returns false if the registration can never succeed.
    mutating func run(
        _ work: RegistrationState.PendingWork, _ wakeup: WakeupDescriptor,
        _ publish: (ServiceRegistration.State) -> Void
    ) -> Bool {
        do throws(DiscoveryError) {
            if let text = work.text {
                offer.text = text
                try request?.update(text: text)
            }
            if let attempt = nextAttempt, attempt <= .now {
                nextAttempt = nil
                request = try .register(offer)
            }
            let readable = wakeup.wait(with: request?.descriptor.map { [$0] } ?? [], until: nextAttempt)
            guard let request, !readable.isEmpty else { return true }
            for response in request.process() {
                switch response {
                case let .registered(name):
                    renames = 0
                    publish(.offered(name: name))
                case let .failed(code): throw DiscoveryError(code: code, doing: "offering", offer.name)
                default: break
                }
            }
            return true
        } catch {
            request?.close()
            request = nil
            return recover(from: error, publish)
        }
    }

    private mutating func recover(
        from error: DiscoveryError, _ publish: (ServiceRegistration.State) -> Void
    ) -> Bool {
        if case .nameTaken = error, renames < Self.maximumRenames {
            renames += 1
            offer.name = alternativeName(after: offer.name)
            nextAttempt = .now
            return true
        }
        renames = 0
        offer.name = requestedName
        nextAttempt = .now + retry
        publish(.failed(error))
        if case .badRequest = error { return false }
        return true
    }
}
