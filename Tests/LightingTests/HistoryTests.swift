import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

/// Undo and redo.
@DomainActor
struct HistoryTests {
    nonisolated private static let lights = [
        Light.make("desk", name: "Desk", brightness: 0.5),
        Light.make("shelf", name: "Shelf", power: .off, brightness: 0.2, modes: [.ct]),
        Light.make("sofa", name: "Sofa", hue: 0.7, saturation: 0.9, mode: .hsb),
        Light.plug("fan", name: "Fan", power: .off),
    ]
    private var desk: Light { Self.lights[0] }
    private let room = Room.make(lights: lights)

    private func home() -> DomainFixture {
        DomainFixture(
            .make(lights: Self.lights, rooms: [room]), stack: MemoryStack(lights: Self.lights, rooms: [room]))
    }

    private func values(_ home: DomainFixture) -> [Light.Values?] { Self.lights.map { home.light($0.id)?.values } }

    private func reversal(_ home: DomainFixture, _ ticket: Ticket) -> Reversal? {
        switch home.response(to: ticket) {
        case let .lighting(.undoing(reversal, .succeeded), _), let .lighting(.redoing(reversal, .succeeded), _):
            reversal
        default: nil
        }
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `undo returns to where the commands began, and redo to where they led`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let home = home()
        var states = [values(home)]
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            let target: Target = Bool.random(using: &random) ? .room(room.id) : .light(desk.id)
            let value = Double.random(in: 0.05...1, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: home.send(.turn(.on, target, over: .usual))
            case 1: home.send(.turn(.off, target, over: .usual))
            case 2: home.send(.apply(.values(.bri(value)), on: target, over: .usual))
            case 3: home.send(.apply(.values(.ct(Int(153 + value * 300).mirek)), on: target, over: .usual))
            default: home.send(.apply(.values(.hsb(value, 1, value)), on: target, over: .usual))
            }
            states.append(values(home))
        }
        let count = Int.random(in: 1..<states.count, using: &random)
        home.send(.undo(count, over: .usual))
        #expect(same(values(home), states[states.count - 1 - count]))
        if count > 1 {
            home.send(.redo(1, over: .usual))
            #expect(same(values(home), states[states.count - count]))
        }
        home.send(.redo(count, over: .usual))
        #expect(same(values(home), states[states.count - 1]))
        home.send(.undo(states.count - 1, over: .usual))
        #expect(same(values(home), states[0]))
    }

    private func same(_ one: [Light.Values?], _ other: [Light.Values?]) -> Bool {
        zip(one, other).allSatisfy { pair in
            guard let one = pair.0, let other = pair.1 else { return false }
            return one.agrees(with: other)
        }
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `undo of a named command returns to before it, or changes nothing if somebody else's came after it`(
        seed: UInt64
    ) {
        var random = SplitMix(seed: seed)
        let home = home()
        var sent: [(ticket: Ticket, before: [Light.Values?])] = []
        for index in 0..<Int.random(in: 1...6, using: &random) {
            let command: Message.Lighting =
                Bool.random(using: &random)
                ? .toggle(.room(room.id), over: .usual)
                : .apply(.values(.bri(Double.random(in: 0.05...1, using: &random))), on: .light(desk.id), over: .usual)
            let holder = index == 0 || Int.random(in: 0..<4, using: &random) > 0 ? "laptop" : "phone"
            let before = values(home)
            sent.append((home.send(holder) { .lighting(command, ticket: $0) }, before))
        }
        let end = values(home)
        let named = Int.random(in: 0..<sent.count, using: &random)
        let undo = home.send("laptop") {
            .lighting(.undo(1, downTo: sent[named].ticket.number, over: .usual), ticket: $0)
        }
        if let foreign = sent[named...].dropFirst().last(where: { $0.ticket.holder == "phone" })?.ticket {
            #expect(home.response(to: undo)?.outcome == .failed(.followed(by: foreign)))
            #expect(same(values(home), end))
        } else {
            #expect(reversal(home, undo)?.steps == sent.count - named)
            #expect(same(values(home), sent[named].before))
        }
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `a gesture is one step, however many commands it is, and to whatever lights`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let home = home()
        var before = values(home)
        for gesture in ["first", "second"] {
            before = values(home)
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let value = Double.random(in: 0.05...1, using: &random)
                let setting: LightPatch =
                    Bool.random(using: &random) ? .bri(value) : .ct(Int(153 + value * 300).mirek)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: home.send(.turn(.on, .light(Self.lights[3].id), over: .usual), gesture: gesture)
                case 1: home.send(.turn(.off, .room(room.id), over: .usual), gesture: gesture)
                default: home.send(.apply(.values(setting), on: .room(room.id), over: .usual), gesture: gesture)
                }
            }
        }
        let after = values(home)
        #expect(home.store.state().history.steps.count == 2)
        home.send(.undo(1, over: .usual))
        #expect(same(values(home), before))
        home.send(.redo(1, over: .usual))
        #expect(same(values(home), after))
        home.send(.undo(2, over: .usual))
        #expect(same(values(home), Self.lights.map(\.values)))
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `two clients that drag different lights at the same time make one step each`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let home = home()
        let lights = ["laptop": [0, 3], "phone": [1, 2]]
        let drags = (["laptop", "phone"] + (0..<20).map { _ in Bool.random(using: &random) ? "laptop" : "phone" })
        var sent: [Ticket] = []
        for holder in drags {
            let light = Self.lights[try #require(lights[holder]?.randomElement(using: &random))].id
            let value = Double.random(in: 0.05...1, using: &random)
            let command: Message.Lighting =
                light == Self.lights[3].id || value < 0.2
                ? .turn(value < 0.5 ? .on : .off, .light(light), over: .usual)
                : .apply(.values(.bri(value)), on: .light(light), over: .usual)
            sent.append(home.send(holder, gesture: "drag") { .lighting(command, ticket: $0) })
        }
        let after = values(home)
        let last = try #require(sent.last)
        #expect(home.store.state().history.steps.count == 2)

        // The one who moved last can take back their drag by any of its commands, the other cannot.
        let other = try #require(sent.first { $0.holder != last.holder })
        let refused = home.send(other.holder) { .lighting(.undo(1, downTo: other.number, over: .usual), ticket: $0) }
        #expect(home.response(to: refused)?.outcome == .failed(.followed(by: last)))
        let own = try #require(sent.filter { $0.holder == last.holder }.randomElement(using: &random))
        home.send(last.holder) { .lighting(.undo(1, downTo: own.number, over: .usual), ticket: $0) }
        for (index, light) in Self.lights.enumerated() {
            let isOwn = lights[last.holder]?.contains(index) == true
            #expect(same([home.light(light.id)?.values], [isOwn ? light.values : after[index]]))
        }
        home.send(.undo(1, over: .usual))
        #expect(same(values(home), Self.lights.map(\.values)))
        home.send(.redo(2, over: .usual))
        #expect(same(values(home), after))
    }

    @Test(arguments: 1...80 as ClosedRange<UInt64>)
    func `undo leaves what the commands of the other steps lead to, whoever made the gestures`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let home = home()
        var sent: [(command: Message.Lighting, ticket: Ticket)] = []
        for _ in 0..<Int.random(in: 2...16, using: &random) {
            let light = Self.lights[Int.random(in: 0..<4, using: &random)].id
            let target: Target = Int.random(in: 0..<6, using: &random) == 0 ? .room(room.id) : .light(light)
            let value = Double.random(in: 0.05...1, using: &random)
            let command: Message.Lighting =
                switch Int.random(in: 0..<3, using: &random) {
                case 0: .turn(value < 0.5 ? .on : .off, target, over: .usual)
                case 1: .apply(.values(.ct(Int(153 + value * 300).mirek)), on: target, over: .usual)
                default: .apply(.values(.bri(value)), on: target, over: .usual)
                }
            let holder = Bool.random(using: &random) ? "laptop" : "phone"
            let gesture = ["one", "two", nil].randomElement(using: &random) ?? nil
            sent.append((command, home.send(holder, gesture: gesture) { .lighting(command, ticket: $0) }))
        }
        let after = values(home)
        let steps = home.store.state().history.steps
        #expect(steps.map(\.number) == steps.map(\.number).sorted())
        for (count, step) in steps.reversed().enumerated() {
            home.send(.undo(1, over: .usual))
            let undone = Set(steps.suffix(count + 1).flatMap(\.tickets))
            let replayed = self.home()
            for (command, ticket) in sent where !undone.contains(ticket) { replayed.send(command) }
            #expect(same(values(home), values(replayed)), "\(step)")
        }
        home.send(.redo(steps.count, over: .usual))
        #expect(same(values(home), after))
    }

    @Test func `commands that were answered are steps of their own without a gesture, and in two gestures`() {
        let home = home()
        for gesture in [nil, nil, "a", "b", nil] as [String?] {
            home.send(.apply(.values(.bri(0.3)), on: .light(desk.id), over: .usual), gesture: gesture)
        }
        #expect(home.store.state().history.steps.count == 5)
    }

    @Test func `undo skips a light that somebody else has changed since, and names it`() {
        let home = home()
        home.send(.turn(.off, .room(room.id), over: .usual))
        home.stack.tell(.light(desk.id, Light.Report(power: .on, brightness: 0.9, source: .accessory("Dimmer"))))
        home.settle()
        let reversal = reversal(home, home.send(.undo(1, over: .usual)))
        #expect(reversal?.skipped.map(\.light) == [desk.id])
        #expect(reversal?.skipped.first?.cause.kind == .accessory("Dimmer"))
        #expect(home.light(desk.id)?.brightness == 0.9)
        #expect(home.light(Self.lights[2].id)?.power == .on)
    }

    @Test func `a light at which an undo and a redo cancel each other out can still be undone`() {
        let home = home()
        let fan = Self.lights[3].id
        home.send(.turn(.on, .light(fan), over: .usual))
        home.send(.turn(.off, .light(fan), over: .usual))
        home.send(.undo(1, over: .usual))
        home.send(.undo(1, over: .usual))
        home.send(.redo(2, over: .usual))
        let undo = home.send(.undo(1, over: .usual))
        #expect(reversal(home, undo)?.skipped == [])
        #expect(home.light(fan)?.power == .on)
    }

    @Test func `undo stops at what somebody else did between two commands`() {
        let home = home()
        home.send(.apply(.values(.bri(0.1)), on: .light(desk.id), over: .usual))
        home.stack.tell(.light(desk.id, Light.Report(brightness: 0.9)))
        home.settle()
        home.send(.apply(.values(.bri(0.3)), on: .light(desk.id), over: .usual))
        let reversal = reversal(home, home.send(.undo(2, over: .usual)))
        #expect(home.light(desk.id)?.brightness == 0.9)
        #expect(reversal?.skipped.map(\.light) == [desk.id])
    }

    /// The undo in between has set the light to what the newest command changed.
    @Test func `several commands are undone at once, though an undo lies between them`() {
        let home = home()
        for level in [0.2, 0.3, 0.5] {
            home.send(.apply(.values(.bri(level)), on: .light(desk.id), over: .usual))
        }
        home.send(.undo(1, over: .usual))
        home.send(.apply(.values(.bri(0.6)), on: .light(desk.id), over: .usual))
        let undo = home.send(.undo(2, over: .usual))
        #expect(reversal(home, undo)?.skipped.isEmpty == true)
        #expect(home.light(desk.id)?.brightness == 0.2)
    }

    @Test func `after a new command, nothing can be redone`() {
        let home = home()
        home.send(.turn(.off, .light(desk.id), over: .usual))
        home.send(.undo(1, over: .usual))
        home.send(.apply(.values(.bri(0.3)), on: .light(desk.id), over: .usual))
        #expect(home.response(to: home.send(.redo(1, over: .usual)))?.outcome == .failed(.nothingToReverse("redo")))
    }

    @Test func `undo fails and sends nothing if there is nothing to undo`() {
        let home = home()
        #expect(home.response(to: home.send(.undo(1, over: .usual)))?.outcome == .failed(.nothingToReverse("undo")))
        #expect(home.stack.requests.isEmpty)
    }

    @Test func `dragging a slider is undone as a whole, single commands one by one`() {
        let home = home()
        home.stack.hold()
        for level in 1...30 {
            home.send(.apply(.values(.bri(Double(level) / 100)), on: .light(desk.id), over: .usual))
        }
        home.stack.release()
        home.settle()
        home.send(.apply(.values(.bri(0.8)), on: .light(desk.id), over: .usual))
        home.send(.undo(1, over: .usual))
        #expect(home.light(desk.id)?.brightness == 0.3)
        home.send(.undo(1, over: .usual))
        #expect(home.light(desk.id)?.brightness == 0.5)
    }

    @Test func `an undo that the bridge refused can be tried again`() {
        let home = home()
        home.send(.turn(.off, .light(desk.id), over: .usual))
        home.stack.end(with: .failed(.refused(by: .sample, words: "no")))
        home.send(.undo(1, over: .usual))
        #expect(home.light(desk.id)?.power == .off)
        home.stack.end(with: .succeeded)
        home.send(.undo(1, over: .usual))
        #expect(home.light(desk.id)?.power == .on)
    }

    @Test func `a command that failed as a whole cannot be undone, and leaves what can be redone`() {
        let home = home()
        home.send(.turn(.off, .light(desk.id), over: .usual))
        home.send(.undo(1, over: .usual))
        home.stack.end(with: .failed(.unreachable(desk.id.bridge, because: "no answer")))
        home.send(.apply(.values(.bri(0.9)), on: .light(desk.id), over: .usual))
        home.stack.end(with: .succeeded)
        let redo = home.send(.redo(1, over: .usual))
        #expect(reversal(home, redo)?.steps == 1)
        #expect(home.light(desk.id)?.power == .off)
        let undo = home.send(.undo(1, over: .usual))
        #expect(reversal(home, undo)?.lights == [desk.id])
        #expect(home.response(to: home.send(.undo(1, over: .usual)))?.outcome?.failure != nil)
    }

    // MARK: - Commands that may still be carried out

    private static let late = Outcome.failed(.unconfirmed(by: .sample, words: "it is busy; the command is sent later"))

    /// The lights of the newest request, and the values they were sent.
    private func sent(_ home: DomainFixture) -> [DesiredState] {
        if case let .set(states, _)? = home.stack.requests.last { states } else { [] }
    }

    /// What returns a light to its state from before.
    private func before(_ light: Light) -> DesiredState {
        let values: LightPatch? =
            switch light.selectedMode {
            case .ct: .ct(light.temperature, brightness: light.brightness)
            case .hsb: .hsb(light.hue, light.saturation, light.brightness)
            case .unset: nil
            }
        return DesiredState(light.id, power: light.power, values)
    }

    @Test func `undo replaces values that still wait to be sent, though the light never showed them`() {
        let home = home()
        home.stack.end(with: Self.late)
        home.send(.apply(.values(.bri(0.1)), on: .light(desk.id), over: .usual))
        #expect(home.light(desk.id)?.brightness == 0.5)
        home.stack.end(with: .succeeded)
        let undo = home.send(.undo(1, over: .usual))
        #expect(sent(home) == [before(desk)])
        #expect(reversal(home, undo)?.lights == [desk.id])
        // It never showed what the command asked, so that only the command says where redo leads.
        let redo = home.send(.redo(1, over: .usual))
        #expect(reversal(home, redo)?.lights == [desk.id] && reversal(home, redo)?.skipped == [])
        #expect(sent(home) == [DesiredState(desk.id, power: .on, .bri(0.1))])
    }

    @Test func `undo and redo go step by step through what waits for a lost bridge`() {
        let home = home()
        home.stack.echo(false)
        home.stack.hold()
        for step in [0.3, 0.6] {
            home.send(.apply(.values(.bri(step)), on: .light(desk.id), over: .milliseconds(Int(step * 10))))
            home.send(.turn(.on, .light(Self.lights[3].id), over: .usual))
        }
        home.stack.tell(.lost(.sample, because: .unreachable(.sample, because: "no answer")))
        home.settle()
        for (reversal, expected) in [
            (Message.Lighting.undo(2, over: .usual), 0.3), (.undo(2, over: .usual), 0.5),
            (.redo(2, over: .usual), 0.3), (.redo(2, over: .usual), 0.6),
        ] {
            home.send(reversal)
            #expect(
                home.stack.requests.compactMap { request in
                    if case let .set(states, _) = request { states.first { $0.light == desk.id } } else { nil }
                }.last?.values.brightness == expected, "\(reversal)")
        }
    }

    @Test(arguments: [true, false])
    func `undo replaces a scene that is recalled late, answered or not`(isAnswered: Bool) {
        let scene = Scene.make(lights: Self.lights.map(\.id))
        let home = DomainFixture(
            .make(lights: Self.lights, rooms: [room], scenes: [scene]), stack: MemoryStack(lights: Self.lights))
        if isAnswered { home.stack.end(with: Self.late) } else { home.stack.hold() }
        home.send(.recall(scene.id, over: .usual))
        home.stack.end(with: .succeeded)
        home.send(.undo(1, over: .usual))
        #expect(Set(sent(home).map(\.light)) == Set(scene.lights))
        #expect(sent(home).first { $0.light == desk.id } == before(desk))
    }

    /// Only its bridge knows what it sets.
    @Test(arguments: [true, false])
    func `a scene that was undone before its lights showed it is recalled again by redo`(isAnswered: Bool) {
        let scene = Scene.make(lights: Self.lights.map(\.id))
        let home = DomainFixture(
            .make(lights: Self.lights, rooms: [room], scenes: [scene]), stack: MemoryStack(lights: Self.lights))
        if !isAnswered { home.stack.hold() }
        home.send(.recall(scene.id, over: .usual))
        let undo = home.send(.undo(1, over: .usual))
        home.stack.release()
        home.settle()
        #expect(home.response(to: undo)?.outcome == .succeeded)
        let redo = home.send(.redo(1, over: .usual))
        #expect(home.stack.requests.last == .recall(scene.id, .usual))
        #expect(Set(reversal(home, redo)?.lights ?? []) == Set(scene.lights))
        // What they show then can be undone again.
        home.stack.tell(.light(desk.id, Light.Report(brightness: 0.9, source: .command(redo))))
        home.settle()
        home.send(.undo(1, over: .usual))
        #expect(sent(home).first { $0.light == desk.id } == DesiredState(desk.id, power: .on, .bri(desk.brightness)))
    }

    @Test func `it is known when a timed effect was begun that runs, also after undo, unless anything else may have`() {
        let sunrise = Light.Effect("sunrise", milliseconds: 1_200_000)
        let limits = Light.Limits(
            temperature: 153.mirek...500.mirek, effects: ["candle", "sunrise"], timedEffects: ["sunrise"])
        let lamp = Light.make("bed", name: "Bed", limits: limits)
        let home = DomainFixture(
            .make(lights: [lamp], scenes: [.make(lights: [lamp.id])]), stack: MemoryStack(lights: [lamp]))
        func begun(of effect: Light.Effect = sunrise) -> Timestamp? {
            home.store.state().history.beginning(of: effect, on: lamp.id)
        }
        func send(_ command: Message.Lighting) -> Timestamp {
            home.wait(.seconds(30))
            return home.send(command).time
        }
        func set(_ patch: LightPatch) -> Timestamp { send(.apply(.values(patch), on: .light(lamp.id), over: .usual)) }
        let beginning = LightPatch(tone: .effect(sunrise, over: nil))

        #expect(begun() == nil)
        let first = set(beginning)
        #expect(begun() == first)
        // As bridges round it; another is another.
        #expect(begun(of: Light.Effect("sunrise", milliseconds: 1_230_000)) == first)
        #expect(begun(of: Light.Effect("sunrise", milliseconds: 600_000)) == nil)
        #expect(begun(of: Light.Effect("sunset", milliseconds: 1_200_000)) == nil)
        // Its level is changed meanwhile.
        _ = set(.bri(0.3))
        #expect(begun() == first)
        let second = set(LightPatch(tone: .effect(nil, over: nil)))
        #expect(second > first && begun() == nil)
        // What had ended it is taken back, and done again.
        let undo = send(.undo(1, over: .usual))
        #expect(begun() == undo)
        _ = send(.redo(1, over: .usual))
        #expect(begun() == nil)
        let third = set(beginning)
        #expect(begun() == third)
        // The beginning is taken back, and done again.
        _ = send(.undo(1, over: .usual))
        #expect(begun() == nil)
        let redo = send(.redo(1, over: .usual))
        #expect(begun() == redo)
        // What a scene begins, only its bridge knows.
        _ = send(.recall(Scene.make().id, over: .usual))
        #expect(begun() == nil)
    }

    @Test func `redo of a scene that was shown sends nothing to the lights that it did not change`() {
        let scene = Scene.make(lights: Self.lights.map(\.id))
        let home = DomainFixture(
            .make(lights: Self.lights, rooms: [room], scenes: [scene]), stack: MemoryStack(lights: Self.lights))
        let recall = home.send(.recall(scene.id, over: .usual))
        home.stack.tell(.light(desk.id, Light.Report(brightness: 0.9, source: .scene(scene.id, by: recall))))
        home.settle()
        for command: Message.Lighting in [.undo(1, over: .usual), .redo(1, over: .usual)] {
            #expect(reversal(home, home.send(command))?.lights == [desk.id])
        }
        #expect(sent(home).map(\.values.brightness) == [0.9])
    }

    @Test func `redo overrules nobody who has changed a light since the undo of a scene`() {
        let scene = Scene.make(lights: Self.lights.map(\.id))
        let home = DomainFixture(
            .make(lights: Self.lights, rooms: [room], scenes: [scene]), stack: MemoryStack(lights: Self.lights))
        home.send(.recall(scene.id, over: .usual))
        home.send(.undo(1, over: .usual))
        home.stack.tell(.light(desk.id, Light.Report(brightness: 0.9, source: .accessory("Dimmer"))))
        home.settle()
        home.send(.redo(1, over: .usual))
        #expect(home.stack.requests.count { if case .recall = $0 { true } else { false } } == 1)
        #expect(home.light(desk.id)?.brightness == 0.9)
    }

    @Test func `undo sends nothing to lights that are known to be as they were`() {
        let home = home()
        let fan = Self.lights[3].id
        let missed = Failure.Part(.light(fan), .unconfirmed(by: .sample, words: "it is busy"))
        let refused = Failure.Part(.light(desk.id), .refused(by: .sample, words: "no"))
        home.stack.end(with: .failed(.partly([missed, refused], of: 4)))
        home.send(.turn(.on, .room(room.id), over: .usual))
        home.stack.end(with: .succeeded)
        let undo = home.send(.undo(1, over: .usual))
        // The shelf took it, and has only not reported it yet.
        #expect(sent(home) == [DesiredState(Self.lights[1].id, power: .off), before(Self.lights[3])])
        #expect(reversal(home, undo)?.lights == [Self.lights[1].id, fan])
    }

    @Test func `undo and redo replace what is kept for a lamp out of reach`() {
        let home = home()
        home.stack.echo(false)
        home.stack.tell(.light(desk.id, Light.Report(reachable: false)))
        home.settle()
        // The bridge reports success.
        home.send(.apply(.values(.bri(0.25)), on: .light(desk.id), over: .usual))
        let asked = DesiredState(desk.id, power: .on, .ct(desk.temperature, brightness: 0.25))
        for (reversal, state) in [
            (Message.Lighting.undo(1, over: .usual), before(desk)), (.redo(1, over: .usual), asked),
            (.undo(1, over: .usual), before(desk)),
        ] {
            let count = home.stack.requests.count
            home.send(reversal)
            #expect(home.stack.requests.count == count + 1 && sent(home) == [state], "\(reversal)")
        }
    }

    @Test func `undo sends a light what somebody else has set meanwhile, if the command may still be carried out`() {
        let home = home()
        home.stack.end(with: Self.late)
        home.send(.apply(.values(.bri(0.1)), on: .light(desk.id), over: .usual))
        home.stack.end(with: .succeeded)
        home.stack.tell(.light(desk.id, Light.Report(brightness: 0.9, source: .accessory("Dimmer"))))
        home.settle()
        let undo = home.send(.undo(1, over: .usual))
        #expect(reversal(home, undo)?.skipped.map(\.light) == [desk.id])
        #expect(sent(home) == [DesiredState(desk.id, power: .on, .ct(desk.temperature, brightness: 0.9))])
    }

    @Test func `a command that was not confirmed while its undo failed is replaced by the next undo`() {
        let home = home()
        home.stack.echo(false)
        home.stack.tell(.light(desk.id, Light.Report(reachable: false)))
        home.settle()
        home.stack.hold()
        let dimmed = home.send(.apply(.values(.bri(0.25)), on: .light(desk.id), over: .usual))
        let undo = home.send(.undo(1, over: .usual))
        home.mailbox.post(
            .lighting(.applying(.values(.bri(0.25)), on: .light(desk.id), .succeeded), ticket: dimmed))
        home.settle()
        home.mailbox.post(
            .lighting(
                .undoing(Reversal(steps: 1), .failed(.unreachable(.sample, because: "no answer"))), ticket: undo))
        home.settle()
        let count = home.stack.requests.count
        home.send(.undo(1, over: .usual))
        #expect(home.stack.requests.count == count + 1 && sent(home) == [before(desk)])
    }

    @Test func `a command that failed at every light, each for its own reason, cannot be undone`() {
        let home = home()
        let parts = [
            Failure.Part(.light(desk.id), .unreachable(.sample, because: "no answer")),
            Failure.Part(.light(Self.lights[1].id), .keyRefused(by: .sample)),
        ]
        home.stack.end(with: .failed(.partly(parts, of: 2)))
        home.send(.turn(.on, .room(room.id), over: .usual))
        #expect(home.response(to: home.send(.undo(1, over: .usual)))?.outcome == .failed(.nothingToReverse("undo")))
    }

    @Test(arguments: [1, 62, 63, 64, 65, 300], ["drag", nil])
    func `undo of a gesture takes back its first commands too, however many follow`(count: Int, gesture: String?) {
        let home = home()
        // Without a name, commands for the same lights are one gesture as long as they are not answered.
        if gesture == nil { home.stack.hold() }
        home.send(.apply(.values(.ct(200.mirek)), on: .room(room.id), over: .usual), gesture: gesture)
        let shown = home.light(desk.id)?.temperature
        for _ in 0..<count {
            home.send(.apply(.values(.ct(200.mirek)), on: .room(room.id), over: .usual), gesture: gesture)
            if gesture != nil {
                let level = Double(home.stack.requests.count % 90 + 10) / 100
                home.send(.apply(.values(.bri(level)), on: .light(Self.lights[2].id), over: .usual), gesture: gesture)
            }
        }
        home.stack.release()
        home.settle()
        let undo = home.send(.undo(1, over: .usual))
        #expect(reversal(home, undo)?.skipped == [])
        #expect(same(values(home), Self.lights.map(\.values)))
        home.send(.redo(1, over: .usual))
        #expect(home.light(desk.id)?.temperature == shown)
    }

    @Test func `a gesture remembers every undo that came between its commands`() {
        let home = home()
        let sofa = Self.lights[2]
        func dim(_ light: Light, _ level: Double, gesture: String? = nil) {
            home.send(.apply(.values(.bri(level)), on: .light(light.id), over: .usual), gesture: gesture)
        }
        dim(sofa, 0.2)
        dim(desk, 0.3)
        home.send(.undo(1, over: .usual))
        dim(desk, 0.4, gesture: "drag")
        dim(sofa, 0.5)
        home.send(.undo(1, over: .usual))
        dim(sofa, 0.6, gesture: "drag")
        let undo = home.send(.undo(2, over: .usual))
        #expect(reversal(home, undo)?.skipped == [])
        #expect(same(values(home), Self.lights.map(\.values)))
    }

    @Test func `only the newest commands are remembered`() {
        let home = home()
        for level in 0..<300 {
            home.send(.apply(.values(.bri(Double(level % 100) / 100)), on: .light(desk.id), over: .usual))
        }
        #expect(home.store.state().history.steps.count == History.longest)
    }
}
