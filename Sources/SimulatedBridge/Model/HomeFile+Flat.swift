extension HomeFile {
    /// The default home, equal to `Config/homes/flat.yaml`.
    public static let flat = HomeFile(
        bridge: Bridge(name: "Flat", model: nil),
        rooms: [
            Room(
                name: "Kitchen", archetype: "kitchen",
                lights: [
                    Light(name: "Stove", kind: .ambiance, on: true, brightness: 80, mirek: 250),
                    Light(name: "Counter", kind: .dimmable),
                ]),
            Room(
                name: "Living", archetype: "living_room",
                lights: [
                    Light(name: "Desk", kind: .color),
                    Light(name: "Sofa", kind: .ambiance, mirek: 400),
                    Light(name: "Fan", kind: .plug),
                ]),
        ],
        zones: [Zone(name: "Downstairs", archetype: "downstairs", lights: ["Stove", "Counter", "Desk", "Sofa"])],
        scenes: [
            Scene(
                name: "Bright", group: "Kitchen",
                lights: ["Stove": LightState(brightness: 100, mirek: 230), "Counter": LightState(brightness: 100)]),
            Scene(
                name: "Evening", group: "Living",
                lights: [
                    "Desk": LightState(brightness: 40, xy: [0.561, 0.4042]),
                    "Sofa": LightState(brightness: 30, mirek: 447),
                ]),
            Scene(name: "Reading", group: "Living", lights: ["Sofa": LightState(brightness: 100, mirek: 300)]),
        ]
    )
}
