import ControlProtocol

/// The line printed after a command to rooms or scenes: "created room Office: 2 lights".
enum ArrangingText {
    /// - Parameter done: what was done; empty if the line says it without.
    static func line(_ done: String, _ room: RoomBody) -> String {
        line(done, printable(room.name), room.lights.count)
    }

    static func line(_ done: String, _ scene: SceneBody) -> String {
        line(done, (scene.room.map { printable($0) + "/" } ?? "") + printable(scene.name), scene.lights.count)
    }

    private static func line(_ done: String, _ name: String, _ lights: Int) -> String {
        (done.isEmpty ? "" : done + " ") + "\(name): \(counted(lights, "light"))"
    }
}
