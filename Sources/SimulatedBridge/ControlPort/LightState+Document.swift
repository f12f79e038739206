import HueWire

extension LightState {
    /// As the control port shows it: on or off, and what a lamp of this kind supports.
    func document(of kind: LampKind, isLit: Bool) -> JSONValue {
        var members: [String: JSONValue] = ["on": .bool(isOn && isLit)]
        if kind.dims { members["brightness"] = .number(Level.percent(bri: level)) }
        if case let .white(mirek) = tint { members["mirek"] = .int(mirek) }
        if kind.gamut != nil { members["xy"] = .point(tint.point) }
        if !gradient.isEmpty { members["gradient"] = .array(gradient.map(JSONValue.point)) }
        switch effect {
        case .none: break
        case let .running(name, _), let .timed(name, _): members["effect"] = .string(name)
        }
        return .object(members)
    }
}
