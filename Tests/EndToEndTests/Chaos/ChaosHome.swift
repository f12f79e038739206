import SimulatedBridge

/// The home of the chaos.
enum ChaosHome {
    static let rooms = [
        "Kitchen": ["Stove", "Counter"], "Living": ["Desk", "Sofa", "Fan"], "Study": ["Lamp", "Shelf"],
    ]
    static let zone = ["Stove", "Counter", "Desk", "Sofa"]
    static let lamps = rooms.values.flatMap(\.self).sorted()
    /// On or off only.
    static let plug = "Fan"
    /// Nobody ever names it; an app moves it between two rooms.
    static let bystander = "Spot"
    /// Only automations name it.
    static let byTheClock = "Porch"
    static let everything = lamps + [bystander, byTheClock]

    static let yaml = """
        bridge: { name: Flat }
        rooms:
          - name: Kitchen
            lights:
              - { name: Stove, kind: ambiance, on: true, brightness: 80, mirek: 250 }
              - { name: Counter, kind: dimmable }
            accessories:
              - { name: Kitchen switch, kind: switch }
          - name: Living
            lights:
              - { name: Desk, kind: color }
              - { name: Sofa, kind: ambiance, mirek: 400 }
              - { name: Fan, kind: plug }
          - name: Study
            lights:
              - { name: Lamp, kind: dimmable }
              - { name: Shelf, kind: dimmable }
            accessories:
              - { name: Study dimmer, kind: switch }
          - name: Hall
            lights:
              - { name: Spot, kind: dimmable, on: true, brightness: 70 }
              - { name: Porch, kind: dimmable, on: true, brightness: 30 }
            accessories:
              - { name: Hall sensor, kind: motion }
        zones:
          - { name: Downstairs, lights: [Stove, Counter, Desk, Sofa] }
        scenes:
          - name: Bright
            group: Kitchen
            lights:
              Stove: { brightness: 100, mirek: 230 }
              Counter: { brightness: 100 }
          - name: Evening
            group: Living
            lights:
              Desk: { brightness: 40, xy: [0.561, 0.4042] }
              Sofa: { brightness: 30, mirek: 447 }
        """

    /// The automation that begins when nobody has moved for ``quietTime``.
    static let quiet = "Quiet"
    static let quietTime = Duration.seconds(6)

    /// What the clock and a sensor start. It asks again and again for the same, so that a run too many shows in the log
    /// alone.
    static let automations = """
        automations:
          - { name: Morning, when: "06:40", do: set Porch --brightness 30% }
          - { name: Night, when: "23:05", do: set Porch --brightness 30% }
          - { name: Dusk, when: sunset - 10m, do: set Porch --brightness 30% }
          - { name: \(quiet), when: no motion Hall sensor for 6s, do: set Porch --brightness 30% }
        """

    static func file() throws -> HomeFile { try HomeFile(yaml: yaml, path: "chaos") }
}
