import HueWire

/// A lamp that the bridge does not know yet. The next search finds it.
struct NewLamp: Hashable, Sendable {
    let name: String
    let kind: LampKind

    /// The lamp as the bridge adds it: on, in no room.
    func lamp(in context: DecisionContext) -> Lamp {
        let place = "made/\(context.home.made)"
        return Lamp(
            id: context.newID(.light), name: name, kind: kind, number: context.home.freeLampNumber,
            ids: Lamp.Services(context.derive, place), lightState: LightState(isOn: true, tint: kind.powerOnTint))
    }
}
