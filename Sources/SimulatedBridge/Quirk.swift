/// How a simulated bridge differs from the usual one. Each is a habit of real bridges, or lifts a limit of theirs.
public enum Quirk: Hashable, Sendable, CustomStringConvertible {
    /// No limit on requests in flight, on commands a second, or on events a second: for benchmarks.
    case unlimited
    /// So many requests at once; the next is answered 429. Real bridges: 3 (home-assistant-libs/aiohue).
    case inFlight(Int)
    /// Light commands a second. Real bridges: about 10.
    case lightsPerSecond(Int)
    /// Group commands a second. Real bridges: 1.
    case groupsPerSecond(Int)
    /// Every answer comes so many milliseconds late, as a bridge's Zigbee messages make it.
    case latency(Int)
    /// How many lights it takes. Real bridges: 50 recommended, 150 on the Pro.
    case mostLights(Int)
    /// HTTP/1.1 only, as emulators.
    case http1
    /// Pairing without its button, as some emulators allow.
    case noButton

    /// Reads "NAME" or "NAME:VALUE".
    public init(_ text: String) throws(QuirkError) {
        let parts = text.split(separator: ":", maxSplits: 1)
        let value = parts.count == 2 ? Int(parts[1]) : nil
        switch (parts.first.map(String.init) ?? "", parts.count == 2, value) {
        case ("unlimited", false, _): self = .unlimited
        case ("http1", false, _): self = .http1
        case ("no-button", false, _): self = .noButton
        case ("in-flight", _, let count?) where count > 0: self = .inFlight(count)
        case ("lights-per-second", _, let count?) where count > 0: self = .lightsPerSecond(count)
        case ("groups-per-second", _, let count?) where count > 0: self = .groupsPerSecond(count)
        case ("latency", _, let count?) where count >= 0: self = .latency(count)
        case ("most-lights", _, let count?) where count > 0: self = .mostLights(count)
        default: throw QuirkError(text: text)
        }
    }

    public var description: String {
        switch self {
        case .unlimited: "unlimited"
        case .http1: "http1"
        case .noButton: "no-button"
        case let .inFlight(count): "in-flight:\(count)"
        case let .lightsPerSecond(count): "lights-per-second:\(count)"
        case let .groupsPerSecond(count): "groups-per-second:\(count)"
        case let .latency(count): "latency:\(count)"
        case let .mostLights(count): "most-lights:\(count)"
        }
    }
}

public struct QuirkError: Error, Equatable, CustomStringConvertible {
    public let text: String

    public var description: String {
        "there is no quirk '\(text)'; known are unlimited, http1, no-button, in-flight:N, lights-per-second:N, "
            + "groups-per-second:N, latency:MILLISECONDS, most-lights:N"
    }
}
