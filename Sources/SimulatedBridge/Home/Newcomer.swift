import HueWire

/// A lamp that somebody has unpacked and screwed in, and that no bridge knows yet. The next search finds it.
struct Newcomer: Hashable, Sendable {
    let name: String
    let kind: LampKind

    /// The lamp as the bridge takes it in: on, as new ones are, in no room.
    func lamp(in situation: Situation) -> Lamp {
        let place = "made/\(situation.home.made)"
        return Lamp(
            id: situation.newID(.light), name: name, kind: kind, number: situation.home.freeLampNumber,
            ids: Lamp.Services(situation.derive, place), look: Look(isOn: true, tint: kind.dawn))
    }
}
