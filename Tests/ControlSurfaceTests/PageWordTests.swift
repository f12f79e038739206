import ControlProtocol
import HashTreeCollections
import Khipu
import Languages
import Lighting
import LightingTestKit
import Testing

@testable import ControlSurface

/// What the page says, example by example.
@Suite struct PageWordTests {
    private static let at = Timestamp.sample.iso8601
    private static let ticket = Ticket(
        number: 7, holder: "a page with token 'phone' over TCP from 192.0.2.9", time: .sample)

    private func tile(
        _ light: Light, room: Room? = nil, _ changes: AppState.Change..., access: TokenAccess = .full
    ) throws -> PageTile {
        let home = AppState.make(lights: [light], rooms: room.map { [$0] } ?? []).alter(by: changes)
        return try #require(Directory(home).page(for: PageReader(access: access)).tiles["light/\(light.id)"])
    }

    @Test func `a lamp with a colour says its level and the colour's name`() throws {
        let light = Light.make(brightness: 0.718, hue: 0.07, saturation: 0.9, mode: .hsb)
        let tile = try tile(light, room: .make(name: "Living", lights: [light]))
        #expect(tile.levelText == "72%" && tile.detail == "orange" && tile.valueText == "72 percent, orange")
        #expect(tile.title == "Desk" && tile.place == "Living" && tile.state == .on && tile.level == 0.718)
        #expect(tile.mode == .color && tile.color == .init(hue: 25.2, saturation: 90) && tile.glow == "#ff7a19")
        #expect(tile.can == [.switch, .dim, .white, .color, .rename, .identify, .pin] && tile.pace == 100)
    }

    @Test func `a white lamp says its kelvin, and shows the whites it has`() throws {
        let tile = try tile(.make(temperature: 444))
        #expect(tile.detail == "2250 K" && tile.mode == .white)
        let white = try #require(tile.white)
        #expect(white.mirek == 444 && white.coolest == 153 && white.warmest == 500 && white.ramp.count == 6)
        #expect(white.ramp.first == RGBColor(mirek: 153).hex && white.ramp.last == RGBColor(mirek: 500).hex)
    }

    @Test func `a plug has no level, colour or glow`() throws {
        let tile = try tile(.plug())
        #expect(tile.level == nil && tile.levelText == "On" && tile.detail == "" && tile.valueText == "on")
        #expect(tile.glow == nil && tile.white == nil && tile.color == nil && tile.mode == nil)
        #expect(tile.can == [.switch, .rename, .identify, .pin])
        #expect(try self.tile(.plug(power: .off)).levelText == "Off")
    }

    @Test func `a lamp that is off keeps the level that it will have`() throws {
        let tile = try tile(.make(power: .off, brightness: 0.4))
        #expect(tile.state == .off && tile.levelText == "Off" && tile.detail == "" && tile.valueText == "off")
        #expect(tile.level == 0.4 && tile.glow != nil)
    }

    @Test func `the lowest level is not called nothing`() throws {
        #expect(try tile(.make(brightness: 0)).levelText == "1%")
        #expect(try tile(.make(brightness: 1)).levelText == "100%")
    }

    /// A strip that can do all that strips can.
    private static func strip(
        mode: Light.Mode = .hsb, _ colors: [Light.Color] = [], effect: Light.Effect? = nil, power: Turn = .on,
        freshness: Freshness? = nil
    ) -> Light {
        .make(
            name: "Strip", power: power, brightness: 0.7, hue: colors.first?.hue ?? 0.1,
            saturation: colors.first?.saturation ?? 0.6, mode: mode,
            gradient: colors.isEmpty ? nil : Light.Gradient(colors, mode: .mirrored), effect: effect,
            limits: Light.Limits(
                effects: ["candle", "prism", "sunrise"], timedEffects: ["sunrise"], adjustsEffects: true,
                gradientPoints: 5, gradientModes: [.linear, .mirrored, .random]),
            freshness: freshness)
    }
    private static let colors = [
        Light.Color(hue: 0, saturation: 1), Light.Color(hue: 0.5, saturation: 1), Light.Color(hue: 0.5, saturation: 0),
    ]

    @Test func `a lamp says what it can run, how this is ended, and what runs`() throws {
        let resting = try tile(Self.strip())
        #expect(resting.can.contains(.effect) && resting.detail == "orange" && !resting.moves)
        // A sunrise would need a time.
        #expect(
            resting.effects
                == .init(
                    names: ["none", "candle", "prism"], timed: ["sunrise"], running: "none", until: nil, adjusts: true,
                    speed: nil))
        let prism = try tile(Self.strip(effect: Light.Effect("prism", speed: 0.6)))
        #expect(prism.levelText == "70%" && prism.detail == "prism" && prism.valueText == "70 percent, prism")
        #expect(prism.effects?.running == "prism" && prism.effects?.speed == 60 && prism.moves)
        let sunrise = try tile(Self.strip(effect: Light.Effect("sunrise", milliseconds: 60_000)))
        #expect(sunrise.detail == "sunrise" && sunrise.effects?.running == "sunrise")
        // Nobody knows when another app has begun it.
        #expect(sunrise.effects?.until == nil)
        let moved = try tile(Self.strip(effect: Light.Effect(Light.Effect.palette, speed: 0.5)))
        #expect(moved.detail == "dynamic" && moved.effects?.running == "dynamic_palette" && moved.moves)
        #expect(try tile(.make()).effects == nil && !tile(.make()).can.contains(.effect))
        #expect(try tile(Self.strip(), access: .look).can.isEmpty && tile(Self.strip(), access: .look).effects != nil)
    }

    @Test func `a lamp says when its sunrise ends that a command has begun`() throws {
        let sunrise = Light.Effect("sunrise", milliseconds: 60_000)
        let begun = History.Step(
            .apply(.values(LightPatch(tone: .effect(sunrise, over: nil))), on: .light(Self.strip().id), over: .usual),
            by: Self.ticket, of: [Self.strip().id], before: [:],
            asking: [Self.strip().id: Self.strip(effect: sunrise).values])
        let tile = try tile(
            Self.strip(effect: sunrise), .updating(.history(by: .recording(.step(begun)))))
        #expect(tile.effects?.until == Timestamp.sample.advanced(by: .seconds(60)).iso8601)
    }

    @Test func `a strip says its colours from end to end, how many it takes, and how it arranges them`() throws {
        let tile = try tile(Self.strip(Self.colors))
        let gradient = try #require(tile.gradient)
        #expect(gradient.points.map(\.name) == ["red", "cyan", "white"] && gradient.points[1].hue == 180)
        #expect(gradient.most == 5 && gradient.modes == [.linear, .mirrored, .random] && gradient.mode == .mirrored)
        #expect(tile.mode == .gradient && tile.look == ["#ff0000", "#00ffff", "#ffffff"] && tile.glow == "#ff0000")
        #expect(tile.detail == "red, cyan and white" && tile.can.contains(.gradient))
        #expect(try self.tile(.make()).gradient == nil && !self.tile(.make()).can.contains(.gradient))
    }

    @Test(arguments: [Light.Mode.hsb, .ct]) func `a strip of one colour says with which two a gradient would begin`(
        mode: Light.Mode
    ) throws {
        let tile = try tile(Self.strip(mode: mode))
        #expect(tile.mode == (mode == .ct ? .white : .color) && tile.look.isEmpty)
        #expect(tile.gradient?.points.map(\.hue) == [36, 96] && tile.gradient?.mode == nil)
        #expect(tile.gradient?.points.map(\.saturation) == [60, 60])
    }

    @Test func `a room with a strip has all its colours, and offers neither effects nor points`() throws {
        let strip = Self.strip(Self.colors, effect: Light.Effect("prism"))
        let home = AppState.make(lights: [strip], rooms: [.make(lights: [strip])])
        let room = try #require(
            Directory(home).page(for: PageReader(access: .full)).tiles.values.first { $0.kind == .room })
        #expect(room.look == ["#ff0000", "#00ffff", "#ffffff"] && room.mode == .gradient)
        #expect(room.effects == nil && room.gradient == nil && !room.moves)
        #expect(!room.can.contains(.effect) && !room.can.contains(.gradient))
    }

    @Test func `a lamp that waits for its bridge says so`() throws {
        let tile = try tile(
            .make(),
            .updating(
                .light(
                    Light.make().id,
                    by: [
                        .setting(.brightness(to: 0.7)), .expecting(.it(by: Self.ticket)),
                    ])))
        #expect(
            tile.freshness == .expected && tile.state == .on
                && tile.valueText == "70 percent, 2750 K, not confirmed yet")
        #expect(tile.reason == .init(text: "\(q("phone")), {at}", at: Self.at))
        #expect(tile.why == "\(q("phone")) changed it, {at}")
    }

    @Test func `a lamp of a lost bridge shows what it last showed`() throws {
        let tile = try tile(.make(freshness: .stale(since: .sample)))
        #expect(tile.state == .unknown && tile.freshness == .stale && tile.levelText == "50%")
        #expect(tile.valueText == "not connected, last known: 50 percent, 2750 K")
        #expect(tile.reason == .init(text: "as it was at {clock}", at: Self.at))
        #expect(
            tile.why == "Its bridge has not been connected since {clock}.")
    }

    @Test func `a lamp without power does not answer`() throws {
        let tile = try tile(.make(freshness: .unreachable(since: .sample)))
        #expect(tile.state == .unknown && tile.levelText == "No answer" && tile.detail == "")
        #expect(tile.valueText == "no answer, last known: 50 percent, 2750 K")
        #expect(tile.reason == .init(text: "since {clock}; does it have power?", at: Self.at))
        #expect(tile.why == "No answer since {clock}.")
        let seen = try self.tile(
            .make(freshness: .unreachable(since: .sample)),
            .updating(.light(Light.make().id, by: [.causing(.it(Cause(.power, at: .sample)))])))
        #expect(seen.why == "No answer since {clock}. Before: its power came back")
    }

    @Test(
        arguments: [
            (LightPatch(power: .on), "Comes on when it has power", "Geht an, sobald Strom da ist"),
            (.bri(0.4), "Comes on when it has power", "Geht an, sobald Strom da ist"),
            (
                LightPatch(power: .off, brightness: 0.4), "Stays off when it has power again",
                "Bleibt aus, wenn wieder Strom da ist"
            ),
        ] as [(LightPatch, String, String)])
    func `a lamp without power says whether it will be on when it is back`(
        kept: LightPatch, english: String, german: String
    ) {
        let report = Light.Report(LightPatch(), kept: Light.Kept(kept))
        let lamp = Light.make(freshness: .unreachable(since: .sample)).alter(
            by: .reporting(.it(report, at: Timestamp.sample.advanced(by: .seconds(9)))))
        let home = Directory(AppState.make(lights: [lamp]))
        let texts: [(Language, String)] = [
            (.english, "since {clock}. \(english)"), (.german, "seit {clock}. \(german)"),
        ]
        for (language, text) in texts {
            let tile = home.page(for: PageReader(access: .full, language: language)).tiles["light/\(lamp.id)"]
            #expect(tile?.reason == .init(text: text, at: Self.at))
        }
    }

    @Test func `a level that is kept for a lamp which is off does not turn it on`() throws {
        let report = Light.Report(LightPatch(), kept: Light.Kept(.bri(0.4)))
        let lamp = Light.make(power: .off, freshness: .unreachable(since: .sample))
        let tile = try tile(lamp, .updating(.light(lamp.id, by: [.reporting(.it(report, at: .sample))])))
        #expect(tile.reason?.text == "since {clock}; does it have power?")
    }

    static let scene = Scene.make(name: "Evening", lights: [Light.make().id])

    @Test(arguments: [
        (Cause.Kind.command(ticket), q("phone"), "\(q("phone")) changed it"),
        (
            .command(Ticket(number: 8, holder: "anna (uid 1000) with lightctl", time: .sample)), i("anna"),
            "\(i("anna")) changed it"
        ),
        (
            .command(Ticket(number: 8, holder: "a page named 'Anna\u{2019}s phone' over TCP", time: .sample)),
            q("Anna\u{2019}s phone"), "\(q("Anna\u{2019}s phone")) changed it"
        ),
        (.command(Ticket(number: 8, holder: "", time: .sample)), "somebody", "somebody changed it"),
        (.scene(scene.id, by: ticket), i("Evening"), "\(q("phone")) chose the scene \(i("Evening"))"),
        (.scene(scene.id, by: nil), i("Evening"), "another app chose the scene \(i("Evening"))"),
        (.scene(Scene.make("gone").id, by: nil), "a scene", "another app chose a scene that is gone"),
        (.accessory("Hall"), "wall switch \(i("Hall"))", "wall switch \(i("Hall"))"),
        (.accessory(""), "wall switch", "wall switch"),
        (.power, "power came back", "its power came back"),
        (.otherApp, "another app or a switch", "another app, or a switch that the bridge does not report"),
    ]) func `every cause is told, in few words and in a sentence`(kind: Cause.Kind, brief: String, why: String) throws {
        let tile = try tile(
            .make(), .adding(.scene(Self.scene)),
            .updating(.light(Light.make().id, by: [.causing(.it(Cause(kind, at: .sample)))])))
        #expect(tile.reason == .init(text: "\(brief), {at}", at: Self.at))
        #expect(tile.why == "\(why), {at}")
    }

    /// What the browser replaces, found as it does.
    private static func marks(in text: String) -> Int {
        let scalars = Array(text.unicodeScalars)
        return ["{at}", "{clock}"].map { mark in
            let mark = Array(mark.unicodeScalars)
            return scalars.indices.count { scalars[$0...].starts(with: mark) }
        }.reduce(0, +)
    }

    @Test(arguments: [
        "{at}", "{clock}", "a {at} b {clock}", "{{at}}", "{at}\u{301}", "\u{600}{at}", "{at", "{", "at}",
    ]) func `no name is taken for a time`(name: String) throws {
        let scene = Scene.make(name: name, lights: [Light.make().id])
        for kind in [
            Cause.Kind.scene(scene.id, by: nil), .accessory(name),
            .command(Ticket(number: 8, holder: "\(name) with token '\(name)' over TCP", time: .sample)),
        ] {
            let tile = try tile(
                .make(), .adding(.scene(scene)),
                .updating(.light(Light.make().id, by: [.causing(.it(Cause(kind, at: .sample)))])))
            let reason = try #require(tile.reason)
            #expect(Self.marks(in: reason.text) == 1 && reason.text.hasSuffix(", {at}"))
            #expect(Self.marks(in: tile.why) == 1 && tile.why.hasSuffix(", {at}"))
            // And it is still read as the name that it is.
            #expect(
                String(String.UnicodeScalarView(reason.text.unicodeScalars.filter { $0 != "\u{2060}" }))
                    .contains(name))
        }
    }

    @Test func `what nobody has seen has no reason`() throws {
        let tile = try tile(.make())
        #expect(tile.reason == nil && tile.why == "not changed since lightd started listening")
    }

    @Test func `a command that is remembered is told in words`() async throws {
        try await SurfaceFixture.run { surface in
            try await surface.perform(
                .set(.init(brightness: 40), target: "@Kitchen"), wait: true, from: "root (uid 0) with lightctl")
            let page = surface.surface.directory.page(for: PageReader(access: .full))
            let stove = try #require(page.tiles["light/\(HomeFixture.stove.id)"])
            #expect(stove.reason?.text == "\(i("root")), {at}")
            #expect(stove.why == "\(i("root")) set \(i("Kitchen")) to 40%, {at}")
            let german = surface.surface.directory.page(for: PageReader(access: .full, language: .german))
            #expect(
                german.tiles["light/\(HomeFixture.stove.id)"]?.why
                    == "\(i("root")) hat \(i("Kitchen")) auf 40\u{A0}% gesetzt, {at}")
            // As the slider beside it says it.
            try await surface.perform(
                .set(.init(temperature: 400), target: "desk"), wait: true, from: "root (uid 0) with lightctl")
            let desk = try #require(
                surface.surface.directory.page(for: PageReader(access: .full)).tiles.values.first { $0.title == "Desk" }
            )
            #expect(desk.why == "\(i("root")) set \(i("Desk")) to 2500 K, {at}")
            // Who keeps the house is told by the command's own words, and by all that is known of its sender.
            let light = try #require(surface.surface.directory.lights.first { $0.name == "Desk" })
            #expect(
                surface.surface.directory.why(light) == "root (uid 0) with lightctl sent 'set Desk to 2500 K'")
        }
    }

    @Test func `a room shows the mean of its lights that are on, and counts them`() throws {
        let page = Directory(HomeFixture.state).page(for: PageReader(access: .full))
        let kitchen = try #require(page.tiles["room/\(HomeFixture.kitchen.id)"])
        #expect(kitchen.target == "@\(HomeFixture.kitchen.id)" && kitchen.kind == .room && kitchen.state == .on)
        #expect(kitchen.level == 0.25 && kitchen.levelText == "25%" && kitchen.detail == "2 of 3 on")
        #expect(kitchen.valueText == "25 percent, 2 of 3 on" && kitchen.pace == 200)
        let zone = try #require(page.tiles["room/\(HomeFixture.evening.id)"])
        #expect(zone.kind == .zone && zone.level == 0.375 && zone.levelText == "38%")
        // Where only some are on, it can be turned on and off.
        #expect(kitchen.partly && !zone.partly && zone.detail == "2 lights")
        // The lamps of a zone stand elsewhere.
        #expect(zone.members == "Desk and Sink" && kitchen.members == "")
        let sections = page.frame.sections
        #expect(sections.map(\.title) == ["Kitchen", "Study", "Evening"])
        #expect(sections.map(\.summary) == ["2 of 3 on", "1 of 1 on", "2 of 2 on"])
        #expect(sections.map(\.kind) == [.room, .room, .zone] && sections[2].tiles.isEmpty)
        #expect(sections[0].scenes.map(\.title) == ["Relax"] && page.frame.summary == "3 of 4 on")
        #expect(page.frame.title == "Study bridge")
    }

    @Test func `a room that is off keeps the level that it will have`() throws {
        let lamp = Light.make(power: .off, brightness: 0.3)
        let home = AppState.make(lights: [lamp], rooms: [.make(lights: [lamp])])
        let page = Directory(home).page(for: PageReader(access: .full))
        let tile = try #require(page.tiles.values.first { $0.kind == .room })
        #expect(tile.state == .off && tile.levelText == "Off" && tile.level == 0.3)
        #expect(page.frame.summary == "All off")
    }

    @Test func `a room of silent lamps does not answer, and one silent lamp does not make it silent`() throws {
        let (one, other) = (Light.make(freshness: .unreachable(since: .sample)), Light.make("sofa", name: "Sofa"))
        let silent = AppState.make(lights: [one], rooms: [.make(lights: [one])])
        let page = Directory(silent).page(for: PageReader(access: .full))
        let tile = try #require(page.tiles.values.first { $0.kind == .room })
        #expect(tile.state == .unknown && tile.levelText == "No answer" && tile.freshness == .unreachable)
        #expect(page.frame.summary == "State unknown")
        let mixed = AppState.make(lights: [one, other], rooms: [.make(lights: [one, other])])
        let room = try #require(
            Directory(mixed).page(for: PageReader(access: .full)).tiles.values.first { $0.kind == .room })
        #expect(room.state == .on && room.levelText == "50%" && room.freshness == .confirmed)
    }

    @Test func `lights in doubt are counted as unknown, not as off`() {
        func summary(_ lights: Light...) -> String { lights.summary(.english) }
        let (on, off) = (Light.make("1"), Light.make("2", power: .off))
        let silent = Light.make("3", freshness: .unreachable(since: .sample))
        let lost = Light.make("4", power: .off, freshness: .stale(since: .sample))
        #expect(summary(on, off, silent, lost) == "1 of 2 on, 2 unknown")
        #expect(summary(off, silent) == "0 of 1 on, 1 unknown")
        #expect(summary(on, off) == "1 of 2 on" && summary(off) == "All off" && summary(lost) == "State unknown")
    }

    @Test func `a room shows the colours of its lamps, and none that they do not have`() throws {
        let cyan = Light.make("1", hue: 0.5, saturation: 1, mode: .hsb)
        let orange = Light.make("2", hue: 0.07, saturation: 1, mode: .hsb)
        let again = Light.make("3", hue: 0.5, saturation: 1, mode: .hsb)
        let off = Light.make("4", power: .off, hue: 0.9, saturation: 1, mode: .hsb)
        func room(_ lights: Light...) throws -> PageTile {
            let home = AppState.make(lights: lights, rooms: [.make(lights: lights)])
            return try #require(
                Directory(home).page(for: PageReader(access: .full)).tiles.values.first { $0.kind == .room })
        }
        let mixed = try room(cyan, orange, again, off)
        #expect(Set(mixed.look) == Set([cyan, orange].compactMap(\.glow?.hex)) && mixed.look.count == 2)
        #expect(mixed.glow == mixed.look.first)
        // When it is on, it will have the colours that its lamps have kept.
        #expect(try room(off).look == [off.glow?.hex])
    }

    @Test func `pins are in their order, with their places and displays`() throws {
        let home = HomeFixture.state.alter(
            by: .updating(.dashboard(by: .pinning(.it(.light(HomeFixture.desk.id))))),
            .updating(.dashboard(by: .pinning(.it(.room(HomeFixture.kitchen.id))))),
            .updating(.dashboard(by: .pinning(.it(.all)))),
            .updating(.dashboard(by: .moving(.it(.all, to: 0)))),
            .updating(.dashboard(by: .toggling(.display(of: .room(HomeFixture.kitchen.id), to: .scrubbing)))))
        let page = Directory(home).page(for: PageReader(access: .full))
        let keys = ["all", "light/\(HomeFixture.desk.id)", "room/\(HomeFixture.kitchen.id)"]
        #expect(page.frame.sections[0].kind == .pinned && page.frame.sections[0].tiles == keys)
        #expect(keys.map { page.tiles[$0]?.pin } == [1, 2, 3])
        #expect(page.tiles[keys[2]]?.display == .scrubbing && page.tiles[keys[1]]?.display == .slider)
        #expect(page.tiles["light/\(HomeFixture.sink.id)"]?.pin == nil)
        #expect(page.tiles["all"]?.title == "All lights" && page.tiles["all"]?.can.contains(.rename) == false)
    }

    @Test func `a scene is active while all its lights are as it set them, and shows their colours`() {
        let lights = HomeFixture.relax.lights
        func scene(_ causes: Cause.Kind...) -> PageScene? {
            let changes = zip(lights, causes).map {
                AppState.Change.updating(.light($0, by: [.causing(.it(Cause($1, at: .sample)))]))
            }
            return Directory(HomeFixture.state.alter(by: changes)).page(for: PageReader(access: .full)).frame.sections[
                0
            ].scenes.first
        }
        let relax = Cause.Kind.scene(HomeFixture.relax.id, by: nil)
        // The stove is off.
        #expect(scene(relax, relax)?.active == true && scene(relax, relax)?.look == ["#00ff00"])
        #expect(scene(relax, .otherApp)?.active == false && scene(relax, .otherApp)?.look == [])
    }

    @Test func `a scene shows the colours that it gives its lights, also while they show something else`() {
        let look: [LightPatch] = [
            .hsb(hue: 1.0 / 3, saturation: 1, brightness: nil), .ct(366.mirek),
            .hsb(hue: 1.0 / 3, saturation: 1, brightness: 1),
            .bri(0.5), .ct(153.mirek), .ct(250.mirek), .ct(500.mirek),
        ]
        func shown(_ look: [LightPatch]) -> PageScene? {
            let scene = Scene(id: Self.scene.id, name: "Evening", lights: [HomeFixture.desk.id], look: look)
            return Directory(.make(lights: [HomeFixture.desk], scenes: [scene])).page(for: PageReader(access: .full))
                .frame.sections[0]
                .scenes.first
        }
        let whites = [366, 153, 250, 500].map { RGBColor(mirek: $0).hex }
        // A bridge with API v1 tells nothing of what a scene sets, and knows no dynamic ones.
        #expect(shown(look)?.canBeDynamic == true)
        #expect(shown(look)?.look == ["#00ff00"] + whites && shown(look)?.active == false)
        #expect(shown([])?.look == [])
    }

    @Test func `a scene's picture has the colours of strips and of effects, at most eight`() {
        func look(_ tones: LightPatch.Tone...) -> [String] {
            let scene = Scene(
                id: Self.scene.id, name: "Evening", lights: [HomeFixture.desk.id],
                look: tones.map { LightPatch(tone: $0) })
            let home = Directory(.make(lights: [HomeFixture.desk], scenes: [scene]))
            return home.page(for: PageReader(access: .full)).frame.sections[0].scenes.first?.look ?? []
        }
        let red = Light.Color(hue: 0, saturation: 1)
        let green = Light.Color(hue: 1.0 / 3, saturation: 1)
        #expect(look(.gradient(Light.Gradient([red, green]))) == ["#ff0000", "#00ff00"])
        // An effect's own colours are known, or those that it was given, or those that it runs over.
        let over = LightPatch.Tone.color(hue: 1.0 / 3, saturation: 1)
        #expect(look(.effect(Light.Effect("prism"), over: over)).count > 3)
        #expect(look(.effect(Light.Effect("prism", color: red), over: over)) == ["#ff0000"])
        #expect(look(.effect(Light.Effect("new"), over: over)) == ["#00ff00"])
        #expect(look(.effect(Light.Effect("new"), over: nil)) == [])
        #expect(look(.effect(nil, over: over)) == ["#00ff00"])
        let many = (0..<12).map { LightPatch.Tone.color(hue: Double($0) / 12, saturation: 1) }
        let scene = Scene(
            id: Self.scene.id, name: "Evening", lights: [HomeFixture.desk.id], look: many.map { LightPatch(tone: $0) })
        let page = Directory(.make(lights: [HomeFixture.desk], scenes: [scene])).page(for: PageReader(access: .full))
        #expect(page.frame.sections[0].scenes[0].look.count == 8)
    }

    @Test func `a scene says if somebody has changed one of its lights, and in the reader's language`() {
        let lights = HomeFixture.relax.lights
        func scene(_ causes: (Cause.Kind, Int64)..., language: Language = .english) -> PageScene? {
            let changes = zip(lights, causes).map { light, cause in
                AppState.Change.updating(
                    .light(light, by: [.causing(.it(Cause(cause.0, at: .sample.advanced(by: .seconds(cause.1)))))]))
            }
            return Directory(HomeFixture.state.alter(by: changes)).page(
                for: PageReader(access: .full, language: language)
            ).frame.sections[0].scenes.first
        }
        let relax = Cause.Kind.scene(HomeFixture.relax.id, by: nil)
        #expect(scene((relax, 0), (.otherApp, 1))?.changed == true)
        #expect(scene((relax, 0), (.otherApp, 1))?.detail == "changed")
        #expect(scene((relax, 0), (.otherApp, 1), language: .german)?.detail == "geändert")
        #expect(scene((relax, 0), (relax, 0))?.changed == false && scene((relax, 0), (relax, 0))?.detail == "")
        #expect(scene((.otherApp, 0), (.otherApp, 0))?.changed == false)
    }

    @Test(arguments: [true, false]) func `a smart scene is named as such, and is not dynamic`(isActive: Bool) {
        let scene = Scene(
            id: Self.scene.id, name: "Day", lights: [HomeFixture.desk.id], look: [],
            smart: SmartScene(week: [], isActive: isActive))
        let page = Directory(.make(lights: [HomeFixture.desk], scenes: [scene])).page(for: PageReader(access: .full))
        let shown = page.frame.sections[0].scenes[0]
        #expect(shown.smart == (isActive ? .active : .resting) && !shown.canBeDynamic)
        #expect(shown.detail == "through the day")
        #expect(
            Directory(HomeFixture.state).page(for: PageReader(access: .full)).frame.sections[0].scenes[0].smart == nil)
    }

    @Test func `a scene says that it moves its lights, for as long as one of them is moved by it`() {
        let lights = HomeFixture.relax.lights
        let palette = Light.Change.setting(.effect(to: Light.Effect(Light.Effect.palette, speed: 0.5)))
        func scene(_ changes: [Light.Change]..., cause: Cause.Kind = .scene(HomeFixture.relax.id, by: nil))
            -> PageScene?
        {
            let caused = zip(lights, changes).map {
                AppState.Change.updating(.light($0, by: $1 + [.causing(.it(Cause(cause, at: .sample)))]))
            }
            return Directory(HomeFixture.state.alter(by: caused)).page(for: PageReader(access: .full)).frame.sections[0]
                .scenes.first
        }
        #expect(scene([palette], [palette])?.detail == "dynamic" && scene([palette], [])?.detail == "dynamic")
        #expect(scene([palette], [])?.speed == 50 && scene([palette], [])?.moves == true)
        #expect(scene([], [])?.detail == "" && scene([], [])?.speed == nil && scene([], [])?.moves == false)
        // Another scene moves them.
        let other = scene([palette], [palette], cause: .scene(Scene.make("other").id, by: nil))
        #expect(other?.detail == "" && other?.speed == nil)
        let page = Directory(HomeFixture.state).page(for: PageReader(access: .full))
        #expect(page.frame.sections[0].scenes.map(\.canBeDynamic) == [false])
    }

    static func notices(_ connection: Bridge.Connection, name: String = "Hallway", lights: [Light] = [.make()])
        -> [PageNotice]
    {
        Directory(.make(lights: lights, bridges: [.make(name: name, connection: connection)])).page(
            for: PageReader(access: .full)
        )
        .frame.notices
    }

    @Test func `what a person should know stands above everything`() throws {
        #expect(Directory(AppState()).page(for: PageReader(access: .full)).frame.notices.map(\.id) == ["pair"])
        #expect(Self.notices(.connected(since: .sample, by: .stream)) == [])
        let lost = try #require(Self.notices(PageTests.lost, lights: [.make("1"), .make("2")]).first)
        #expect(lost.title == "Hallway bridge is lost." && lost.kind == .warning && lost.at == Self.at)
        #expect(lost.text == "Its 2 lights are shown as they were at {clock}; trying again.")
        #expect(lost.id == "bridge/ecb5fafffe010203")
        #expect(Self.notices(PageTests.lost, name: "Study bridge").first?.title == "Study bridge is lost.")
        #expect(
            Self.notices(PageTests.lost).first?.text == "Its only light is shown as it was at {clock}; trying again.")
        let refused = Self.notices(.lost(since: .sample, because: .keyRefused(by: .sample))).first
        #expect(refused?.title == "Hallway bridge no longer accepts lightd.")
        let foreign = Self.notices(.lost(since: .sample, because: .certificateRefused(of: .sample, because: "x")))
        #expect(foreign.first?.text.contains("Nothing is sent to it") == true)
        // Without lights, the page says what it waits for.
        let waiting = try #require(Self.notices(PageTests.lost, lights: []).first)
        #expect(waiting.title == "Waiting for Hallway bridge." && waiting.at == Self.at)
        #expect(waiting.text.hasPrefix("Its lights appear here as soon as it answers. Not reached since {clock}"))
        let first = Self.notices(.lost(since: .sample, because: .notReachedYet(.sample)), lights: [])
        #expect(first.map(\.title) == ["Waiting for Hallway bridge."] && first.first?.kind == .info)
        #expect(Self.notices(.connected(since: .sample, by: .stream), lights: []).map(\.title) == ["No lights yet."])
        // Not yet tried: nothing is wrong.
        #expect(Self.notices(.lost(since: .sample, because: .notReachedYet(.sample))) == [])
        #expect(Self.notices(.lost(since: .sample, because: .justPaired(.sample))) == [])
    }

    @Test func `lamps that do not answer are named, unless their bridge is lost`() {
        #expect(Self.notices(PageTests.lost, lights: [.make(freshness: .unreachable(since: .sample))]).count == 1)
        func notice(_ names: String...) -> PageNotice? {
            Self.notices(
                .connected(since: .sample, by: .stream),
                lights: names.map { .make($0, name: $0, freshness: .unreachable(since: .sample)) }
            ).first
        }
        #expect(notice("A")?.title == "1 light does not answer." && notice("A")?.text == "A: does it have power?")
        #expect(notice("A", "B")?.text == "A and B: do they have power?")
        #expect(notice("A", "B", "C", "D")?.text == "A, B, C and D: do they have power?")
        #expect(notice("A", "B", "C", "D", "E")?.text == "A, B, C and 2 others: do they have power?")
    }

    @Test(arguments: [
        (Bridge.Connection.connected(since: .sample, by: .stream), PageBridge.State.connected, "Connected, 1 light"),
        (.lost(since: .sample, because: .unreachable(.sample, because: "gone")), .lost, "Lost since {clock}: gone"),
        (.lost(since: .sample, because: .notReachedYet(.sample)), .connecting, "Connecting"),
        (
            .lost(since: .sample, because: .keyRefused(by: .sample)), .notPaired,
            "No longer accepts lightd: pair with it again"
        ),
        (
            .lost(since: .sample, because: .certificateRefused(of: .sample, because: "other key")), .notPaired,
            "Lost since {clock}: its certificate is not the one it was paired with (other key)"
        ),
    ]) func `a bridge says how it is`(connection: Bridge.Connection, state: PageBridge.State, text: String) {
        let home = AppState.make(lights: [.make()], bridges: [.make(connection: connection)])
        let bridge = Directory(home).page(for: PageReader(access: .full)).frame.bridges.first
        #expect(bridge?.state == state && bridge?.text == text && bridge?.at == Self.at)
    }

    @Test(arguments: [
        ("red", "red"), ("crimson", "red"), ("orange", "orange"), ("#ff8a3c", "orange"), ("gold", "yellow"),
        ("yellow", "yellow"), ("lime", "green"), ("springgreen", "green"), ("turquoise", "cyan"), ("#00ffff", "cyan"),
        ("dodgerblue", "blue"), ("blue", "blue"), ("blueviolet", "violet"), ("magenta", "pink"), ("hotpink", "pink"),
        ("pink", "pale pink"), ("white", "white"), ("wheat", "warm white"), ("lightblue", "cool white"),
        ("palegreen", "pale green"),
    ]) func `a colour is called what people call it`(color: String, name: String) throws {
        let color = try #require(RGBColor(color))
        #expect(ColorName.of(hue: color.hue, saturation: color.saturation, .english) == name)
    }

    @Test func `every colour has a name, and the circle closes`() {
        for hue in 0...360 {
            for saturation in 0...100 {
                #expect(!ColorName.of(hue: Double(hue), saturation: Double(saturation), .english).isEmpty)
            }
        }
        #expect(ColorName.of(hue: 0, saturation: 100, .english) == ColorName.of(hue: 360, saturation: 100, .english))
    }
}

/// A name as sentences have it.
func i(_ name: String) -> String { "\u{2068}\(name)\u{2069}" }
/// What a page is called by those who use it.
func q(_ name: String) -> String { "\u{201C}\(i(name))\u{201D}" }
