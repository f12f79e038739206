import ControlProtocol
import Foundation
import TestSupport
import Testing

/// Rooms and scenes made with the real programs, on a bridge with an event stream and on those that are polled.
@Suite(.timeLimit(.minutes(5)))
struct RoomProgramTests {
    @Test(arguments: ["BSB002", "BSB001", "deCONZ"])
    func `a room and a scene are made, used and deleted, and another client sees it`(model: String) async throws {
        try await ProgramsFixture.running(lightsim: ["--model", model]) { programs in
            func list<Body: Decodable>(_ kind: String) async throws -> [Body] {
                try JSONDecoder().decode(
                    [Body].self, from: Data(try await programs.lightctl("--json", "list", kind).output.utf8))
            }
            func members(_ room: String) async throws -> Set<String>? {
                let (rooms, lights): ([RoomBody], [LightBody]) = (try await list("rooms"), try await list("lights"))
                let names = Dictionary(uniqueKeysWithValues: lights.map { ($0.id, $0.name) })
                return rooms.first { $0.name == room }.map { Set($0.lights.compactMap { names[$0] }) }
            }
            func light(_ name: String) async throws -> LightBody {
                let lights: [LightBody] = try await list("lights")
                return try #require(lights.first { $0.name == name })
            }
            func expectDone(_ arguments: String...) async throws {
                let end = try await programs.lightctl(arguments)
                #expect(end.status == 0 && end.errors.isEmpty, "\(arguments): \(end)")
            }
            #expect(try await programs.lightctl("pair").status == 0)
            let watch = try programs.start("watch")
            defer { watch.signal(SIGKILL) }
            try await until("watch has begun") { watch.errors.contains("watching 5 lights") }

            // Without waiting for anything: each reply comes when the bridge has reported the change.
            try await expectDone("room", "create", "Office", "desk", "Stove")
            #expect(try await members("Office") == ["Desk", "Stove"])
            #expect(try await members("Living") == ["Sofa", "Fan"])
            #expect(try await light("Desk").room == "Office")
            try await expectDone("room", "add", "@office", "fan")
            try await expectDone("room", "remove", "office", "Stove", "fan")
            #expect(try await members("Office") == ["Desk"])
            try await expectDone("room", "rename", "office", "Study")
            try await expectDone("zone", "create", "Work", "@study", "sofa")
            #expect(try await members("Work") == ["Desk", "Sofa"])
            #expect(try await members("Living") == ["Sofa"])

            try await expectDone("set", "@work", "--brightness", "40%", "--over", "0s")
            try await expectDone("scene", "save", "Cosy", "@work")
            try await expectDone("turn", "off", "@work", "--over", "0s", "--wait")
            #expect(try await light("Desk").power == .off)
            try await expectDone("recall", "cosy", "--over", "0s")
            try await until("the lamps show the scene") {
                let (desk, sofa) = (try await light("Desk"), try await light("Sofa"))
                return [desk, sofa].allSatisfy { $0.power == .on && abs(($0.brightness ?? 0) - 40) < 1 }
            }
            try await expectDone("dim", "desk", "80%", "--over", "0s", "--wait")
            try await expectDone("scene", "update", "cosy")
            let shown = try await programs.lightctl("scene", "show", "work/cosy")
            let rows = shown.output.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
            #expect(Set(rows.map { $0[0] }) == ["Desk", "Sofa"] && rows.allSatisfy { $0[1] == "on" && $0.count == 5 })
            #expect(rows.first { $0[0] == "Desk" }?[2] == "80%", "\(shown)")
            try await expectDone("scene", "rename", "cosy", "Late")
            try await expectDone("identify", "desk")

            try await until("another client has seen it") {
                [
                    "room Office: new", "Desk: moved to Office", "room Office: renamed to Study",
                    "scene Cosy: renamed to Late",
                ].allSatisfy {
                    watch.output.contains($0)
                }
            }
            try await expectDone("scene", "delete", "late")
            try await expectDone("zone", "delete", "work")
            try await expectDone("room", "delete", "study")
            let scenes: [SceneBody] = try await list("scenes")
            #expect(!scenes.contains { $0.name == "Late" })
            #expect(try await members("Study") == nil)
            #expect(try await light("Desk").room == nil)
            try await until("another client has seen the end") { watch.output.contains("room Study: removed") }

            // At once: one is made, and the others are told so. Two lights put into a room at once are both in it.
            let attempts = try (1...4).map { _ in try programs.start("room", "create", "Loft") }
            defer { for attempt in attempts { attempt.signal(SIGKILL) } }
            var ends: [Program.End] = []
            for attempt in attempts { ends.append(try await attempt.end()) }
            #expect(ends.count { $0.status == 0 } == 1, "\(ends)")
            #expect(
                ends.count { $0.status == 1 && $0.errors.contains("there is already a room 'Loft'") } == 3, "\(ends)")
            let movers = try ["Desk", "Sofa"].map { light in
                try programs.start("--json", "room", "add", "loft", light)
            }
            defer { for mover in movers { mover.signal(SIGKILL) } }
            for mover in movers { #expect(try await mover.end().status == 0) }
            #expect(movers[1].output.contains(#""room":"Living""#), "\(movers[1].output)")
            #expect(try await members("Loft") == ["Desk", "Sofa"])

            // What cannot be done says why, and exits with the code for it.
            for (arguments, status, words) in [
                (["room", "create", "living"], 1, "there is already a room 'Living'"),
                (
                    ["room", "delete", "downstairs"], 4,
                    "'Downstairs' is a zone, not a room\nhint: use 'lightctl zone delete'"
                ),
                (["room", "create", "\u{200B}"], 64, "a name must consist of printable characters"),
                (["scene", "save", "Odd"], 64, "name the room or zone whose lights the scene is to store"),
                (["scene", "show", "evning"], 4, "did you mean 'Evening'?"),
                (["room", "remove", "kitchen", "fan"], 1, "'Fan' cannot be removed from 'Kitchen'"),
            ] as [([String], CInt, String)] {
                let end = try await programs.lightctl(arguments)
                #expect(end.status == status && end.errors.contains(words), "\(arguments): \(end)")
            }
            watch.signal(SIGTERM)
        }
    }
}
