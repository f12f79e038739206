/// How long to wait before the next attempt: 1 s after the first failure, then twice as long each time, up to 60 s; each
/// varied by up to a quarter, so that a thousand clients of a broker that returns do not come at once.
struct MQTTBackoff {
    static let longest = Duration.seconds(60)
    private var failures = 0

    /// - Parameters:
    ///   - isFinal: whether trying again soon would only end in the same: a wrong password, a wrong certificate.
    ///   - chance: 0…1.
    mutating func next(isFinal: Bool, chance: Double) -> Duration {
        let doubled = Duration.seconds(1) * (1 << min(failures, 6))
        failures += 1
        return (isFinal ? Self.longest : min(doubled, Self.longest)) * (0.75 + chance / 2)
    }

    mutating func succeeded() { failures = 0 }
}
