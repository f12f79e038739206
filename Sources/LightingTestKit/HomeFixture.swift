public import Lighting

/// A kitchen with two lamps and a plug, a desk lamp in the study, a zone over both, a scene, and their stack.
public enum HomeFixture {
    public static let desk = Light.make("desk", name: "Desk", brightness: 0.5, temperature: 366)
    public static let stove = Light.make("stove", name: "Stove", power: .off, modes: [.ct])
    public static let sink = Light.make("sink", name: "Sink", brightness: 0.25, hue: 1.0 / 3, saturation: 1, mode: .hsb)
    public static let fan = Light.plug()
    public static let lights = [desk, stove, sink, fan]
    public static let kitchen = Room.make("kitchen", name: "Kitchen", lights: [stove, sink, fan])
    public static let study = Room.make("study", name: "Study", lights: [desk])
    public static let evening = Room.make("evening", name: "Evening", kind: .zone, lights: [desk, sink])
    public static let rooms = [kitchen, study, evening]
    public static let relax = Scene(
        id: Scene.ID(bridge: .sample, resource: "relax"), name: "Relax", room: kitchen.id, lights: [stove.id, sink.id])

    public static var state: AppState { .make(lights: lights, rooms: rooms, scenes: [relax]) }
    public static var stack: MemoryStack { MemoryStack(lights: lights, rooms: rooms, scenes: [relax]) }
}
