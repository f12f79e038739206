import Executors

/// The work of one browser: keeps a browse request open, resolves what it finds and publishes the events of a
/// ``ServiceTable``. Runs on the browser's thread.
struct BrowseWorker {
    /// The open requests for one instance.
    private struct Lookup {
        var resolve: DNSServiceRequest?
        var host: String?
        var queries: [DNSServiceRequest] = []
        /// When to resolve again, after a request failed.
        var nextAttempt: ContinuousClock.Instant?

        func close() {
            resolve?.close()
            for query in queries { query.close() }
        }
    }

    private enum Purpose {
        case browse
        case resolve(ServiceName)
        case addresses(ServiceName)
    }

    let type: String
    let domain: String?
    let retry: Duration
    let settleTime: Duration
    let isFollowed: (DiscoveredService) -> Bool
    let publish: (DiscoveryEvent) -> Void

    private var table = ServiceTable()
    private var queue = LookupQueue()
    private var browse: DNSServiceRequest?
    private var lookups: [ServiceName: Lookup] = [:]
    private var nextAttempt: ContinuousClock.Instant? = .now
    private var settled: ContinuousClock.Instant?
    private var publishedFailure: DiscoveryError?

    init(
        type: String, domain: String?, retry: Duration, settleTime: Duration,
        isFollowed: @escaping (DiscoveredService) -> Bool, publish: @escaping (DiscoveryEvent) -> Void
    ) {
        self.type = type
        self.domain = domain
        self.retry = retry
        self.settleTime = settleTime
        self.isFollowed = isFollowed
        self.publish = publish
    }

    /// One round: does what is due, then waits for an answer, a wakeup or the next deadline. Returns false if browsing
    /// can never succeed.
    mutating func run(_ wakeup: WakeupDescriptor) -> Bool {
        guard browseIfDue() else { return false }
        removeUnseenIfDue()
        handOver()
        for (name, lookup) in lookups {
            if let attempt = lookup.nextAttempt, attempt <= .now { resolve(name) }
        }
        let requests = requests
        let deadline = ([nextAttempt, settled, queue.nextHandOver] + lookups.values.map(\.nextAttempt)).compactMap {
            $0
        }.min()
        let readable = wakeup.wait(with: requests.compactMap { $0.1.descriptor }, until: deadline)
        for (purpose, request) in requests {
            // An earlier response of this round may have closed the request; it has no descriptor then.
            guard let descriptor = request.descriptor, readable.contains(descriptor) else { continue }
            for response in request.process() { handle(response, purpose) }
        }
        return true
    }

    private var requests: [(Purpose, DNSServiceRequest)] {
        var requests: [(Purpose, DNSServiceRequest)] = browse.map { [(.browse, $0)] } ?? []
        for (name, lookup) in lookups {
            if let resolve = lookup.resolve { requests.append((.resolve(name), resolve)) }
            requests += lookup.queries.map { (.addresses(name), $0) }
        }
        return requests
    }

    // MARK: - Connecting to the daemon

    private mutating func browseIfDue() -> Bool {
        guard let attempt = nextAttempt, attempt <= .now else { return true }
        do throws(DiscoveryError) {
            browse = try .browse(type, domain: domain)
            nextAttempt = nil
            if publishedFailure != nil { publish(.resumed) }
            publishedFailure = nil
            settled = .now + settleTime
            return true
        } catch {
            nextAttempt = .now + retry
            if publishedFailure != error { publish(.failed(error)) }
            publishedFailure = error
            if case .badRequest = error { return false }
            return true
        }
    }

    private mutating func removeUnseenIfDue() {
        guard let due = settled, due <= .now else { return }
        settled = nil
        table.removeUnseen().forEach(publish)
    }

    private mutating func disconnect(_ code: Int32) {
        browse?.close()
        browse = nil
        lookups.values.forEach { $0.close() }
        lookups = [:]
        queue.removeAll()
        settled = nil
        table.daemonDisconnected()
        let error = DiscoveryError(code: code, doing: "browsing for", type)
        publishedFailure = error
        publish(.failed(error))
        nextAttempt = .now + retry
    }

    // MARK: - Responses

    private mutating func handle(_ response: DNSServiceRequest.Response, _ purpose: Purpose) {
        switch (purpose, response) {
        case let (.browse, .browsed(name, interface, isAdded)):
            // An earlier response of this round was a failure, and the request is closed.
            guard browse != nil else { return }
            let wasPresent = table.isPresent(name)
            if isAdded, !wasPresent, !queue.add(name) { return }
            report(isAdded ? .appeared(name, interface: interface) : .disappeared(name, interface: interface))
            switch (wasPresent, table.isPresent(name)) {
            case (true, false):
                queue.remove(name)
                lookups.removeValue(forKey: name)?.close()
            // Avahi's resolver stays with the first interface that answered, and that may be the one that disappeared.
            case (true, true) where !isAdded && lookups[name] != nil: resolve(name)
            default: break
            }
        case let (.browse, .failed(code)): if browse != nil { disconnect(code) }
        case let (.resolve(name), .resolved(host, port, text)):
            let isNewHost = lookups[name]?.host != host
            report(.resolved(name, host: host, port: port, text: TXTRecord(bytes: text).text))
            if isNewHost { queryAddresses(of: host, for: name) }
        case (.resolve(let name), .failed):
            let nextAttempt = ContinuousClock.now + retry
            lookups[name]?.resolve?.close()
            lookups[name]?.resolve = nil
            lookups[name]?.nextAttempt = nextAttempt
        case let (.addresses(name), .record(bytes, interface, isAdded)):
            guard let address = IPAddress(record: bytes, interface: interface) else { return }
            report(isAdded ? .addressAppeared(name, address) : .addressDisappeared(name, address))
            if let service = table.published(name) { queue.answered(name, isFollowed: isFollowed(service)) }
        case (.addresses(let name), .failed): restartLookup(name)
        default: break
        }
    }

    private mutating func report(_ report: ServiceTable.Report) {
        if let event = table.apply(report) { publish(event) }
    }

    /// Closes look-ups whose turn is over, and opens those whose turn has come.
    private mutating func handOver() {
        let (closed, opened) = queue.handOver(at: .now)
        for name in closed {
            lookups.removeValue(forKey: name)?.close()
            report(.addressesUnknown(name))
        }
        for name in opened { resolve(name) }
    }

    private mutating func resolve(_ name: ServiceName) {
        var lookup = lookups[name] ?? Lookup()
        lookup.resolve?.close()
        lookup.resolve = nil
        lookup.nextAttempt = nil
        do throws(DiscoveryError) {
            lookup.resolve = try .resolve(name)
        } catch {
            // Either the daemon left, and the browse request is about to fail too, or it has too many requests.
            lookup.nextAttempt = .now + retry
        }
        lookups[name] = lookup
    }

    private mutating func queryAddresses(of host: String, for name: ServiceName) {
        guard lookups[name] != nil else { return }
        lookups[name]?.queries.forEach { $0.close() }
        do throws(DiscoveryError) {
            lookups[name]?.queries = [
                try .addresses(of: host, isV6: false),
                try .addresses(of: host, isV6: true),
            ]
            lookups[name]?.host = host
        } catch {
            restartLookup(name)
        }
    }

    /// Forgets the host, so that the next resolve queries its addresses again.
    private mutating func restartLookup(_ name: ServiceName) {
        let nextAttempt = ContinuousClock.now + retry
        lookups[name]?.queries.forEach { $0.close() }
        lookups[name]?.queries = []
        lookups[name]?.host = nil
        lookups[name]?.nextAttempt = nextAttempt
        report(.addressesUnknown(name))
    }
}
