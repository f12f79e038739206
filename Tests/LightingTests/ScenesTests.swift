import Foundation
import HashTreeCollections
import Khipu
import Lighting
import LightingTestKit
import Testing

/// Saving and changing scenes.
@DomainActor
struct ScenesTests {
    private let home = DomainFixture(HomeFixture.state, stack: HomeFixture.stack)
    private let desk = HomeFixture.desk
    private let stove = HomeFixture.stove
    private let sink = HomeFixture.sink
    private let fan = HomeFixture.fan
    private let relax = HomeFixture.relax.id

    private func outcome(_ command: Message.Scenes) -> Outcome? { home.response(to: home.send(command))?.outcome }

    @Test func `a scene belongs to the room or zone that is named`() {
        let ticket = home.send(.save(named: "Bright", of: [.room(HomeFixture.kitchen.id)]))
        #expect(home.stack.requests == [.save("Bright", [stove.id, sink.id, fan.id], in: HomeFixture.kitchen.id)])
        guard case let .scenes(.saving("Bright", scene?, .succeeded), _)? = home.response(to: ticket) else {
            Issue.record("\(String(describing: home.response(to: ticket)))")
            return
        }
        #expect(home.store.state().scenes[scene]?.room == HomeFixture.kitchen.id)
    }

    @Test(
        arguments: [
            ([HomeFixture.sink, HomeFixture.stove], HomeFixture.kitchen),  // a room
            ([HomeFixture.sink], HomeFixture.kitchen),  // a room before a zone
            ([HomeFixture.sink, HomeFixture.desk], HomeFixture.evening),  // a zone, if no room has all
        ] as [([Light], Room)])
    func `lights make a scene of the room or zone that they share`(lights: [Light], room: Room) {
        home.send(.save(named: "Some", of: lights.map { .light($0.id) }))
        #expect(home.stack.requests == [.save("Some", lights.map(\.id), in: room.id)])
    }

    @Test func `lights without a common room make no scene`() {
        #expect(outcome(.save(named: "Odd", of: [.light(desk.id), .light(fan.id)])) == .failed(.noCommonRoom))
        #expect(outcome(.save(named: "Odd", of: [.all])) == .failed(.noCommonRoom))
        #expect(home.stack.requests.isEmpty)
    }

    @Test func `two scenes of a room do not have one name`() {
        #expect(outcome(.save(named: "relax", of: [.room(HomeFixture.kitchen.id)])) == .failed(.sceneExists(relax)))
        #expect(home.stack.requests.isEmpty)
        // Another room may have one.
        #expect(outcome(.save(named: "Relax", of: [.room(HomeFixture.study.id)])) == .succeeded)
        #expect(outcome(.save(named: "Calm", of: [.room(HomeFixture.kitchen.id)])) == .succeeded)
        #expect(outcome(.rename(relax, to: "calm"))?.failure != nil)
        // Its own name in other letters.
        #expect(outcome(.rename(relax, to: "RELAX")) == .succeeded)
        #expect(home.store.state().scenes[relax]?.name == "RELAX")
    }

    @Test func `a scene can be updated, read and deleted`() {
        #expect(outcome(.update(relax)) == .succeeded)
        let read = home.send(.read(relax))
        guard case let .scenes(.reading(_, states, .succeeded), _)? = home.response(to: read) else {
            Issue.record("the scene could not be read")
            return
        }
        #expect(states.map(\.light) == [stove.id, sink.id])
        #expect(outcome(.delete(relax, named: "Relax")) == .succeeded)
        #expect(home.store.state().scenes.isEmpty)
        #expect(home.stack.requests == [.update(relax), .read(relax), .deleteScene(relax)])
        for command: Message.Scenes in [.update(relax), .read(relax), .delete(relax, named: "Relax")] {
            #expect(outcome(command) == .failed(.noSuchScene(relax)))
        }
    }

    @Test(arguments: [
        LightPatch(power: .off), LightPatch(power: .on), .bri(0.4), .ct(370.mirek, brightness: 0.2),
    ])
    func `a scene is edited without its lights, and nothing is left to undo`(patch: LightPatch) {
        let before = home.store.state().lights
        #expect(
            outcome(.edit(relax, of: [.light(sink.id), .room(HomeFixture.kitchen.id)], by: .set(patch))) == .succeeded)
        let able = [sink, stove, fan].compactMap { light in
            patch.hasValues ? light.part(of: patch).map { DesiredState(light.id, $0) } : DesiredState(light.id, patch)
        }
        #expect(home.stack.requests == [.edit(relax, able)] && able.count > 1)
        #expect(home.store.state().lights == before && home.store.state().history.done.isEmpty)
    }

    @Test func `a light that cannot show what a scene is to set says what it can`() {
        guard
            case .failed(.cannot(light: fan.name, _))? = outcome(
                .edit(relax, of: [.light(fan.id)], by: .set(.bri(0.4))))
        else {
            Issue.record("the fan has no levels")
            return
        }
        let sunrise = LightPatch(tone: .effect(Light.Effect("sunrise", milliseconds: 60_000), over: nil))
        let refused = outcome(.edit(relax, of: [.light(sink.id)], by: .set(sunrise)))
        #expect(refused == .failed(.invalid("'sunrise' comes to an end, and a scene stores only effects that go on")))
        #expect(home.stack.requests.isEmpty)
    }

    @Test func `a scene sets lights of its room or zone only`() {
        let refused = outcome(.edit(relax, of: [.light(sink.id), .light(desk.id)], by: .set(.bri(0.4))))
        #expect(
            refused
                == .failed(.invalid("the scene 'Relax' sets only lights that are in 'Kitchen', but not 'Desk'")))
        #expect(outcome(.edit(relax, of: [.all], by: .set(.bri(0.4))))?.failure != nil)
        #expect(home.stack.requests.isEmpty)
    }

    @Test func `lights are taken out of a scene, but not all of them`() {
        #expect(outcome(.edit(relax, of: [.light(sink.id), .light(fan.id)], by: .remove)) == .succeeded)
        #expect(home.stack.requests == [.edit(relax, [], removed: [sink.id])])
        for (targets, words) in [
            ([Target.room(HomeFixture.kitchen.id)], "the scene 'Relax' sets no other lights; delete it instead"),
            ([.light(fan.id)], "the scene 'Relax' does not set 'Fan'"),
        ] {
            #expect(outcome(.edit(relax, of: targets, by: .remove)) == .failed(.invalid(words)))
        }
        #expect(home.stack.requests.count == 1)
        let gone = Scene.ID(bridge: .sample, resource: "gone")
        #expect(outcome(.edit(gone, of: [.light(sink.id)], by: .remove)) == .failed(.noSuchScene(gone)))
    }

    @Test func `a name that no bridge takes is refused`() {
        #expect(outcome(.save(named: "", of: [.room(HomeFixture.kitchen.id)]))?.failure != nil)
        #expect(outcome(.rename(relax, to: "@a"))?.failure != nil)
        #expect(home.stack.requests.isEmpty)
    }

    @Test func `a room shows the scene that was last recalled, and says whether it was changed since`() {
        let kitchen = HomeFixture.kitchen.id
        var shown: ShownScene? { home.store.state().shownScene(of: kitchen) }
        let lights = home.store.state().scenes[relax]?.lights ?? []
        #expect(shown == nil && lights.count > 1)
        home.send(.recall(relax, over: .usual))
        home.settle()
        #expect(shown == ShownScene(scene: relax, isChanged: false))
        home.wait(.seconds(1))
        home.stack.tell(.light(lights[0], Light.Report(power: .on, source: .otherApp)))
        home.stack.tell(.light(lights[0], Light.Report(power: .off, source: .otherApp)))
        home.settle()
        #expect(shown == ShownScene(scene: relax, isChanged: true))
        home.wait(.seconds(1))
        home.send(.recall(relax, over: .usual))
        home.settle()
        #expect(shown == ShownScene(scene: relax, isChanged: false))
        home.wait(.seconds(1))
        home.send(.turn(.on, .room(kitchen), over: .usual))
        home.send(.turn(.off, .room(kitchen), over: .usual))
        home.settle()
        #expect(shown == nil, "none of its lights shows it")
    }

    /// Of the kitchen; it recalls ``HomeFixture/relax``.
    private let day = Scene.ID(bridge: .sample, resource: "day")

    private func tellSmart(active: Bool) {
        let slot = SmartScene.Slot(.sun(.sunset), relax)
        let smart = SmartScene(week: [.init(.all, [slot])], isActive: active, current: active ? slot : nil)
        home.stack.tell(.changed(.scene(Scene(id: day, name: "Day", room: HomeFixture.kitchen.id, smart: smart))))
        home.settle()
    }

    /// The bridge carries out what it was asked.
    private func recallSmart() {
        let ticket = home.send(.recall(day, over: .usual))
        home.settle()
        tellSmart(active: true)
        for light in [stove.id, sink.id] {
            let report = Light.Report(LightPatch(power: .on, brightness: 0.9), source: .scene(day, by: ticket))
            home.stack.tell(.light(light, report))
        }
        home.settle()
    }

    @Test func `undo of a smart scene ends it, and redo makes it active again`() {
        tellSmart(active: false)
        recallSmart()
        home.send(.undo(1, over: .usual))
        home.settle()
        #expect(home.stack.requests.prefix(2) == [.recall(day, .usual), .deactivate(day)])
        guard case let .set(states, _)? = home.stack.requests.last else {
            Issue.record("its lights are as before: \(home.stack.requests)")
            return
        }
        #expect(Set(states.map(\.light)) == [stove.id, sink.id])
        tellSmart(active: false)
        home.send(.redo(1, over: .usual))
        home.settle()
        #expect(home.stack.requests.last == .recall(day, .usual))
    }

    @Test func `undo leaves a smart scene alone that was shown before, or that was ended since`() {
        tellSmart(active: false)
        recallSmart()
        recallSmart()
        home.send(.undo(1, over: .usual))
        home.settle()
        #expect(!home.stack.requests.contains(.deactivate(day)))
        tellSmart(active: false)
        home.send(.undo(1, over: .usual))
        home.settle()
        #expect(home.store.state().history.undone.count == 2 && !home.stack.requests.contains(.deactivate(day)))
    }

    @Test func `a room shows its smart scene, also once the bridge has recalled the scene of the slot`() {
        let kitchen = HomeFixture.kitchen.id
        tellSmart(active: true)
        for (source, level) in [(day, 0.7), (relax, 0.8)] {
            home.wait(.seconds(1))
            for light in [sink.id, stove.id] {
                let report = Light.Report(
                    LightPatch(power: .on, brightness: level), source: .scene(source, by: nil))
                home.stack.tell(.light(light, report))
            }
            home.settle()
            #expect(home.store.state().shownScene(of: kitchen) == ShownScene(scene: day, isChanged: false))
        }
        home.wait(.seconds(1))
        home.stack.tell(.light(sink.id, Light.Report(LightPatch(brightness: 0.11), source: .otherApp)))
        home.settle()
        #expect(home.store.state().shownScene(of: kitchen) == ShownScene(scene: day, isChanged: true))
        tellSmart(active: false)
        #expect(home.store.state().shownScene(of: kitchen)?.scene == relax)
    }

    @Test func `a smart scene has its own transition, and no lights of its own`() {
        tellSmart(active: false)
        #expect(home.store.state().lights(of: day) == [stove.id, sink.id])
        for command in [
            Message.Lighting.recall(day, over: .milliseconds(100)), .recall(day, over: .usual, moving: SceneMotion()),
            .recall(day, over: .usual, moving: .still),
        ] {
            #expect(home.response(to: home.send(command))?.outcome?.failure != nil)
        }
        #expect(
            outcome(.edit(day, of: [.light(sink.id)], by: .set(.bri(0.4))))
                == .failed(.invalid("'Day' is a smart scene, which sets no lights itself: it recalls other scenes")))
        #expect(outcome(.update(day))?.failure != nil && outcome(.deactivate(relax))?.failure != nil)
        #expect(home.stack.requests.isEmpty)
        guard case .scenes(.reading(day, [], .succeeded), _)? = home.response(to: home.send(.read(day))) else {
            Issue.record("what it is, is known without its bridge")
            return
        }
        // A switch does not come to it by itself.
        let binding = SwitchBinding(of: Sensor.make().id, to: .room(HomeFixture.kitchen.id))
        #expect(home.store.state().scenes(of: binding) == [relax])
    }

    /// A report of a sink that a dynamic scene moves.
    private func moved(to hue: Double, source: Cause.Kind? = nil, brightness: Double? = nil) {
        let palette = Light.Effect(Light.Effect.palette, speed: 0.5)
        home.stack.tell(
            .light(
                sink.id,
                Light.Report(
                    LightPatch(
                        power: .on, brightness: brightness,
                        tone: .effect(palette, over: .color(hue: hue, saturation: 1))),
                    source: source)))
        home.settle()
    }

    private var sinkSent: [DesiredState] {
        home.stack.requests.flatMap { request -> [DesiredState] in
            if case let .set(states, _) = request { states } else { [] }
        }.filter { $0.light == sink.id }
    }

    @Test(arguments: [SceneMotion(speed: 0.6), .still])
    func `a scene is recalled as a dynamic or a static one, and again so if it was undone before it was shown`(
        motion: SceneMotion
    ) {
        home.send(.recall(relax, over: .usual, moving: motion))
        home.settle()
        #expect(home.stack.requests == [.recall(relax, .usual, moving: motion)])
        home.send(.undo(1, over: .usual))
        home.send(.redo(1, over: .usual))
        home.settle()
        #expect(home.stack.requests.last == .recall(relax, .usual, moving: motion))
    }

    @Test func `how a scene was recalled is remembered, also by older versions that knew only dynamic ones`() throws {
        for motion in [SceneMotion(), SceneMotion(speed: 0.6), .still] {
            #expect(try JSONDecoder().decode(SceneMotion.self, from: JSONEncoder().encode(motion)) == motion)
        }
        for (old, motion) in [("{}", SceneMotion()), (#"{"speed":0.6}"#, SceneMotion(speed: 0.6))] {
            #expect(try JSONDecoder().decode(SceneMotion.self, from: Data(old.utf8)) == motion)
        }
    }

    @Test func `each colour of a dynamic scene is the scene's doing, and undo of a level leaves it alone`() {
        home.send(.recall(relax, over: .usual, moving: SceneMotion()))
        home.settle()
        let cause = Cause.Kind.scene(relax, by: nil)
        moved(to: 0.1, source: cause, brightness: 0.8)
        let since = home.store.state().lights[sink.id]?.cause
        home.wait(.seconds(10))
        moved(to: 0.2)
        let shown = home.store.state().lights[sink.id]
        #expect(shown?.cause == since && shown?.hue == 0.2 && since?.kind == cause)
        home.send(.apply(.values(.bri(0.3)), on: .light(sink.id), over: .usual))
        home.settle()
        moved(to: 0.3, brightness: 0.3)
        home.send(.undo(1, over: .usual))
        home.settle()
        #expect(sinkSent.last?.values == LightPatch(power: .on, brightness: 0.8) && sinkSent.count == 2, "\(sinkSent)")
    }

    @Test func `the colours of a dynamic scene do not fill the journal`() {
        let palette = LightPatch.Tone.effect(
            Light.Effect(Light.Effect.palette), over: .color(hue: 0.2, saturation: 1))
        func isJournaled(_ patch: LightPatch, _ source: Cause.Kind? = nil) -> Bool {
            let report = Light.Report(patch, source: source)
            return Message.lighting(
                .reported(.light(sink.id, report)), ticket: Ticket(number: 1, holder: "test", time: .sample)
            ).isJournaled
        }
        #expect(!isJournaled(LightPatch(tone: palette)))
        #expect(isJournaled(LightPatch(tone: palette), .scene(relax, by: nil)))
        #expect(isJournaled(LightPatch(brightness: 0.4, tone: palette)) && isJournaled(LightPatch(tone: palette.base)))
    }

    @Test func `undo gives a lamp that no dynamic scene moves any more the colour that it had`() {
        moved(to: 0.2, source: .scene(relax, by: nil), brightness: 0.8)
        home.send(.apply(.values(.ct(300.mirek)), on: .light(sink.id), over: .usual))
        home.settle()
        home.send(.undo(1, over: .usual))
        home.settle()
        #expect(sinkSent.last?.values.tone == .color(hue: 0.2, saturation: 1))
    }

    @Test func `a scene that somebody recalls is shown as a whole, also by lights that showed it before`() {
        let lights = home.store.state().scenes[relax]?.lights ?? []
        home.wait(.seconds(1))
        home.stack.tell(.light(lights[0], Light.Report(power: .on, source: .scene(relax, by: nil))))
        home.stack.tell(.light(lights[0], Light.Report(power: .off, source: .scene(relax, by: nil))))
        home.settle()
        let shown = home.store.state().shownScene(of: HomeFixture.kitchen.id)
        #expect(shown == ShownScene(scene: relax, isChanged: false))
    }
}
