import HueWire

/// A lamp that somebody has unpacked and screwed in, and that no bridge knows yet. The next search finds it.
struct NewLamp: Hashable, Sendable {
    let name: String
    let kind: LampKind

    /// The lamp as the bridge takes it in: on, as new ones are, in no room.
    func lamp(in context: DecisionContext) -> Lamp {
        let place = "made/\(context.home.made)"
        return Lamp(
            id: context.newID(.light), name: name, kind: kind, number: context.home.freeLampNumber,
            ids: Lamp.Services(context.derive, place), lightState: LightState(isOn: true, tint: kind.powerOnTint))
    }
}
