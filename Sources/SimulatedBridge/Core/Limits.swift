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
