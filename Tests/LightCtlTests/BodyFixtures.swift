import ControlProtocol

@testable import lightctl

extension LightBody {
    static func make(
        _ name: String = "Desk", id: String? = nil, room: String? = "Study", power: Turn = .on,
        brightness: Double? = 40, color: String? = nil, temperature: Int? = 370,
        mode: LightValuesBody.Mode? = .temperature,
        freshness: Freshness = .confirmed, bridge: String = "b", cause: CauseBody = .make()
    ) -> LightBody {
        LightBody(
            id: id ?? "b/\(name)", name: name, room: room, power: power,
            .init(brightness: brightness, color: color, temperature: temperature, mode: mode), freshness: freshness,
            since: "2026-11-21T09:42:03Z", bridge: bridge, cause: cause)
    }
}

extension CauseBody {
    static func make(
        _ kind: Kind = .command, by: String? = "anna (uid 1000) with lightctl", what: String? = "set Desk to 40%"
    )
        -> CauseBody
    {
        CauseBody(kind: kind, by: by, at: "2026-11-21T09:30:01Z", ticket: 7, what: what)
    }
}

extension BridgeBody {
    static func make(_ id: String = "001788fffe000001", connected: Bool = true, lights: Int = 3) -> BridgeBody {
        BridgeBody(
            id: id, name: "Home", model: "BSB002", address: "192.0.2.10:443", connected: connected,
            since: "2026-11-21T09:42:03Z", reason: connected ? nil : "no route", lights: lights)
    }
}

extension DiscoveryBody {
    static func make(
        _ id: String? = "001788fffe000001", name: String = "Home", paired: Bool = false
    ) -> DiscoveryBody {
        DiscoveryBody(
            id: id, name: name, model: "BSB002", address: id == nil ? nil : "192.0.2.10:443", paired: paired,
            attempts: [.init(way: "mdns", asked: "_hue._tcp", result: "answered", succeeded: id != nil)])
    }
}

extension Terminal {
    static func screen(_ columns: Int = 100, colours: Colours = .none, unicode: Bool = true) -> Terminal {
        Terminal(isTerminal: true, colours: colours, columns: columns, unicode: unicode)
    }
}

extension WallClock {
    /// 21 November 2026, 10:00 UTC, in a zone one hour east of UTC.
    static let noon = WallClock(now: Moment(milliseconds: 1_795_255_200_000)) { _ in 3600 }
}

extension SensorBody {
    /// A motion sensor that saw nobody. A test names only what matters to it.
    static func make(_ name: String = "Hall", room: String? = "Hall") -> SensorBody {
        let then = "2026-11-21T09:41:00Z"
        return SensorBody(
            id: "b/\(name)", name: name, room: room, product: "Hue motion sensor",
            reports: [.motion, .lightLevel, .temperature, .battery], motion: .init(false, since: then),
            lightLevel: .init(12, since: then), temperature: .init(20.5, since: then), battery: .init(80, since: then),
            bridge: "b")
    }

    /// A dial whose second button was pressed.
    static func dial(_ name: String = "Dial") -> SensorBody {
        SensorBody(
            id: "b/\(name)", name: name, reports: [.battery, .buttons, .dial], battery: .init(9, since: ""),
            buttons: (1...4).map { .init($0, last: $0 == 2 ? .init(.pressed, since: "2026-11-21T09:41:00Z") : nil) },
            bridge: "b")
    }
}
