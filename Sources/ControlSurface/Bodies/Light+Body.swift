public import ControlProtocol
import Khipu
public import Lighting

extension Light {
    /// The light with the names of its room, its zones and its cause.
    func body(room: Room?, zones: [Room], in home: Directory) -> LightBody {
        LightBody(
            id: id.description,
            name: name,
            room: room?.name,
            zones: zones.map(\.name),
            power: power,
            LightValuesBody(of: self),
            freshness: freshness.body,
            since: freshness.since.iso8601,
            bridge: id.bridge.description,
            display: home.display(of: self),
            limits: LightBody.Limits(
                coolest: limits.temperature?.lowerBound.value,
                warmest: limits.temperature?.upperBound.value,
                minimumDimLevel: limits.minimumDimLevel,
                effects: limits.effects,
                gradientPoints: limits.gradientPoints
            ),
            configuration: configuration,
            signal: signal.map { LightBody.Signal($0.colors.map(\.swatch.hex), until: $0.end.iso8601) },
            cause: shownBecause.body(in: home, of: id),
            follows: home.follows(of: self),
            excludedFrom: home.exclusions(of: self)
        )
    }
}

extension [Light] {
    /// That of those that have levels; `nil` if none has.
    var meanBrightness: Double? { filter(\.limits.dims).map(\.brightness).mean }
}

extension Freshness {
    public var body: LightBody.Freshness {
        switch self {
        case .confirmed: .confirmed
        case .expected: .expected
        case .stale: .stale
        case .unreachable: .unreachable
        }
    }

    fileprivate var since: Timestamp {
        switch self {
        case let .confirmed(at: time), let .stale(since: time), let .unreachable(since: time): time
        case let .expected(by: ticket): ticket.time
        }
    }

    /// Whether the values may be wrong.
    public var isInDoubt: Bool {
        switch self {
        case .stale, .unreachable: true
        case .confirmed, .expected: false
        }
    }
}

extension [Double] {
    /// `nil` if there are none.
    var mean: Double? { isEmpty ? nil : reduce(0, +) / Double(count) }
}
