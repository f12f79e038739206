/// The work of one browser: keeps a browse request open, resolves what it shows, and folds the answers. Belongs to the
/// browser's thread.
struct Watch {
    private struct Search {
        var resolve: Request?
        var host: String?
        var queries: [Request] = []
        /// When to ask again, after nobody answered.
        var again: ContinuousClock.Instant?

        func close() {
            resolve?.close()
            for query in queries { query.close() }
        }
    }

    private enum Slot {
        case browse
        case resolve(ServiceName)
        case addresses(ServiceName)
    }

    let type: String
    let domain: String?
    let retry: Duration
    let patience: Duration
    let tell: (DiscoveryEvent) -> Void

    private var fold = ServiceFold()
    private var browse: Request?
    private var searches: [ServiceName: Search] = [:]
    private var nextAttempt: ContinuousClock.Instant? = .now
    private var settling: ContinuousClock.Instant?
    private var toldFailure: DiscoveryError?

    init(
        type: String, domain: String?, retry: Duration, patience: Duration, tell: @escaping (DiscoveryEvent) -> Void
    ) {
        self.type = type
        self.domain = domain
        self.retry = retry
        self.patience = patience
        self.tell = tell
    }

    /// Does what is due and what `bell` wakes it for, once. False when it can never succeed.
    mutating func turn(_ bell: Bell) -> Bool {
        guard openIfDue() else { return false }
        settleIfDue()
        for (name, search) in searches {
            if let again = search.again, again <= .now { resolve(name) }
        }
        let slots = slots
        let due = ([nextAttempt, settling] + searches.values.map(\.again)).compactMap { $0 }.min()
        let readable = bell.wait(with: slots.compactMap { $0.1.descriptor }, until: due)
        for (slot, request) in slots {
            // A request closed by what an earlier one said has no descriptor any more.
            guard let descriptor = request.descriptor, readable.contains(descriptor) else { continue }
            for answer in request.process() { take(answer, slot) }
        }
        return true
    }

    private var slots: [(Slot, Request)] {
        var slots: [(Slot, Request)] = browse.map { [(.browse, $0)] } ?? []
        for (name, search) in searches {
            if let resolve = search.resolve { slots.append((.resolve(name), resolve)) }
            slots += search.queries.map { (.addresses(name), $0) }
        }
        return slots
    }

    // MARK: - The daemon comes and goes

    private mutating func openIfDue() -> Bool {
        guard let attempt = nextAttempt, attempt <= .now else { return true }
        do throws(DiscoveryError) {
            browse = try .browse(type, domain: domain)
            nextAttempt = nil
            if toldFailure != nil { tell(.resumed) }
            toldFailure = nil
            settling = .now + patience
            return true
        } catch {
            nextAttempt = .now + retry
            if toldFailure != error { tell(.failed(error)) }
            toldFailure = error
            if case .badRequest = error { return false }
            return true
        }
    }

    private mutating func settleIfDue() {
        guard let due = settling, due <= .now else { return }
        settling = nil
        fold.settle().forEach(tell)
    }

    private mutating func lose(_ code: Int32) {
        browse?.close()
        browse = nil
        searches.values.forEach { $0.close() }
        searches = [:]
        settling = nil
        fold.daemonLeft()
        let error = DiscoveryError(code: code, doing: "browsing for", type)
        toldFailure = error
        tell(.failed(error))
        nextAttempt = .now + retry
    }

    // MARK: - Answers

    private mutating func take(_ answer: Request.Answer, _ slot: Slot) {
        switch (slot, answer) {
        case let (.browse, .browsed(name, interface, isThere)):
            // A request is lost in the middle of its answers at most once.
            guard browse != nil else { return }
            let wasPresent = fold.isPresent(name)
            report(isThere ? .appeared(name, interface: interface) : .disappeared(name, interface: interface))
            switch (wasPresent, fold.isPresent(name)) {
            case (false, true): resolve(name)
            case (true, false): searches.removeValue(forKey: name)?.close()
            // Avahi's resolver keeps to the first interface that answered; it may be the one that went.
            case (true, true) where !isThere: resolve(name)
            default: break
            }
        case let (.browse, .failed(code)): if browse != nil { lose(code) }
        case let (.resolve(name), .resolved(host, port, text)):
            let moved = searches[name]?.host != host
            report(.resolved(name, host: host, port: port, text: TXTRecord(bytes: text).text))
            if moved { askAddresses(of: host, for: name) }
        case (.resolve(let name), .failed):
            let later = ContinuousClock.now + retry
            searches[name]?.resolve?.close()
            searches[name]?.resolve = nil
            searches[name]?.again = later
        case let (.addresses(name), .record(bytes, interface, isThere)):
            guard let address = IPAddress(record: bytes, interface: interface) else { return }
            report(isThere ? .addressAppeared(name, address) : .addressDisappeared(name, address))
        case (.addresses(let name), .failed): askAgain(name)
        default: break
        }
    }

    private mutating func report(_ report: ServiceFold.Report) {
        if let event = fold.take(report) { tell(event) }
    }

    private mutating func resolve(_ name: ServiceName) {
        var search = searches[name] ?? Search()
        search.resolve?.close()
        search.resolve = nil
        search.again = nil
        do throws(DiscoveryError) {
            search.resolve = try .resolve(name)
        } catch {
            // The daemon went between two calls, and the browse request is about to say so; or it is full, and this
            // waits its turn.
            search.again = .now + retry
        }
        searches[name] = search
    }

    private mutating func askAddresses(of host: String, for name: ServiceName) {
        guard searches[name] != nil else { return }
        searches[name]?.queries.forEach { $0.close() }
        do throws(DiscoveryError) {
            searches[name]?.queries = [
                try .addresses(of: host, isV6: false),
                try .addresses(of: host, isV6: true),
            ]
            searches[name]?.host = host
        } catch {
            askAgain(name)
        }
    }

    /// As if the host had not been known yet: the next resolve asks for its addresses.
    private mutating func askAgain(_ name: ServiceName) {
        let later = ContinuousClock.now + retry
        searches[name]?.queries.forEach { $0.close() }
        searches[name]?.queries = []
        searches[name]?.host = nil
        searches[name]?.again = later
        report(.addressesUnknown(name))
    }
}
