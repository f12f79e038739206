/// How many requests and commands a bridge accepts.
struct Limits: Equatable, Sendable {
    /// Requests in flight; `nil` for no limits at all.
    var inFlight: Int?
    /// Light commands a second.
    var lights: Int
    /// Group commands and recalls a second.
    var groups: Int
    /// How many light commands may come at once after a pause; by default those of one second.
    var lightBurst: Int?
    /// The same for group commands. Clients that never wait send two or three in a row (PyPI's phue), and real bridges
    /// accept that.
    var groupBurst: Int?
    /// The status of a request beyond a limit.
    var status: Int

    /// The limits of real bridges (home-assistant-libs/aiohue, home-assistant/core#62162).
    static let usual = Self(inFlight: 3, lights: 10, groups: 1, groupBurst: 3, status: 429)
}

extension FaultRegistry {
    func limits(at now: Duration) -> Limits {
        var limits = Limits.usual
        if lasting(.unlimited, at: now) != nil {
            limits.inFlight = nil
            return limits
        }
        guard !isEmpty else { return limits }
        if let fault = lasting(.inFlight, at: now)?.fault { limits.inFlight = fault.number }
        if let fault = lasting(.lightsPerSecond, at: now)?.fault { limits.lights = fault.number }
        if let fault = lasting(.groupsPerSecond, at: now)?.fault {
            (limits.groups, limits.groupBurst) = (fault.number, nil)
        }
        if let fault = lasting(.burst, at: now)?.fault {
            (limits.lightBurst, limits.groupBurst) = (fault.number, fault.number)
        }
        if let fault = lasting(.limitStatus, at: now)?.fault { limits.status = fault.number }
        return limits
    }

    /// How many lights a bridge of this model has room for.
    func mostLights(_ model: BridgeModel, at now: Duration) -> Int {
        active(at: now).map(\.fault).mostLights(model)
    }
}

/// A rate limit: a bucket that fills with time. A value; the time is a parameter.
struct TokenBucket: Sendable {
    private(set) var perSecond: Double
    /// How many may come at once after a pause.
    private(set) var burst: Double
    private var filled: Double
    private var last: Duration = .zero

    init(perSecond: Int, burst: Int? = nil) {
        self.perSecond = Double(perSecond)
        self.burst = Double(burst ?? perSecond)
        filled = self.burst
    }

    /// - Returns: whether one more may pass now.
    mutating func take(at now: Duration) -> Bool {
        filled = min(burst, filled + (now - last) / .seconds(1) * perSecond)
        last = now
        guard filled >= 1 else { return false }
        filled -= 1
        return true
    }

    /// The same with limits that may have changed: a new limit begins with a full bucket.
    mutating func take(at now: Duration, perSecond: Int, burst: Int?) -> Bool {
        if Double(perSecond) != self.perSecond || Double(burst ?? perSecond) != self.burst {
            self = Self(perSecond: perSecond, burst: burst)
        }
        return take(at: now)
    }
}

/// Counts events, and how many came within one second at most. A value; the times are parameters, in order.
struct RateMeter: Equatable, Sendable {
    private(set) var highest = 0
    private(set) var total = 0
    private var times: [Duration] = []
    /// The index in ``times`` at which the last second begins.
    private var start = 0

    mutating func count(at now: Duration) {
        while start < times.count, times[start] <= now - .seconds(1) { start += 1 }
        // Old times are removed many at once, so that counting stays cheap.
        if start > 1024, start * 2 > times.count {
            times.removeFirst(start)
            start = 0
        }
        times.append(now)
        total += 1
        highest = max(highest, times.count - start)
    }
}
