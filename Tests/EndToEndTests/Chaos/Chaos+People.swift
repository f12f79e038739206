import ControlProtocol
import Foundation
import HueWire
import SimulatedBridge
import TestSupport

/// What people do in a home: at the wall, in other apps, with switches, at the fuse box.
extension Chaos {
    // MARK: - One lamp

    /// Somebody does something to a lamp, of which the bridge knows at once.
    ///
    /// - Parameter isNew: whether it is something that the lamp did not show before the last commands.
    func byHand(
        _ words: String, _ lamp: String, power: LampHistory.Asked<Bool> = .untouched,
        level: LampHistory.Asked<Int> = .untouched, isNew: Bool = true, _ body: () async throws -> Void
    ) async rethrows {
        let home = await bridge.controls.home
        let id = history.begin(.hand, "\(words): \(lamp)", lamp, power, level, in: home, at: .now)
        try await body()
        history.finish([id], isCertain: isNew, at: .now)
        await concedeSunrise(lamp)
    }

    /// Somebody ends a sunrise. A step that lightd had sent before it heard of that may arrive after it. What the event
    /// stream leaves out lightd cannot hear, and when it next reads the lamp, that shows its next step: it goes on.
    private func concedeSunrise(_ lamp: String) async {
        guard sunrises.contains(lamp) else { return }
        guard hidingEvents.isEmpty else {
            count("sunrises that went on because their end was hidden")
            let home = await bridge.controls.home
            let id = history.begin(
                .lightd, "a sunrise whose end was hidden: \(lamp)", lamp, .anything, .anything, in: home, at: .now)
            history.last(id, of: lamp)
            hiddenEnds[lamp, default: []].insert(id)
            return
        }
        sunrises.remove(lamp)
        endedSunrises[lamp] = .now
        excuse([lamp], for: Self.lateStep)
    }

    /// How long after somebody has ended a sunrise a step may arrive: the bridge reports that within a second.
    static let lateStep = Duration.seconds(2)

    /// Of a lamp whose sunrise somebody has ended, allows the step that arrived just after that, too: it could not be held
    /// back any more.
    func allowLateStep(_ lamp: Lamp, _ home: SimulatedHome) async {
        guard let end = endedSunrises.removeValue(forKey: lamp.name) else { return }
        let arrived = await asked(of: ["/light/\(lamp.id)"], from: end, until: end + Self.lateStep)
        guard let dimming = arrived.compactMap(\.dimming).last else { return }
        let id = history.begin(
            .lightd, "a step that was on its way", lamp.name, .untouched, .it(level(dimming.brightness)), in: home,
            at: end)
        history.finish([id], isCertain: false, at: end)
    }

    /// What came from lightd in the same moment as somebody's hand: each of the two may be the last. A command that could
    /// not be sent in time was answered long before.
    func allowSimultaneous(_ lamp: Lamp, _ home: SimulatedHome) async {
        guard let hand = history.newest(of: lamp.name, by: [.hand, .app]), .now - hand.began < .seconds(5) else {
            return
        }
        let rooms = home.rooms.filter { $0.lamps.contains(lamp.id) }.map { "/grouped_light/\($0.groupedLight)" }
        let resources = rooms + ["/light/\(lamp.id)"]
        let arrival = await arrival(of: hand, at: resources + home.scenes.map { "/scene/\($0.id)" })
        let arrived = await asked(of: resources, from: hand.began - Self.moment, until: arrival + Self.moment)
        for step in arrived {
            let id = history.begin(
                .lightd, "what came in the same moment", lamp.name, step.on.map { .it($0.on) } ?? .untouched,
                step.dimming.map { .it(level($0.brightness)) } ?? .untouched, in: home, at: hand.began)
            history.finish([id], isCertain: false, at: hand.began)
        }
    }

    /// What is nearer than this is at the same time: a request is on its way to the bridge, and from there to the lamp.
    private static let moment = Duration.milliseconds(300)

    /// When what somebody did reached the bridge. A busy machine may take a second to send what the app asks for.
    private func arrival(of hand: LampHistory.Act, at resources: [String]) async -> Instant {
        guard hand.author == .app else { return hand.began }
        let (now, date, key) = (Instant.now, Date.now, app.key)
        let arrivals = await bridge.controls.requests.suffix(200).lazy.filter { request in
            request.method == "PUT" && request.key == key && resources.contains { request.path.hasSuffix($0) }
        }.map { now + .seconds($0.time.timeIntervalSince(date)) }
        return arrivals.first { $0 >= hand.began } ?? hand.began
    }

    /// What lightd has lately asked of resources that end like this, and what arrived in this time.
    private func asked(of resources: [String], from start: Instant, until end: Instant) async -> [Step] {
        let (now, date) = (Instant.now, Date.now)
        let time = ((start - now) / .seconds(1))..<((end - now) / .seconds(1))
        return await bridge.controls.requests.suffix(200).filter { request in
            request.method == "PUT" && request.key != app.key && resources.contains { request.path.hasSuffix($0) }
                && time.contains(request.time.timeIntervalSince(date))
        }.compactMap { Step($0.body) }
    }

    private struct Step: Decodable {
        struct Dimming: Decodable { let brightness: Double }
        struct On: Decodable { let on: Bool }
        let dimming: Dimming?
        let on: On?

        init?(_ body: String) {
            guard let step = try? JSONDecoder().decode(Self.self, from: Data(body.utf8)) else { return nil }
            self = step
        }
    }

    /// A lamp of which nothing else is being made, and that somebody can reach.
    private func pickLamp() -> String? {
        let lamp = pick(ChaosHome.lamps)
        return reserved.contains(lamp) || unpowered.contains(lamp) ? nil : lamp
    }

    /// What somebody asks of one lamp. A single lamp that shows exactly its earlier values, seconds after a command to
    /// its room, cannot be told from one that has missed it (docs/gateway.md): people ask something new.
    private func newWish(for lamp: String) async -> (power: Bool, percent: Int)? {
        let home = await bridge.controls.home
        guard let state = home.lamp(called: lamp)?.lightState else { return nil }
        if lamp == ChaosHome.plug {
            return history.isCommanded(lamp, at: .now) ? nil : (!state.isOn, 100)
        }
        if !history.isCommanded(lamp, at: .now), random.next() % 2 == 0 { return (!state.isOn, 0) }
        let percents = (1...100).filter { !hasShown(level(Double($0)), lamp) }
        return percents.isEmpty ? nil : (true, pick(percents))
    }

    func useWallSwitch() async {
        guard let lamp = pickLamp(), let wish = await newWish(for: lamp) else { return }
        count("wall switches")
        if wish.percent == 0 || lamp == ChaosHome.plug {
            await byHand("wall, \(wish.power ? "on" : "off")", lamp, power: .it(wish.power)) {
                await bridge.controls.alter(lamp, by: .turning(.it(on: wish.power)))
            }
        } else {
            let level = level(Double(wish.percent))
            await byHand("wall, \(wish.percent)%", lamp, power: .it(true), level: .it(level)) {
                await bridge.controls.alter(lamp, by: .turning(.it(on: true)), .setting(.level(to: level)))
            }
        }
    }

    func useApp() async throws {
        guard let lamp = pickLamp(), let wish = await newWish(for: lamp) else { return }
        count("lamps set by the app")
        let isDimmed = wish.percent != 0 && lamp != ChaosHome.plug
        let dimming = isDimmed ? #","dimming":{"brightness":\#(wish.percent)}"# : ""
        let home = await bridge.controls.home
        guard let id = home.lamp(called: lamp)?.id else { return }
        try await byApp(
            "app, \(wish)", [lamp], power: .it(wish.power),
            level: isDimmed ? .it(level(Double(wish.percent))) : .untouched, "light", id,
            #"{"on":{"on":\#(wish.power)}\#(dimming)}"#)
    }

    /// The app asks the bridge for something. If the bridge refuses it, or does not answer, it may have been done.
    private func byApp(
        _ words: String, _ lamps: [String], power: LampHistory.Asked<Bool>,
        level: LampHistory.Asked<Int> = .untouched, _ type: String, _ id: ResourceID, _ body: String
    ) async throws {
        let home = await bridge.controls.home
        let reached = lamps.filter { !unpowered.contains($0) }
        let acts = Set(
            reached.map { lamp in
                history.begin(
                    .app, "\(words): \(lamp)", lamp, power, lamp == ChaosHome.plug ? .untouched : level, in: home,
                    at: .now)
            })
        await ask(type, id, body, acts)
        for lamp in reached { await concedeSunrise(lamp) }
    }

    private func ask(_ type: String, _ id: ResourceID, _ body: String, _ acts: Set<Int>) async {
        do {
            try await app.put(type, "\(id)", body, deadline: .seconds(5))
            history.finish(acts, isCertain: true, at: .now)
        } catch {
            // Under most disturbances; what hangs may be carried out when they end.
            count("requests of the app that failed")
            history.finish(acts, isCertain: false, at: .now + .seconds(20))
        }
    }

    // MARK: - Several lamps

    func useAppOnRoom() async throws {
        guard let (room, lamps) = pickRoom() else { return }
        count("rooms set by the app")
        let percent = Int(1 + random.next() % 100)
        let turnsOff = random.next() % 3 == 0
        try await byApp(
            "app, room", lamps, power: .it(!turnsOff), level: turnsOff ? .untouched : .it(level(Double(percent))),
            "grouped_light", room,
            turnsOff ? #"{"on":{"on":false}}"# : #"{"on":{"on":true},"dimming":{"brightness":\#(percent)}}"#)
    }

    func recallByApp() async throws {
        let home = await bridge.controls.home
        let name = pick(["Bright", "Evening"])
        let lamps = ChaosHome.rooms[name == "Bright" ? "Kitchen" : "Living"] ?? []
        guard reserved.isDisjoint(with: lamps), unpowered.isDisjoint(with: lamps),
            let scene = home.scenes.first(where: { $0.name == name })
        else { return }
        count("scenes recalled by the app")
        let acts = beginScene(name, .app, "app: scene \(name)", home)
        await ask("scene", scene.id, #"{"recall":{"action":"active"}}"#, acts)
        for lamp in lamps { await concedeSunrise(lamp) }
    }

    /// A room of which nothing else is being made, with its grouped light.
    private func pickRoom() -> (ResourceID, [String])? {
        let name = pick(ChaosHome.rooms.keys.sorted().filter { $0 != "Study" })
        guard let lamps = ChaosHome.rooms[name], reserved.isDisjoint(with: lamps),
            unpowered.isDisjoint(with: lamps), let group = groups[name]
        else { return nil }
        return (group, lamps)
    }

    /// The bridge itself carries out what its switch says, and reports both.
    func pressSwitchOfBridge() async {
        let lamps = ChaosHome.rooms["Kitchen"] ?? []
        guard reserved.isDisjoint(with: lamps), unpowered.isDisjoint(with: lamps) else { return }
        await press(turnsOn: random.next() % 2 == 0)
    }

    private func press(turnsOn: Bool) async {
        count("switches pressed")
        do {
            try await bridge.controls.report("Kitchen switch", .button(turnsOn ? 1 : 4, "initial_press", at: clock.now))
        } catch {
            breaks("the test", "\(error)")
        }
        for lamp in ChaosHome.rooms["Kitchen"] ?? [] {
            await byHand("switch, \(turnsOn ? "on" : "off")", lamp, power: .it(turnsOn)) {
                await bridge.controls.alter(lamp, by: .turning(.it(on: turnsOn)))
            }
        }
    }

    /// lightd carries out what its switch says. The bridge may lose the press: a press that was missed is only state.
    func pressSwitchOfLightd() async {
        let lamps = ["Desk", "Sofa"]
        guard reserved.isDisjoint(with: lamps) else { return }
        count("bound switches pressed")
        let home = await bridge.controls.home
        let acts = Set(
            (ChaosHome.rooms["Living"] ?? []).map {
                history.begin(.lightd, "bound switch: off", $0, .it(false), .untouched, in: home, at: .now)
            })
        do {
            try await bridge.controls.report("Study dimmer", .button(4, "initial_press", at: clock.now))
            try await bridge.controls.report("Study dimmer", .button(4, "short_release", at: clock.now))
        } catch {
            breaks("the test", "\(error)")
        }
        history.finish(acts, isCertain: false, at: .now + .seconds(12))
    }

    /// Somebody walks through the hall.
    func walkThroughHall() async throws {
        count("walks through the hall")
        for moves in [true, false] {
            do {
                try await bridge.controls.report("Hall sensor", .motion(moves, at: clock.now))
            } catch {
                breaks("the test", "\(error)")
            }
            try await Task.sleep(for: .milliseconds(500 + Int(random.next() % 1000)))
        }
    }

    // MARK: - In the midst of things

    /// A command turns a room off or on, and seconds later somebody takes exactly that back: by an app, a switch of the
    /// bridge, or another command. Then nobody touches the room for as long as lightd might repair anything.
    func takeBack() async throws {
        guard let (group, lamps) = pickRoom() else { return }
        let name = groups.first { $0.value == group }?.key ?? ""
        reserved.formUnion(lamps)
        defer { reserved.subtract(lamps) }
        count("commands taken back")
        let way = random.next() % 2
        // Other commands for the room are done.
        try await Task.sleep(for: .seconds(3))
        try await send(.turn(to: .on, target: "@\(name)"), to: lamps, .it(true))
        try await Task.sleep(for: .seconds(3))
        try await send(.turn(to: .off, target: "@\(name)"), to: lamps, .it(false))
        try await Task.sleep(for: .milliseconds(500 + Int(random.next() % 8000)))
        guard unpowered.isDisjoint(with: lamps) else { return }
        if way == 0, name == "Kitchen" {
            await press(turnsOn: true)
        } else {
            try await byApp(
                "app takes it back", lamps, power: .it(true), "grouped_light", group, #"{"on":{"on":true}}"#)
        }
        try await Task.sleep(for: .seconds(12))
    }

    /// lightd wakes somebody, who may take over in the midst of it.
    func wake() async throws {
        guard let lamp = pickLamp(), lamp != ChaosHome.plug else { return }
        count("sunrises")
        let home = await bridge.controls.home
        let id = history.begin(
            .lightd, "wake \(lamp)", lamp, .anything, .anything, in: home, at: .now)
        sunrises.insert(lamp)
        try await send(.wake(target: lamp, over: 60_000), wait: false)
        history.last(id, of: lamp)
        try await Task.sleep(for: .seconds(64))
        history.finish((hiddenEnds.removeValue(forKey: lamp) ?? []).union([id]), isCertain: true, at: .now)
        sunrises.remove(lamp)
    }

    /// Another app puts a lamp into a room, of which lightd hears nothing; then both lamps that were in the room before
    /// get a command at once, and another lamp is put into the room.
    func moveBystander() async throws {
        let lamps = ChaosHome.rooms["Study"] ?? []
        guard reserved.isDisjoint(with: lamps + [ChaosHome.bystander]), unpowered.isDisjoint(with: lamps) else {
            return
        }
        reserved.formUnion(lamps + [ChaosHome.bystander])
        defer { reserved.subtract(lamps + [ChaosHome.bystander]) }
        count("lamps moved by the app")
        let home = await bridge.controls.home
        let (room, devices) = (bystanderRoom == "Hall" ? "Study" : "Hall", devices(in: home))
        guard let target = home.rooms.first(where: { $0.name == room }), let spot = devices[ChaosHome.bystander] else {
            return
        }
        let members = target.lamps.compactMap { home.lamp($0)?.ids.device } + target.accessories + [spot]
        let children = Set(members).map { #"{"rid":"\#($0)","rtype":"device"}"# }.sorted().joined(separator: ",")
        try await begin(.loseEvents, #""count":4"#)
        let body = #"{"children":[\#(children)]}"#
        await ask("room", target.id, body, [])
        await bridge.controls.end(.loseEvents)
        hidingEvents.remove(.loseEvents)
        let after = await bridge.controls.home
        bystanderRoom =
            after.rooms.first { room in room.lamps.contains { after.lamp($0)?.name == ChaosHome.bystander } }?.name
            ?? bystanderRoom
        for _ in 0..<2 {
            let percent = Double(1 + random.next() % 100)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lamp in lamps {
                    group.addTask {
                        try await self.send(
                            .set(.init(brightness: percent), target: lamp), to: [lamp], .it(true), .it(level(percent)))
                    }
                }
                try await group.waitForAll()
            }
        }
        // Porch goes the other way: what was in both rooms stays there.
        let other = after.rooms.first { room in room.lamps.contains { after.lamp($0)?.name == ChaosHome.byTheClock } }
        try await send(
            .addToRoom(room: other?.name == "Hall" ? "Study" : "Hall", targets: [ChaosHome.byTheClock]), wait: false)
        let end = await bridge.controls.home
        let found = end.rooms.first { room in room.lamps.contains { end.lamp($0)?.name == ChaosHome.bystander } }?.name
        if found != bystanderRoom {
            breaks(
                "no lamp changes that nobody named",
                "\(ChaosHome.bystander), which the app had put into \(bystanderRoom), is in \(found ?? "no room")")
            bystanderRoom = found ?? bystanderRoom
        }
    }

    private func devices(in home: SimulatedHome) -> [String: ResourceID] {
        Dictionary(home.lamps.map { ($0.name, $0.ids.device) }) { $1 }
    }

    // MARK: - Mains

    func togglePower() async {
        let lamp = pick(ChaosHome.lamps.filter { $0 != ChaosHome.plug })
        guard !reserved.contains(lamp) else { return }
        if unpowered.contains(lamp) {
            await restorePower(of: lamp)
        } else {
            count("power cuts")
            unpowered.insert(lamp)
            await bridge.controls.mains(lamp, on: false)
        }
    }

    /// Until the bridge has found out, and lightd has sent what it kept, the lamp shows what it shows.
    func restorePower(of lamp: String) async {
        let home = await bridge.controls.home
        let id = history.begin(.mains, "mains", lamp, .anything, .anything, in: home, at: .now)
        history.finish([id], isCertain: true, at: .now + .seconds(40))
        excuse([lamp], for: .seconds(40))
        await bridge.controls.mains(lamp, on: true)
        unpowered.remove(lamp)
    }

    // MARK: - Time

    /// The home gets another time zone, as when its configuration is mended.
    func moveHome() async throws {
        count("other time zones")
        let zone = pick(["Europe/Berlin", "America/New_York", "Pacific/Auckland", "Asia/Kathmandu"])
        try daemon.reload(Self.configuration(zone: zone))
    }

    static func configuration(zone: String) -> String {
        "home: {latitude: 52.5, longitude: 13.4, time_zone: \(zone)}\n"
    }

    /// Somebody, or a time server, sets the clock: by seconds or hours, either way.
    func setClock() throws {
        count("clocks set")
        let by = pick([-86_000.0, -5400, -30, -1, 1, 30, 5400, 40_000])
        try clock.set(to: clock.now.addingTimeInterval(by))
    }

    /// *What the list promises happens, once*: the clock is set to seconds before the next time that the list names.
    func keepPromise() async throws {
        guard
            let next = try await promises()?.compactMap({ automation in automation.next.map { (automation, $0) } })
                .compactMap({ automation, text in time(text).map { (automation, $0) } }).min(by: { $0.1 < $1.1 })
        else { return breaks("what the list promises happens, once", "nothing is promised") }
        let (automation, due) = next
        count("promises")
        try clock.set(to: due.addingTimeInterval(-2))
        try await Task.sleep(for: .seconds(6))
        guard let after = try await self.automation(automation.name) else {
            return breaks("what the list promises happens, once", "\(automation.name) is gone")
        }
        let ran = (after.running + after.runs).filter { run in
            !automation.runs.contains(run) && time(run.started).map { abs($0.timeIntervalSince(due)) < 5 } == true
        }
        if ran.count != 1 {
            breaks(
                "what the list promises happens, once",
                "\(automation.name), promised for \(automation.next ?? ""), ran \(ran.count) times: \(after)")
        }
    }

    private func promises() async throws -> [AutomationBody]? {
        try await daemon.client.get([AutomationBody].self, Routes.automations)
    }

    func automation(_ name: String) async throws -> AutomationBody? {
        try await promises()?.first { $0.name == name }
    }

    func time(_ text: String) -> Date? { try? Date(text, strategy: .iso8601) }
}
