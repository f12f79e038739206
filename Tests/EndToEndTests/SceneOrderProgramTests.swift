import ControlProtocol
import Foundation
import TestSupport
import Testing

/// The order of a room's scenes, with the real programs.
@Suite(.timeLimit(.minutes(5)))
struct SceneOrderProgramTests {
    private static let home = """
        bridge: { name: Flat }
        rooms:
          - name: Living
            lights:
              - { name: Desk, kind: dimmable, on: true }
              - { name: Lamp, kind: dimmable, on: true }
            accessories:
              - { name: Dial Living, kind: dial }
          - name: Kitchen
            lights:
              - { name: Stove, kind: dimmable, on: true }
        scenes:
          - { name: Bright, group: Living, lights: { Desk: { brightness: 100 } } }
          - { name: Night, group: Living, lights: { Desk: { brightness: 10 } } }
          - { name: Relax, group: Living, lights: { Desk: { brightness: 40 } } }
          - { name: Night, group: Kitchen, lights: { Stove: { brightness: 10 } } }
        """

    @Test func `scenes are put into an order that a restart keeps, whatever becomes of them on the bridge`()
        async throws
    {
        try await Self.running { programs, app in
            let file = programs.place.path + "/home.backup"
            let watch = try programs.start("watch", "--lines")
            defer { watch.signal(SIGKILL) }
            try await until("watch has begun") { watch.errors.contains("watching 3 lights") }
            #expect(try await programs.order() == ["Bright", "Night", "Relax"])

            let dry = try await programs.run("--json", "scene", "reorder", "living", "relax", "--dry-run")
            let planned = try JSONDecoder().decode(CommandReply.self, from: Data(dry.utf8))
            #expect(planned.scenes == ["Relax", "Bright", "Night"] && planned.requests == [])
            #expect(try await programs.order() == ["Bright", "Night", "Relax"])
            _ = try await programs.run("scene", "reorder", "@living", "Relax", "night")
            #expect(try await programs.order() == ["Relax", "Night", "Bright"])
            try await until("the order is told") { watch.output.contains("scene Relax: now at place 1") }
            let bound = try await programs.run("--json", "bind", "dial living", "@living")
            #expect(
                try JSONDecoder().decode(CommandReply.self, from: Data(bound.utf8)).binding?.scenes
                    == ["Relax", "Night", "Bright"])
            let log = try await programs.run("log", "--limit", "20")
            #expect(log.contains("reorder scenes of @Living: Living/Relax, Living/Night first"), "\(log)")

            // A backup has the order; what comes after it is another one, until the backup is restored. lightd begins anew.
            _ = try await programs.run("backup", file)
            let moved = try await programs.run("--json", "scene", "reorder", "living", "Bright")
            #expect(
                try JSONDecoder().decode(CommandReply.self, from: Data(moved.utf8)).scenes
                    == ["Bright", "Relax", "Night"])
            _ = try await programs.run("restore", file)
            try await until("the order is that of the backup") {
                try await programs.order() == ["Relax", "Night", "Bright"]
            }

            // A scene that is deleted goes out of the order, and a new one comes last.
            let relax = try await programs.scene("Relax")
            try await app.delete("scene", String(relax.id.split(separator: "/").last ?? ""))
            try await until("the scene is gone") { try await programs.order() == ["Night", "Bright"] }
            _ = try await programs.run("scene", "save", "Attic", "@living")
            #expect(try await programs.order() == ["Night", "Bright", "Attic"])
            _ = try await programs.run("scene", "rename", "living/night", "Zzz")
            #expect(try await programs.order() == ["Zzz", "Bright", "Attic"])

            _ = try await programs.run("scene", "reorder", "living", "--by-name")
            #expect(try await programs.order() == ["Attic", "Bright", "Zzz"])
        }
    }

    @Test func `an order that cannot be made is refused with the reason`() async throws {
        try await Self.running { programs, _ in
            for (words, status, reason) in [
                (["living", "relx"], 4, "no scene of @Living is called 'relx'; did you mean 'Relax'?"),
                (["kitchen", "relax"], 4, "no scene of @Kitchen is called 'relax'"),
                (["attic", "relax"], 4, "no room or zone is called 'attic'"),
                (["living"], 64, "name the scenes that come first"),
            ] as [([String], CInt, String)] {
                let refused = try await programs.lightctl(["scene", "reorder"] + words)
                #expect(refused.status == status && refused.errors.contains(reason), "\(words): \(refused)")
            }
            #expect(try await programs.order() == ["Bright", "Night", "Relax"])
        }
    }

    private static func running(_ body: (ProgramsFixture, OtherApp) async throws -> Void) async throws {
        try await ProgramsFixture.running(home: home) { programs in
            _ = try await programs.run("pair")
            try await until("the scenes are there") { try await programs.order().count == 3 }
            try await body(programs, try await OtherApp(pairedWith: programs.bridge, over: programs.http))
        }
    }
}

extension ProgramsFixture {
    /// Of the living room's scenes, as they are listed.
    fileprivate func order() async throws -> [String] {
        try await list(SceneBody.self, "scenes").filter { $0.room == "Living" }.map(\.name)
    }
}
