import Lighting
import LightingTestKit

/// A kitchen with two lamps and a plug, a desk lamp in the study, a zone over both, a scene, and their stack.
enum HomeFixture {
    static let desk = Light.make("desk", name: "Desk", brightness: 0.5, temperature: 366)
    static let stove = Light.make("stove", name: "Stove", power: .off, modes: [.ct])
    static let sink = Light.make("sink", name: "Sink", brightness: 0.25, hue: 1.0 / 3, saturation: 1, mode: .hsb)
    static let fan = Light.plug()
    static let lights = [desk, stove, sink, fan]
    static let kitchen = Room.make("kitchen", name: "Kitchen", lights: [stove, sink, fan])
    static let study = Room.make("study", name: "Study", lights: [desk])
    static let evening = Room.make("evening", name: "Evening", kind: .zone, lights: [desk, sink])
    static let rooms = [kitchen, study, evening]
    static let relax = Scene(
        id: Scene.ID(bridge: .sample, resource: "relax"), name: "Relax", room: kitchen.id, lights: [stove.id, sink.id])

    static var state: AppState { .make(lights: lights, rooms: rooms, scenes: [relax]) }
    static var stack: MemoryStack { MemoryStack(lights: lights, rooms: rooms, scenes: [relax]) }
}
