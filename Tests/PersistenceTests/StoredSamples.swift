import Foundation
import HashTreeCollections
import Khipu
import LightingTestKit

@testable import Lighting

/// One value of every case of every type that is on the disk: of messages, and of what else has a row. They are written
/// down in `Tests/Support/stored`, as an earlier lightd wrote them.
enum StoredSamples {
    static let ticket = Ticket(
        number: 7, holder: "lightctl (uid 1000) with anna", time: .sample, gesture: "run 3", isFollowUpStep: false)
    private static let upkeep = Ticket(number: 8, holder: "daylight on all", time: .sample).followUpStep
    private static let own = Ticket(number: 9, holder: "automation 'Hall'", time: .sample, gesture: "run 4").own
    private static let bridge = Bridge.ID.sample
    private static let light = Light.ID(bridge: bridge, resource: "desk")
    private static let room = Room.ID(bridge: bridge, resource: "living")
    private static let scene = Scene.ID(bridge: bridge, resource: "relax")
    private static let sensor = Sensor.ID(bridge: bridge, resource: "hall")
    private static let automation = Automation.ID("Hall at night")
    private static let targets: [Target] = [.light(light), .room(room), .all]

    // MARK: - What is in messages

    private static let causes: [Cause.Kind] = [
        .command(ticket), .scene(scene, by: ticket), .scene(scene, by: nil), .accessory("Dimmer"), .power, .otherApp,
        .unseen,
    ]
    private static let settings: [LightPatch] = [
        .bri(0.4), .ct(366.mirek), .ct(153.mirek, brightness: 0.25), .hsb(0.1, 0.6, 1),
        .hsb(hue: 0.5, saturation: nil, brightness: nil), .hsb(hue: nil, saturation: 0.3, brightness: nil),
    ]
    private static let states =
        [DesiredState(light, power: .off), DesiredState(light, LightPatch())]
        + settings.map { DesiredState(light, power: .on, $0) }
    private static let values = Light.Values(
        power: .on, brightness: 0.5, hue: 0.25, saturation: 0.75, temperature: 300.mirek, mode: .hsb)
    private static let reports = [
        Light.Report(
            values, reachable: true, configuration: LightConfiguration(powerup: .lastOnState),
            source: .accessory("Dimmer"), overrules: true),
        Light.Report(),
    ]
    private static let sensorReports = [
        Sensor.Report(
            motion: true, contact: .open, tampering: false, lightLevel: 12.5, temperature: -3.25, battery: 0.5,
            reachable: false),
        Sensor.Report(press: .init(2, .releasedLong, after: .milliseconds(900)), rotation: -125),
    ]
    private static let failures: [Failure] = [
        .noSuchTarget(.light(light)), .noSuchScene(scene), .noSuchBridge(bridge), .noSuchAutomation(automation),
        .noSuchSensor(sensor), .roomExists(room), .sceneExists(scene), .severalBridges([bridge]), .noCommonRoom,
        .notPinned(.room(room)), .notBound(sensor), .noLights(in: .all), .cannot(light: "Stove", what: "be dimmed"),
        .refused(by: bridge, words: BridgeWords("'Stove' is off", raw: "device (light) stove is off")),
        .unconfirmed(by: bridge, words: "the lamp is out of reach"), .unreachable(bridge, because: "no route"),
        .notPaired, .keyRefused(by: bridge), .buttonNotPressed(on: bridge),
        .certificateRefused(of: bridge, because: "another key"), .whichBridge([bridge]),
        .noBridgeCalled("Attic", found: ["Study"]), .noBridgeFound(because: "nothing answers"),
        .notSaved(because: "the disk is full"), .nothingToReverse("undo"), .notUndoable(7), .followed(by: ticket),
        .followsNothing(.room(room)), .noSuchCurve("x", known: ["daylight"]), .placeUnknown("until sunset"),
        .noSuchName("nothing is called 'x'"), .impossible("it is running already"), .tooFewDays(2, of: 3),
        .invalid("no"), .partly([.init(.light(light), .notPaired)], of: 2),
    ]
    private static let comparisons: [Automation.Comparison] = [.below(12.5), .above(-4)]
    private static let checks: [Automation.Check] = [
        .motion("Hall", false), .contact("Door", isOpen: true), .power("@Living", .off),
        .lightLevel("Hall", comparisons[0]), .temperature("Hall", comparisons[1]), .bridge(nil, isConnected: false),
        .bridge("Study", isConnected: true),
    ]
    private static let triggers: [Automation.Trigger] =
        [
            .clock(.at(.sun(.sunset, offset: .seconds(-1200)), [.monday, .friday])),
            .clock(.every(.seconds(1800), from: .time(TimeOfDay(hour: 22)), to: .sun(.dawn), [.sunday])),
            .clock(.once(.sample)), .clock(.after(.seconds(1200), since: .sample)),
            .becomes(checks[0], for: .seconds(300)),
        ] + checks.map { .becomes($0) }
        + ButtonPress.allCases.map { .press(sensor: "Dimmer", button: $0 == .held ? nil : 2, $0) }
    private static let conditions: [Automation.Condition] = [
        .between(.time(.noon), .sun(.dusk)), .days([.saturday, .sunday]), .elevation(comparisons[1]),
        .check(checks[0]), .not(.check(checks[1])), .any([.check(checks[2]), .days(.monday)]),
    ]
    private static let steps: [Automation.Step] = [
        .command(
            StoredCommand(
                text: "dim kitchen 40% --over 10m",
                json: #"{"command":"set","target":"kitchen","brightness":40,"over":600000}"#, mayComeLate: true)),
        .wait(.seconds(90)), .waitFor(checks[0], for: .seconds(120), atMost: .seconds(3600)), .waitFor(checks[2]),
        .restore("@Living"),
    ]
    private static let automationNames: [Automation.Name] = {
        let things: [(NameRole, NamedThing?)] = [
            (.lights, .light(light)), (.room, .room(room)), (.scene, .scene(scene)), (.sensor, .sensor(sensor)),
            (.bridge, .bridge(bridge)), (.lights, nil),
        ]
        return things.map { role, thing in
            var name = Automation.Name(NameUse(role, "Hall"))
            (name.thing, name.former, name.replaced) = (thing, ["Corridor"], thing == nil ? "Hall" : nil)
            return name
        }
    }()
    private static let automations = [
        Automation(
            name: "Hall at night", triggers: triggers, conditions: conditions, steps: steps, mode: .restart,
            lateness: .skip
        ).with(names: automationNames),
        Automation(
            name: "timer 3", triggers: [], steps: steps, lateness: .catchUp, kind: .once(by: "anna"), isEnabled: false),
    ]
    private static let reasons: [AutomationRun.Reason] =
        triggers.map { .trigger($0) } + [.trigger(triggers[0], late: .seconds(90)), .hand("anna")]
    private static let ended = AutomationRun.Ended(
        run: 3, reason: .hand("anna"), started: .sample, ended: .sample, outcome: .failed(.notPaired))
    private static let skips: [AutomationState.Skip.Reason] =
        conditions.map { .condition($0) } + [
            .unknown(conditions[0]), .running, .late(.seconds(700)), .tooOften(until: .sample),
        ]
    private static let courses: [Following.Course] = [
        .curve("daylight"), .wakeUp(over: .seconds(1800)), .sleep(over: .seconds(600)),
    ]
    private static let lights = [
        Light.make(), Light.plug(),
        Light.make("stove", mode: .ct, modes: [.ct], freshness: .unreachable(since: .sample)),
    ]
    private static let rooms = [
        Room.make("living", lights: lights), Room.make("down", name: "Downstairs", kind: .zone),
    ]
    private static let scenes = [
        Scene(id: scene, name: "Relax", room: room, lights: [light], look: settings, turnsOff: [light]),
        Scene(id: scene, name: "Bare"),
    ]
    private static let sensors = [
        Sensor(
            id: sensor, name: "Hall", product: "Hue motion sensor", room: room,
            abilities: Set(Sensor.Ability.allCases), motion: .init(true, at: .sample),
            contact: .init(.closed, at: .sample), tampering: .init(false, at: .sample),
            lightLevel: .init(12.5, at: .sample), temperature: .init(21.5, at: .sample), battery: .init(1, at: .sample),
            buttons: [.init(1), .init(2, last: .init(.longPressed, at: .sample))], dial: .init(-15, at: .sample),
            isEnabled: false, isReachable: false, staleSince: .sample
        ).alter(by: .reporting(.it(sensorReports[1], at: .sample))), .dimmer(),
    ]
    private static let updates: [BridgeUpdate] =
        [
            .home(bridge, lights: lights, rooms: rooms, scenes: scenes, sensors: sensors),
            .added(.light(lights[0])), .added(.room(rooms[0])), .added(.scene(scenes[0])), .added(.sensor(sensors[0])),
            .changed(.room(rooms[1])), .changed(.scene(scenes[1])), .changed(.sensor(sensors[1])),
            .removed(.light(light)), .removed(.room(room)), .removed(.scene(scene)), .removed(.sensor(sensor)),
            .renamed(.room(room), to: "Parlour"),
        ] + reports.map { .light(light, $0) } + causes.map { .light(light, Light.Report(power: .on, source: $0)) }
        + sensorReports.map { .sensor(sensor, $0) }
    private static let discovery = Discovery(
        id: bridge, name: "Study", model: "BSB002", address: .init(host: "fe80::1%eth0", port: 443),
        attempts: [Discovery.Way.mdns, .configured, .lastKnown, .cloud].map {
            .init(way: $0, asked: "x", result: "y", succeeded: $0 == .mdns, isOff: $0 == .cloud)
        })
    private static let replay = PresenceReplay.Settings(
        until: .sample, seed: 5, includesPlugs: true, ignoresMotion: true, isPlain: true)
    private static let use = UsageHistory.Use(
        light, from: .sample, to: .sample.advanced(by: .seconds(3600)), level: 0.25)
    private static let endings: [PresenceReplay.Ending] =
        [.init(.over, at: .sample), .init(.asked(by: ticket), at: .sample)]
        + causes.map { .init(.noticed($0, light), at: .sample) }
    private static let reversal = Reversal(
        steps: 2, lights: [light], skipped: causes.map { .init(light, Cause($0, at: .sample)) }, scenes: [scene])

    // MARK: - Messages

    private static let succeeded = Outcome.succeeded
    private static let lightings: [Message.Lighting] =
        [
            .load, .loading(succeeded), .turn(.on, .all, over: .usual), .turning(.off, .room(room), succeeded),
            .toggle(.light(light), over: .milliseconds(250)), .toggling(.light(light), to: .on, succeeded),
            .apply(.mean(brightness: 0.4), on: .room(room), over: .usual),
            .apply(.meanStep(.pt(-10)), on: .room(room), over: .usual),
            .applying(.meanStep(.lightness(10)), on: .room(room), succeeded),
            .change(.name("Couch"), on: .light(light)), .changing(.name("Couch"), on: .light(light), succeeded),
            .identify(.room(room)), .identifying(.room(room), succeeded), .recall(scene, over: .usual),
            .recalling(scene, succeeded), .restore(states, over: .usual), .restoring([light], succeeded),
            .undo(2, over: .usual), .undo(1, downTo: 5, over: .usual), .undoing(reversal, succeeded),
            .redo(1, over: .usual), .redoing(Reversal(steps: 1), succeeded),
            .follow(states, over: .milliseconds(60_000)),
            .following(succeeded), .settled(succeeded),
            .reread(
                HomeDifference(
                    from: .make(lights: [lights[1]]), of: bridge, lights: lights, rooms: rooms, scenes: scenes,
                    sensors: sensors)),
        ] + targets.map { .turn(.off, $0, over: .milliseconds(0)) }
        + settings.map { .apply(.values($0), on: .light(light), over: .usual) }
        + [.applying(.values(.bri(0.5)), on: .all, succeeded)]
        + Powerup.allCases.map { .change(.configuration(.powerup($0)), on: .light(light)) }
        + [LightValue.hue, .saturation, .brightness, .temperature].flatMap { value -> [Message.Lighting] in
            [
                .increase(value, by: .pt(10), on: .light(light), over: .usual),
                .increasing(value, by: .lightness(10), on: .light(light), succeeded),
                .decrease(value, by: .lightness(5), on: .all, over: .usual),
                .decreasing(value, by: .pt(5), on: .all, succeeded),
            ]
        } + updates.map { .reported($0) } + failures.map { .turning(.on, .light(light), .failed($0)) }

    private static let features: [Message] =
        [
            Message.Dashboard.show, .showing([DashboardPin(.all, display: .scrubbing)], succeeded), .pin(.room(room)),
            .pinning(.room(room), succeeded), .unpin(.all), .unpinning(.all, succeeded), .move(.light(light), to: 2),
            .moving(.light(light), to: 2, succeeded), .toggle(.display(to: .slider), of: .all),
            .toggling(.display(to: .slider), of: .all, succeeded),
        ].map { .dashboard($0, ticket: ticket) }
        + Message.Logging.Level.allCases.map { .logging(.write($0, "words"), ticket: ticket) }
        + [
            Message.Logging.writing(.info, succeeded), .withdraw, .prune(olderThan: .sample),
            .pruning(olderThan: .sample, succeeded), .list(Journal.Filter(limit: 3)), .listing([], succeeded),
        ].map { .logging($0, ticket: ticket) }
        + [
            Message.Bridges.discover(for: .seconds(5)), .discovering([discovery], succeeded),
            .pair(bridge, waiting: .seconds(30)), .pairing(nil, succeeded), .forget(bridge),
            .forgetting(bridge, succeeded), .joined(.make()), .connected(bridge, by: .stream),
            .connected(bridge, by: .polling(every: .seconds(2))), .lost(bridge, because: .keyRefused(by: bridge)),
            .seen(bridge, at: .init(host: "192.0.2.1", port: 443), name: "Study", model: "BSB002"),
        ].map { .bridges($0, ticket: ticket) }
        + [
            Message.Rooms.create(.zone, named: "Down", targets, on: bridge),
            .creating(
                .room, named: "Office", room, succeeded,
                leaving: [.init(light: light, room: room, scenes: [scene])]),
            .add(targets, to: room), .adding(targets, to: room, succeeded, leaving: []), .remove(targets, from: room),
            .removing(targets, from: room, succeeded), .delete(room, named: "Office"),
            .deleting(room, named: "Office", succeeded),
        ].map { .rooms($0, ticket: ticket) }
        + [
            Message.Scenes.save(named: "Evening", of: targets), .saving(named: "Evening", scene, succeeded),
            .update(scene), .updating(scene, succeeded), .rename(scene, to: "Late"),
            .renaming(scene, to: "Late", succeeded), .delete(scene, named: "Late"),
            .deleting(scene, named: "Late", succeeded), .read(scene), .reading(scene, states, succeeded),
        ].map { .scenes($0, ticket: ticket) }
        + [
            Message.Switches.bind(bindings[0]), .binding(bindings[1], succeeded), .unbind(sensor),
            .unbinding(sensor, succeeded), .missed(bindings[0], because: .noLights(in: .room(room))),
        ].map { .switches($0, ticket: ticket) }

    private static let timely: [Message] =
        ([
            Message.Automations.replace(automations), .replace(automations, keepsOthers: true),
            .replacing(.init(added: ["a"], changed: ["b"], removed: ["c"]), succeeded), .enable(automation, false),
            .enabling(automation, false, succeeded), .remove(automation), .removing(automation, succeeded),
            .run(automation), .running(automation, succeeded), .stop(automation), .stopping(automation, succeeded),
            .schedule(automations[1]), .scheduling(automation, succeeded),
            .ended(automation, named: "Hall at night", ended), .saved(5, succeeded),
        ] + reasons.map { .started(automation, named: "Hall at night", run: 3, $0) }
        + skips.map { .skipped(automation, named: "Hall at night", because: $0) })
        .map { .automations($0, ticket: own) }
        + (courses.flatMap { course -> [Message.Following] in
            [
                .follow(
                    course, on: .room(room), values: [.brightness], until: .sun(.sunset), resumesAfter: .seconds(3600)),
                .following(course, on: .all, succeeded), .ended(course, on: .all),
            ]
        } + [
            .unfollow(.all), .unfollowing(.all, succeeded), .resume(.all), .resuming(.all, succeeded),
            .draw(.daylight, named: "office"), .draw(nil, named: "office"), .drawing(nil, named: "office", succeeded),
            .paused([light], [.temperature], Cause(.otherApp, at: .sample)), .resumed([light]),
        ]).map { .following($0, ticket: upkeep) }
        + ([
            .begin(replay), .beginning(replay, succeeded), .end, .ending(succeeded), .preview(replay),
            .previewing([use], succeeded), .recalled(UsageHistory(uses: [use]), replay), .planned([use]),
        ] + endings.map { Message.Presence.ended($0) }).map { .presence($0, ticket: ticket) }

    static let messages: [Message] = lightings.map { .lighting($0, ticket: ticket) } + features + timely

    /// Those that came later.
    static let messages2: [Message] =
        [
            Message.Lighting.signal(signal, on: .room(room)), .signaling(signal, on: .room(room), succeeded),
            .reported(.added(.scene(smartScene))),
            .reported(.signal(light, Light.RunningSignal([Light.Color(hue: 0.25, saturation: 1)], until: .sample))),
        ].map { .lighting($0, ticket: ticket) }
        + [
            Message.Scenes.deactivate(scene), .deactivating(scene, succeeded),
            .edit(scene, of: targets, by: .set(LightPatch(power: .on, brightness: 0.4))),
            .editing(scene, of: targets, by: .remove, succeeded),
            .reorder(scenesOf: room, by: .first([scene])), .reordering(scenesOf: room, by: .byName, succeeded),
        ].map { .scenes($0, ticket: ticket) }
        + [Message.Switches.enable(sensor, false), .enabling(sensor, true, succeeded)].map {
            .switches($0, ticket: ticket)
        }
        + [
            .lighting(
                .reported(.firmware(light.bridge, Bridge.Firmware(version: "1.78.1978293000", update: .ready))),
                ticket: ticket)
        ]
        + [
            Message.Automations.replace([automations[0]], keepsOthers: true, insteadOf: [automations[1]]),
            .replacing(.init(), .failed(.changedMeanwhile(automation))),
            .replacing(.init(), .failed(.automationExists(automation))),
        ].map { .automations($0, ticket: ticket) }

    /// Of what is skipped once, and of a sunrise that is stopped.
    static let skipMessages: [Message] =
        [
            Message.Automations.skip(automation, true), .skipping(automation, false, succeeded),
            .skipped(automation, named: "Hall at night", because: .omitted(by: "anna")),
        ].map { .automations($0, ticket: own) } + [.following(.unfollow(.room(room), timed: true), ticket: ticket)]

    static let omissionMemory: AutomationState.Memory = {
        var memory = AutomationState.Memory()
        memory.omissions = [automation: .init(time: .sample, holder: "anna")]
        return memory
    }()

    private static let signal = Light.Signal([Light.Color(hue: 0, saturation: 1)], milliseconds: 5000)
    private static let smartScene: Scene = {
        let slots = [SmartScene.Slot(.time(.noon), scene), SmartScene.Slot(.sun(.sunset), scene)]
        let smart = SmartScene(
            week: [.init([.monday, .sunday], slots)], transition: 60_000, isActive: true, current: slots[0])
        return Scene(id: scene, name: "Day", room: room, smart: smart)
    }()

    // MARK: - Other rows

    private static let state = AppState.make(lights: lights, rooms: rooms, scenes: scenes, sensors: sensors)

    static let bindings = [
        SwitchBinding(of: sensor, to: .room(room), scenes: [scene], names: names),
        SwitchBinding(of: Sensor.dimmer().id, to: .all),
    ]
    static let names = Journal.Names(of: .lighting(.recall(scene, over: .usual), ticket: ticket), in: state)

    static let rememberedLights: [Light] = [Light.make(), .plug()].map { light in
        let changes: [Light.Change] = [
            .configuring(.it(as: LightConfiguration(powerup: .safety))), .toggling(.display(to: .scrubbing)),
            .causing(.it(Cause(causes[0], at: .sample))),
        ]
        return light.alter(by: changes).remembered
    }
    static let historySteps: [History.Step] = {
        let before = TreeDictionary(uniqueKeysWithValues: lights.map { ($0.id, $0) })
        let history = History()
            .alter(
                by: .recording(
                    .step(
                        History.Step(
                            .turn(.off, .light(light), over: .usual), by: ticket, of: [light], before: before,
                            asking: [light: values], names: names))),
                .closing(.step(of: ticket, with: .failed(.unconfirmed(by: bridge, words: "no")))),
                .recording(
                    .step(History.Step(.recall(scene, over: .usual), by: own, of: [light], before: before))),
                .undoing(.steps(1, by: upkeep, at: before)))
        return history.steps
    }()
    static let followedLights: [FollowedLight] = {
        var followed = FollowedLight(lights[0])
        followed.ask(Curve.Point(brightness: 0.4, temperature: 300.mirek), by: 8, at: .sample, isTurning: true)
        followed.hear(answerTo: Ticket(number: 8, holder: "lightd", time: .sample))
        _ = followed.observe(
            lights[0], at: .sample, followedValues: [.brightness, .temperature], named: ([.brightness], ticket),
            undone: { _ in [] },
            followedPoint: { Curve.Point() })
        return [followed, FollowedLight(lights[0])]
    }()
    static let followings = [
        Following(
            courses[0], on: .all, values: [.brightness, .temperature], started: .sample, until: .sample,
            resumesAfter: .seconds(60)),
        Following(courses[1], on: .room(room), values: [.brightness], started: .sample),
        Following(courses[2], on: .light(light), values: [.temperature], started: .sample),
    ]
    static let presence = PresenceReplay(
        replay, began: .sample, history: UsageHistory(uses: [use]), plan: [.init(use, isLit: true), .init(use)]
    ).alter(by: .ending(.it(endings[2])))
    static let runs: [AutomationRun] = {
        let phases: [AutomationRun.Phase] = [
            .ready, .unsaved(4), .sent(7), .retrying(at: .sample), .waiting(from: .sample, until: .sample),
            .waitingFor(since: .sample, until: nil), .waitingFor(since: nil, until: .sample),
        ]
        return phases.enumerated().map { number, phase in
            var run = AutomationRun(
                id: UInt64(number), automation: automations[number % 2], reason: reasons[number], started: .sample,
                before: states, phase: phase, asker: ticket, origin: 1, below: [light: 2],
                takenOver: [light: [.init(gesture: "run 2", holder: "timer 2 of anna")]])
            run.problems = [.init(step: 1, failure: .notPaired)]
            run.retry = .init(until: .sample, failure: .unreachable(bridge, because: "no route"))
            run.named = [light]
            run.found = [light: Cause(.otherApp, at: .sample)]
            run.promise = 4
            return run
        }
    }()
    static let memory: AutomationState.Memory = {
        var memory = AutomationState.Memory()
        memory.runs = runs
        memory.nextRun = 9
        memory.ended = [automation: [ended]]
        memory.lastTimer = 3
        memory.schedule.replaceTriggers(
            with: [.init(automation: automation, index: 0): .at(.time(.noon), [.monday])], at: .sample, in: .utc)
        _ = memory.schedule.due(at: .sample.advanced(by: .seconds(8 * 86_400)), in: .utc)
        return memory
    }()
    static let storedAutomations = automations
    static let storedScenes = scenes
    static let dashboard = Dashboard(pins: targets.map { DashboardPin($0, display: .scrubbing) })
    /// What is left out of the page and of All off, which dashboards of before did not know.
    static let exclusions: [Message] = [
        Message.Dashboard.exclude([light], from: .allOff), .excluding([light], from: .allOff, succeeded),
        .include([light], in: .page), .including([light], in: .page, succeeded),
    ].map { .dashboard($0, ticket: ticket) }
    static let pairings = [
        Pairing(bridge: .make(), key: Secret("key"), clientKey: Secret("client"), trust: .maker),
        Pairing(
            bridge: .make(id: Bridge.ID("0017880000000001"), name: "Attic"), key: Secret("k"), clientKey: nil,
            trust: .pinned("sha256//AAA="), api: .v1),
        Pairing(
            bridge: .make(id: Bridge.ID("0017880000000002"), name: "Shed"), key: Secret("k2"), clientKey: nil,
            trust: .plain,
            api: .v1),
    ]
}
