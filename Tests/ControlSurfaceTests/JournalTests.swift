import ControlProtocol
import ControlSurface
import HashTreeCollections
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

@Suite struct JournalTests {
    @Test func `a log entry has the sender, the command in words, and the outcome`() async throws {
        try await SurfaceFixture.run { surface in
            try await surface.perform(.turn(to: .on, target: "@kitchen", over: 1500), from: "me")
            let entries = try await surface.surface.log(Journal.Filter(limit: 100), from: "test")
            #expect(entries.map(\.number) == Array(1...Int64(entries.count)))
            #expect(entries[0].text == "turn @Kitchen on over 1.5 s")
            #expect(entries[0].holder == "me" && entries[0].ticket == 1 && entries[0].outcome == nil)
            let answer = try #require(entries.last { $0.outcome != nil })
            #expect(answer.text == "turn @Kitchen on" && answer.outcome == "succeeded" && answer.ticket == 1)
            #expect(entries.contains { $0.text == "Sink is on" && $0.ticket == nil })
            // Reading is not recorded.
            #expect(try await surface.surface.log(Journal.Filter(limit: 100), from: "test").count == entries.count)
        }
    }

    @Test func `a log entry names its gesture, and a report the command whose effect it is`() async throws {
        try await SurfaceFixture.run { surface in
            let command = Command.turn(to: .on, target: "@kitchen")
            _ = try await surface.surface.perform(CommandRequest(command, wait: true, gesture: "drag"), from: "me")
            let entries = try await surface.surface.log(Journal.Filter(limit: 100), from: "test")
            #expect(entries.filter { $0.gesture == "drag" }.map(\.ticket) == [1, 1])
            surface.home.stack.tell(
                .light(
                    HomeFixture.fan.id,
                    Light.Report(
                        power: .on, source: .command(Ticket(number: 1, holder: "me", time: .sample)))))
            surface.home.stack.tell(.light(HomeFixture.desk.id, Light.Report(power: .off, source: .accessory("Hall"))))
            try await until("both reports are in the log") {
                let newest = try await surface.surface.log(Journal.Filter(limit: 2), from: "test")
                return newest.map(\.causedBy) == [1, nil] && newest.allSatisfy { $0.gesture == nil }
            }
        }
    }

    @Test(
        arguments: [
            (Light.plug(), Light.Report(HomeFixture.fan.values, reachable: true), "Fan is in reach, on"),
            (
                Light.make("desk", name: "Desk", modes: []),
                Light.Report(Light.Values(brightness: 0.4), reachable: true),
                "Desk is in reach, off, 40%"
            ),
            (Light.make(), Light.Report(power: .on, source: .accessory("Hall")), "Desk is on (wall switch Hall)"),
            (Light.make(), Light.Report(power: .on, source: .power), "Desk is on (power came back)"),
            (Light.make(), Light.Report(temperature: 250.mirek), "Desk is 250 mirek"),
            (
                Light.make(), Light.Report(configuration: LightConfiguration(powerup: .safety)),
                "Desk does 'safety' after a power cut"
            ),
            (Light.make(), Light.Report(), "Desk is as it was"),
        ] as [(Light, Light.Report, String)])
    func `a report in the log says what the lamp can show, and what changed it`(
        light: Light, report: Light.Report, text: String
    ) async throws {
        try await SurfaceFixture.run(in: .make(lights: [light]), stack: MemoryStack(lights: [light])) { surface in
            surface.home.stack.tell(.light(light.id, report))
            try await until("the report is in the log") {
                try await surface.surface.log(Journal.Filter(limit: 100), from: "test").last?.text == text
            }
        }
    }

    @Test(
        arguments: [
            (.sensor(Sensor.make().id, Sensor.Report(motion: true)), "Hall: motion"),
            (.sensor(Sensor.make().id, Sensor.Report(motion: false, lightLevel: 12)), "Hall: no motion, 12 lux"),
            (.sensor(Sensor.make().id, Sensor.Report(contact: .open)), "Hall: open"),
            (.sensor(Sensor.make().id, Sensor.Report(press: .init(2, .longPressed))), "Hall: button 2 pressed long"),
            (.sensor(Sensor.make().id, Sensor.Report(rotation: -250)), "Hall: turned 90° counter-clockwise"),
            (.sensor(Sensor.make().id, Sensor.Report(tampering: true)), "Hall: tampered with"),
            (.sensor(Sensor.make().id, Sensor.Report(reachable: false)), "Hall: out of reach"),
            (.changed(.sensor(.make())), "sensor 'Hall' has changed"),
            (.changed(.sensor(.make(name: "Stairs"))), "Hall is now called 'Stairs'"),
            (.added(.sensor(.dimmer())), "new sensor: 'Dimmer'"),
            (.removed(.sensor(Sensor.make().id)), "Hall was removed"),
        ] as [(BridgeUpdate, String)])
    func `what a sensor tells is in the log, by its name`(update: BridgeUpdate, text: String) async throws {
        try await SurfaceFixture.run(in: .make(sensors: [.make()]), stack: MemoryStack(sensors: [.make()])) { surface in
            surface.home.stack.tell(update)
            try await until("it is in the log") {
                try await surface.surface.log(Journal.Filter(limit: 100), from: "test").last?.text == text
            }
        }
    }

    @Test func `a full report in the log has its size, and the names of what changed`() async throws {
        try await SurfaceFixture.run { surface in
            func newest() async throws -> String? {
                try await surface.surface.log(Journal.Filter(limit: 100), from: "test").last {
                    $0.text.hasPrefix("reported ")
                }?.text
            }
            try await surface.perform(.load)
            #expect(try await newest() == "reported 4 lights, 3 rooms and zones, 1 scene")
            // Another bulb in the desk lamp, and no scene any more.
            let desk = HomeFixture.desk.alter(by: .adding(.mode(.ct)), .renaming(.it(to: "Table")))
            surface.home.stack.tell(
                .home(
                    .sample, lights: [desk, HomeFixture.stove, HomeFixture.sink, HomeFixture.fan],
                    rooms: HomeFixture.rooms, scenes: []))
            let text = "reported 4 lights, 3 rooms and zones, 0 scenes; changed: Table; removed: Kitchen/Relax"
            try await until("the report is in the log") { try await newest() == text }
        }
    }

    @Test func `a failure in the log has its reason and its remedy`() async throws {
        try await SurfaceFixture.run { surface in
            surface.home.stack.end(with: .failed(.keyRefused(by: .sample)))
            _ = await surface.error(of: .toggle(target: "desk"))
            let entries = try await surface.surface.log(Journal.Filter(limit: 100), from: "test")
            #expect(
                entries.contains {
                    $0.outcome == "failed"
                        && $0.text == "toggle Desk to off: bridge 'Study bridge' no longer accepts lightd's key; "
                            + "run 'lightctl pair ecb5fafffe010203' and press its link button"
                })
        }
    }

    @Test(arguments: [
        (Command.turn(to: .off, target: "desk"), "turn Desk off"), (.toggle(target: "desk"), "toggle Desk"),
        (.set(.init(brightness: 40), target: "desk", over: 500), "set Desk to 40% over 0.5 s"),
        (
            .set(.init(brightness: 5, hue: 120, saturation: 50), target: "desk"),
            "set Desk to hue 120°, saturation 50%, 5%"
        ),
        (.set(.init(temperature: 250), target: "desk"), "set Desk to 250 mirek"),
        (.increase(.brightness, by: 2.5, target: "desk"), "increase brightness of Desk by 2.5%"),
        (.decrease(.hue, by: 10, target: "desk"), "decrease hue of Desk by 36°"),
        (.increase(.temperature, by: 25, target: "desk"), "increase temperature of Desk by 25%"),
        (
            .increase(.brightness, by: 10, target: "desk", .init(perceptual: true)),
            "increase brightness of Desk by 10% to the eye"
        ),
        (
            .decrease(.brightness, by: 5, target: "@kitchen", .init(keepRatios: true)),
            "decrease the mean brightness of @Kitchen by 5%"
        ),
        (.rename(target: "desk", name: "Table"), "rename Desk to 'Table'"),
        (.recall(scene: "relax"), "recall Kitchen/Relax"), (.undo(), "undo 1 command"),
        (.recall(scene: "relax", dynamic: true, speed: 60), "recall Kitchen/Relax dynamically at 60%"),
        (.recall(scene: "relax", dynamic: false), "recall Kitchen/Relax statically"),
        (.redo(steps: 2), "redo 2 commands"),
        (.configure(target: "desk", .powerup(.safety)), "set what Desk does after a power cut to 'safety'"),
        (.load, "load lights"), (.discover(seconds: 1), "look for bridges for 1 s"),
        (.pair(seconds: 3), "pair with the bridge in reach, waiting 3 s"),
        (.forget(bridge: "study bridge"), "forget bridge ecb5fafffe010203"), (.pin(target: "@kitchen"), "pin @Kitchen"),
        (.move(target: "@kitchen", place: 2), "move @Kitchen to place 2"),
        (.display(target: "all", as: .scrubbing), "show all by scrubbing"),
        (.away(to: .off), "away mode ended"),
        (.prune(days: 0), "prune the log of entries older than 2026-09-21T14:13:20.000Z"),
    ])
    func `every command has its text in the log`(command: Command, text: String) async throws {
        try await SurfaceFixture.run { surface in
            // Nothing but the forgotten bridge changes, so that the names are still the same afterwards.
            surface.home.stack.end(with: .failed(.notPaired))
            _ = await surface.error(of: command)
            let entries = try await surface.surface.log(Journal.Filter(limit: 100), from: "test")
            #expect(entries.first { $0.ticket == 1 }?.text == text)
        }
    }

    @Test(arguments: [("desk", "Table", "Desk", "a light"), ("@kitchen", "Hall", "@Kitchen", "a room")])
    func `a renamed light or room is not said to have had its new name before`(
        target: String, name: String, former: String, kind: String
    ) async throws {
        try await SurfaceFixture.run { surface in
            try await surface.perform(.rename(target: target, name: name))
            let texts = try await surface.surface.log(Journal.Filter(limit: 100), from: "test").map(\.text)
            #expect(
                texts == [
                    "rename \(former) to '\(name)'", "\(former) is now called '\(name)'",
                    // By then it has the name.
                    "rename \(kind) to '\(name)'",
                ])
        }
    }

    @Test func `the log calls things what they were called then, also when they are gone`() async throws {
        try await SurfaceFixture.run { surface in
            let (desk, kitchen, relax) = (HomeFixture.desk.id, HomeFixture.kitchen.id, HomeFixture.relax.id)
            try await surface.perform(.turn(to: .off, target: "desk"))
            try await surface.perform(.recall(scene: "relax"))
            surface.home.stack.tell(.light(desk, Light.Report(power: .on, source: .scene(relax, by: nil))))
            try await surface.perform(.rename(target: "desk", name: "Table"))
            try await surface.perform(.toggle(target: "@kitchen"))
            for update in [
                BridgeUpdate.removed(.scene(relax)), .removed(.room(kitchen)), .removed(.light(desk)),
            ] {
                surface.home.stack.tell(update)
            }
            try await until("the light is gone") { surface.surface.latest.snapshot.state.lights[desk] == nil }
            let texts = try await surface.surface.log(Journal.Filter(limit: 100), from: "test").map(\.text)
            for text in [
                "turn Desk off", "recall Kitchen/Relax", "Desk is on (scene Kitchen/Relax)", "toggle @Kitchen",
                "Kitchen/Relax was removed", "@Kitchen was removed", "Table was removed",
            ] {
                #expect(texts.contains(text), "\(text): \(texts)")
            }
            #expect(!texts.contains { $0.contains(Bridge.ID.sample.description) }, "\(texts)")
        }
    }

    @Test func `what an older version has recorded has the names of today`() async throws {
        try await SurfaceFixture.run { surface in
            let message = Message.lighting(
                .identify(.light(HomeFixture.desk.id)), ticket: .unasked(from: "", at: .sample))
            surface.home.journal.journal.append(message, Journal.Names(), .sample)
            let entry = try await surface.surface.log(Journal.Filter(limit: 1), from: "test").last
            #expect(entry?.text == "identify Desk")
        }
    }

    @Test func `a new entry of the journal is signalled, a read is not`() async throws {
        try await SurfaceFixture.run { surface in
            let subscriber = surface.surface.journalChanges.subscribe()
            _ = try await surface.surface.log(Journal.Filter(limit: 1), from: "test")
            subscriber.send(.timer)
            var signals = subscriber.signals.makeAsyncIterator()
            #expect(await signals.next() == .timer)
            try await surface.perform(.pin(target: "desk"))
            #expect(await signals.next() == .changed)
        }
    }
}
