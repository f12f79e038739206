@_exported public import Vocabulary

/// What `POST /v1/messages` takes: one command, flat JSON with the verb under `command`.
///
///     {"command":"turn","to":"on","target":"@kitchen","over":2000}
///     {"command":"set","target":"desk","brightness":40,"color":"#ff8800"}
///     {"command":"increase","value":"brightness","by":10,"target":"all"}
///
/// A new command is a case here and a row in ``rows``. Reading, writing, checking and the OpenAPI schema follow
/// from the row; what it means to the home is said in `ControlSurface/Command+Message.swift`.
///
/// Units are those in which lights are listed: brightness and saturation in per cent (0…100), hue in degrees (0…360),
/// temperature in mirek, `over` in milliseconds, `by` in points (per cent of the range), waiting times in seconds.
///
/// A `target` is a light's name, `@room`, `all`, or an id; case is ignored. A room's name alone works if no light has
/// it. If several share a name, "ROOM/LIGHT", "BRIDGE/LIGHT", "BRIDGE/ROOM/LIGHT" and "@BRIDGE/ROOM" name one of them;
/// the bridge is given by its name or its id. An unknown field is refused, so that a misspelt one is not silently
/// ignored. A field that may be left out may also be null, as many languages write what is not set.
public enum Command: Equatable, Sendable {
    case turn(to: Turn, target: String, over: Int? = nil)
    case toggle(target: String, over: Int? = nil)
    /// At least one value; a colour and a temperature exclude each other.
    ///
    /// With `keepRatios` it brings the mean brightness of the lights that are on to `brightness`, and keeps their ratios.
    /// Lights that are off stay off; if all are, they come on equally bright. Nothing else can be set with it. The ratios
    /// are those from before the first of such commands, until a light is changed otherwise.
    case set(LightValuesBody, target: String, over: Int? = nil, keepRatios: Bool = false)
    case increase(LightValue, by: Double, target: String, over: Int? = nil, Stepping = .init())
    case decrease(LightValue, by: Double, target: String, over: Int? = nil, Stepping = .init())
    case rename(target: String, name: String)
    /// With `dynamic` the scene moves its lights through the colours of its palette, or, if it is false, does not, whatever
    /// it does by itself; `speed`, per cent, goes with the former.
    case recall(scene: String, over: Int? = nil, dynamic: Bool? = nil, speed: Double? = nil)
    /// This many steps, or down to the command with this ticket.
    case undo(steps: Int = 1, ticket: Int? = nil, over: Int? = nil)
    case redo(steps: Int = 1, over: Int? = nil)
    case configure(target: String, LightConfiguration.Change)
    /// Each light by its id or its name. What a light shows already is not sent.
    case apply(lights: [LightState], over: Int? = nil)
    case identify(target: String)
    /// Lights blink: in one colour, in two in turns, or in what they show; for so many milliseconds, 0 to end it.
    case signal(target: String, colors: [String] = [], duration: Int = 5000)
    /// Lights follow a curve over the day, until a hand changes them.
    case follow(
        target: String, curve: String = "daylight", only: FollowedValue? = nil, until: String? = nil,
        resumeAfter: Double? = nil)
    /// With `timed` only a sunrise or a sunset ends, and curves go on.
    case unfollow(target: String, timed: Bool = false)
    /// What was changed by hand follows again.
    case resume(target: String)
    /// A sunrise and a sunset, over this many milliseconds.
    case wake(target: String, over: Int = 1_800_000)
    case sleep(target: String, over: Int = 1_800_000)
    case setCurve(name: String, points: [String])
    case removeCurve(name: String)
    /// On this bridge; without one on that of the lights, or the only one.
    case createRoom(name: String, targets: [String] = [], kind: RoomKind = .room, bridge: String? = nil)
    case addToRoom(room: String, targets: [String], kind: RoomKind? = nil)
    case removeFromRoom(room: String, targets: [String], kind: RoomKind? = nil)
    case renameRoom(room: String, name: String, kind: RoomKind? = nil)
    case deleteRoom(room: String, kind: RoomKind? = nil)
    case saveScene(name: String, targets: [String] = [])
    case updateScene(scene: String)
    /// Sets values in it, or takes lights out. What is not named stays as the scene has it.
    case editScene(
        scene: String, targets: [String], LightValuesBody = .init(), power: Turn? = nil, remove: Bool = false)
    case renameScene(scene: String, name: String)
    case deleteScene(scene: String)
    /// Ends an active smart scene. Recalling one makes it active.
    case deactivateScene(scene: String)
    /// These scenes of a room or zone come first, in this order, and the others keep theirs; or all are in the order of
    /// their names again.
    case reorderScenes(room: String, scenes: [String] = [], byName: Bool = false)
    /// Carries out steps, written as in a file of automations, at a moment such as "22:30" or "sunset - 20m", or after
    /// so many seconds; at once without either. Makes a timer.
    case schedule(steps: [String], at: String? = nil, after: Double? = nil)
    case cancelTimer(timer: String)
    case enableAutomation(automation: String)
    case disableAutomation(automation: String)
    /// Leaves out what the clock starts next of it, once.
    case skipAutomation(automation: String)
    case unskipAutomation(automation: String)
    case runAutomation(automation: String)
    case stopAutomation(automation: String)
    case removeAutomation(automation: String)
    case load
    case discover(seconds: Double = 3)
    case pair(bridge: String? = nil, seconds: Double = 30)
    case forget(bridge: String)
    /// The dashboard.
    case show
    case pin(target: String)
    case unpin(target: String)
    /// To a place counted from 1, as people count.
    case move(target: String, place: Int)
    case display(target: String, as: LevelControl)
    /// Leaves lights out of ``allOff(over:)``, or hides them from the page. They obey as before.
    case exclude(target: String, from: Exclusion)
    case include(target: String, in: Exclusion)
    /// Turns all lights off but those that are left out.
    case allOff(over: Int? = nil)
    /// Of the room's scenes, these; all of them, in their order, if none are given.
    case bind(switch: String, target: String, scenes: [String]? = nil)
    case unbind(switch: String)
    /// Lets a sensor report again, or no longer.
    case enableSensor(sensor: String)
    case disableSensor(sensor: String)
    case prune(days: Double)
    /// A presence replay.
    case away(to: Away, AwaySettings = AwaySettings())

    public enum Away: String, Codable, Sendable, CaseIterable {
        case on, off
        /// Begins nothing; says what `on` would do.
        case plan
    }

    /// How a presence replay begins.
    public struct AwaySettings: Equatable, Sendable {
        /// ISO 8601.
        public var until: String?
        public var seed: Int?
        public var plugs: Bool
        public var ignoreMotion: Bool
        public var plain: Bool

        public init(
            until: String? = nil, seed: Int? = nil, plugs: Bool = false, ignoreMotion: Bool = false,
            plain: Bool = false
        ) {
            self.until = until
            self.seed = seed
            self.plugs = plugs
            self.ignoreMotion = ignoreMotion
            self.plain = plain
        }
    }

    /// How the brightness is stepped. Other values have neither.
    public struct Stepping: Equatable, Sendable {
        /// Steps the mean brightness of the lights that are on, and keeps their ratios, as ``Command/set(_:target:over:keepRatios:)`` does.
        public var keepRatios: Bool
        /// Steps that look equal: `by` are points of what the eye sees from dark to full.
        public var perceptual: Bool

        public init(keepRatios: Bool = false, perceptual: Bool = false) {
            self.keepRatios = keepRatios
            self.perceptual = perceptual
        }
    }
}

// MARK: The table

extension Command {
    private static let target = CommandField.required(
        "target", .text,
        "A light's name, @room, all, or an id. "
            + "If several share a name: ROOM/LIGHT, BRIDGE/LIGHT, BRIDGE/ROOM/LIGHT, @BRIDGE/ROOM.",
        component: "Target"
    ).naming(.lights)
    private static let over = CommandField.optional(
        "over", .integer(0...6_000_000),
        "How long the change takes, in milliseconds; the bridge's usual time if left out.",
        component: "Over")
    private static let by = CommandField.optional(
        "by", .number(0...100), default: 10, "Points: per cent of the value's range.")
    private static let stepsMean = CommandField.optional(
        "keep_ratios", .flag,
        "With brightness: steps the mean of the lights that are on there, and keeps their ratios.")
    private static let perceptual = CommandField.optional(
        "perceptual", .flag,
        "With brightness: steps that look equal; 'by' are points of what the eye sees from dark to full.")
    private static let value = CommandField.required("value", .choice(LightValue.allCases), "Which value to change.")
    private static let targets = CommandField.required(
        "targets", .targets(atLeast: 1), "Lights, or rooms and zones, which stand for all their lights."
    ).naming(.lights)
    private static let room = CommandField.required(
        "room", .text, "A room's or zone's name, with @ or without, @BRIDGE/ROOM, or its id."
    ).naming(.room)
    private static let kind = CommandField.optional(
        "kind", .choice(RoomKind.allCases), "Only a room, or only a zone; either if left out.")
    private static let scene = CommandField.required(
        "scene", .text, "A scene's name, ROOM/SCENE, BRIDGE/ROOM/SCENE, or its id."
    ).naming(.scene)
    private static let name = CommandField.required("name", .name(1...32), "The new name.")
    private static let boundSwitch = CommandField.required(
        "switch", .text, "A switch's or dial's name, ROOM/NAME, BRIDGE/NAME, or its id.")
    private static let sensor = CommandField.required(
        "sensor", .text, "A sensor's or MotionAware area's name, ROOM/NAME, BRIDGE/NAME, or its id."
    ).naming(.sensor)
    private static let curve = CommandField.required("name", .nonEmptyText, "The curve's name; case is ignored.")
    private static let course = CommandField.optional(
        "over", .integer(1000...14_400_000), default: 1_800_000, "How long it takes, in milliseconds.")
    private static let steps = CommandField.optional("steps", .integer(1...1000), default: 1, "How many commands.")
    private static let ticket = CommandField.optional(
        "ticket", .integer(1...1 << 53),
        "In place of 'steps': the command down to which to undo, by the ticket in its answer. If a command of another "
            + "client came after it, nothing is undone (409).")

    private static let automation = CommandField.required(
        "automation", .text, "An automation's name; case is ignored.", component: "AutomationName")

    /// Every command, with its fields in the order in which `make` takes them and `values` gives them back. Rows are made
    /// one by one: a tool that sends one command needs one of them, and they take longer to make than to write.
    // swift-format-ignore
    static let rows: [@Sendable () -> CommandDescription] = [
        { CommandDescription(
            "turn", "Turn lights on or off.", role: .control, effect: .confirmed, mayComeLate: true,
            CommandField.required("to", .choice(Turn.allCases), "On or off."), target, over,
            make: Command.turn) { if case let .turn(to, target, over) = $0 { (to, target, over) } else { nil } } },
        { CommandDescription(
            "toggle", "Turn lights off if any of them is on, otherwise on.", role: .control, effect: .confirmed, target, over,
            make: Command.toggle) { if case let .toggle(target, over) = $0 { (target, over) } else { nil } } },
        { CommandDescription(
            "set", "Set values of lights, at least one. A colour and a temperature exclude each other.", role: .control, effect: .confirmed,
            mayComeLate: true,
            CommandField<LightValuesBody>.values,
            CommandField.optional(
                "keep_ratios", .flag,
                "With brightness alone: brings the mean of the lights that are on there, and keeps their ratios, those from before the "
                    + "first of such commands. Lights that are off stay off; if all are, they come on equally bright."),
            target, over,
            make: { Command.set($0, target: $2, over: $3, keepRatios: $1 ?? false) }
        ) {
            if case let .set(values, target, over, keepRatios) = $0 { (values, keepRatios ? true : nil, target, over) } else { nil }
        } },
        { CommandDescription(
            "increase", "Increase a value of lights.", role: .control, effect: .confirmed, value, by, target, over,
            stepsMean, perceptual,
            make: { .increase($0, by: $1, target: $2, over: $3, .init(keepRatios: $4 ?? false, perceptual: $5 ?? false)) }
        ) {
            if case let .increase(value, by, target, over, how) = $0 {
                (value, by, target, over, how.keepRatios ? true : nil, how.perceptual ? true : nil)
            } else { nil }
        } },
        { CommandDescription(
            "decrease", "Decrease a value of lights; decreasing the brightness never turns a light off.", role: .control, effect: .confirmed,
            value, by, target, over, stepsMean, perceptual,
            make: { .decrease($0, by: $1, target: $2, over: $3, .init(keepRatios: $4 ?? false, perceptual: $5 ?? false)) }
        ) {
            if case let .decrease(value, by, target, over, how) = $0 {
                (value, by, target, over, how.keepRatios ? true : nil, how.perceptual ? true : nil)
            } else { nil }
        } },
        { CommandDescription(
            "rename", "Rename a light, a room or a zone.", effect: .written, target, name,
            make: Command.rename) { if case let .rename(target, name) = $0 { (target, name) } else { nil } } },
        { CommandDescription(
            "recall", "Recall a scene.", role: .control, effect: .confirmed, mayComeLate: true, scene, over,
            CommandField.optional(
                "dynamic", .flag,
                "Whether it moves its lights through the colours of its palette; left to the scene if left out. With API v1 none can."),
            CommandField.optional("speed", .number(0...100), "With 'dynamic': how fast, in per cent. The bridge keeps it with the scene."),
            make: Command.recall
        ) {
            if case let .recall(scene, over, dynamic, speed) = $0 { (scene, over, dynamic, speed) } else { nil }
        } },
        { CommandDescription(
            "undo", "Take back the newest commands that changed lights.", role: .control, effect: .confirmed, steps, ticket, over,
            make: Command.undo) { if case let .undo(steps, ticket, over) = $0 { (steps, ticket, over) } else { nil } } },
        { CommandDescription(
            "redo", "Do again what was undone.", role: .control, effect: .confirmed, steps, over,
            make: Command.redo) { if case let .redo(steps, over) = $0 { (steps, over) } else { nil } } },
        { CommandDescription(
            "powerup", "Set what lights do when their mains power returns.", effect: .written, mayComeLate: true, target,
            CommandField.required(
                "preset", .choice([Powerup.safety, .powerfail, .lastOnState]),
                "safety: on, bright and warm; powerfail: as it was before a power cut; last_on_state: as it was."),
            make: { .configure(target: $0, .powerup($1)) }
        ) { if case let .configure(target, .powerup(preset)) = $0 { (target, preset) } else { nil } } },
        { CommandDescription(
            "apply", "Make lights show what a list of lights says, such as an earlier answer of /v1/lights. What a light "
                + "shows already is not sent, nor are the values of a light that is off and stays so.", role: .control, effect: .confirmed,
            mayComeLate: true,
            CommandField.required("lights", .lights, "Lights as '/v1/lights' lists them, each once; only 'id' is needed."),
            over,
            make: Command.apply) { if case let .apply(lights, over) = $0 { (lights, over) } else { nil } } },
        { CommandDescription(
            "identify", "Make lights blink; they are left as they were.", role: .control, effect: .written, target,
            make: Command.identify) { if case let .identify(target) = $0 { target } else { nil } } },
        { CommandDescription(
            "signal", "Let lights blink for a while, to tell something; they are left as they were. Not with API v1.", role: .control,
            effect: .written, target,
            CommandField.optional(
                "colors", .colors(0...2), default: [],
                "One colour in which they blink, or two that they show in turns; what they show if left out. Lights without colours blink, too."),
            CommandField.optional(
                "duration", .integer(0...65_534_000), default: 5000, "How long, in milliseconds, in steps of a second; 0 ends a signal."),
            make: Command.signal) { if case let .signal(target, colors, duration) = $0 { (target, colors, duration) } else { nil } } },
        { CommandDescription(
            "follow", "Let lights follow a curve over the day. What a hand changes is left alone until the light was off.", role: .control,
            effect: .written, mayComeLate: true, target,
            CommandField.optional("curve", .nonEmptyText, default: "daylight", "The curve's name: daylight, night, or one that was set."),
            CommandField.optional("only", .choice(FollowedValue.allCases), "Only this of the two; both if left out."),
            CommandField.optional("until", .nonEmptyText, "When it ends: 23:00, or sunrise + 30m; never if left out."),
            CommandField.optional(
                "resume_after", .number(1...604_800),
                "So long after a change by hand lights follow again, in seconds; only once they were off if left out."),
            make: Command.follow) {
            if case let .follow(target, curve, only, until, resume) = $0 { (target, curve, only, until, resume) } else { nil }
        } },
        { CommandDescription(
            "unfollow", "Let lights follow nothing any more; they stay as they are.", role: .control, effect: .written, mayComeLate: true, target,
            CommandField.optional("timed", .flag, "Only a sunrise or a sunset ends ('wake', 'sleep'); a curve is followed on."),
            make: { Command.unfollow(target: $0, timed: $1 ?? false) }
        ) { if case let .unfollow(target, timed) = $0 { (target, timed ? true : nil) } else { nil } } },
        { CommandDescription(
            "resume", "Let lights that were changed by hand follow their curve again.", role: .control, effect: .written, mayComeLate: true, target,
            make: Command.resume) { if case let .resume(target) = $0 { target } else { nil } } },
        { CommandDescription(
            "wake", "Turn lights on and brighten them slowly, like a sunrise. Those that are on are left alone.", role: .control,
            effect: .written, target, course,
            make: Command.wake) { if case let .wake(target, over) = $0 { (target, over) } else { nil } } },
        { CommandDescription(
            "sleep", "Dim lights slowly, like a sunset, and turn them off in the end.", role: .control, effect: .written, target, course,
            make: Command.sleep) { if case let .sleep(target, over) = $0 { (target, over) } else { nil } } },
        { CommandDescription(
            "set_curve", "Draw a curve that lights can follow, or draw one anew.", curve,
            CommandField.required("points", .atLeastOne("CurvePoint"), "At least one: a time, a moment of the sun or its height, and what lights show then."),
            make: Command.setCurve) { if case let .setCurve(name, points) = $0 { (name, points) } else { nil } } },
        { CommandDescription(
            "remove_curve", "Remove a curve; one that lightd has is as it was.", curve,
            make: Command.removeCurve) { if case let .removeCurve(name) = $0 { name } else { nil } } },
        { CommandDescription(
            "create_room", "Create a room or a zone on a bridge. A room takes its lights from other rooms.", effect: .written, name,
            CommandField.optional("targets", .targets(), default: [], "Its lights; a room or zone stands for all of its lights.")
                .naming(.lights),
            CommandField.optional("kind", .choice(RoomKind.allCases), default: .room, "A light is in one room, and in any number of zones."),
            CommandField.optional("bridge", .text, "The bridge's name or id; that of the lights, or the only one, if left out.")
                .naming(.bridge),
            make: Command.createRoom) {
            if case let .createRoom(name, targets, kind, bridge) = $0 { (name, targets, kind, bridge) } else { nil }
        } },
        { CommandDescription(
            "add_to_room", "Put lights into a room, which takes them from another, or into a zone.", effect: .written, room, targets, kind,
            make: Command.addToRoom) { if case let .addToRoom(room, targets, kind) = $0 { (room, targets, kind) } else { nil } } },
        { CommandDescription(
            "remove_from_room", "Take lights out of a room or a zone.", effect: .written, room, targets, kind,
            make: Command.removeFromRoom) {
            if case let .removeFromRoom(room, targets, kind) = $0 { (room, targets, kind) } else { nil }
        } },
        { CommandDescription(
            "rename_room", "Rename a room or a zone.", effect: .written, room, name, kind,
            make: Command.renameRoom) { if case let .renameRoom(room, name, kind) = $0 { (room, name, kind) } else { nil } } },
        { CommandDescription(
            "delete_room", "Delete a room or a zone, and its scenes. Its lights stay.", effect: .written, room, kind,
            make: Command.deleteRoom) { if case let .deleteRoom(room, kind) = $0 { (room, kind) } else { nil } } },
        { CommandDescription(
            "save_scene", "Save what lights show as a scene of the room or zone that they share.", effect: .written, name,
            CommandField.optional(
                "targets", .targets(), default: [],
                "A room, a zone, or lights that share one; may be left out if the home has only one room or zone."
            ).naming(.lights),
            make: Command.saveScene) { if case let .saveScene(name, targets) = $0 { (name, targets) } else { nil } } },
        { CommandDescription(
            "update_scene", "Save in a scene what its lights show now.", effect: .written, scene,
            make: Command.updateScene) { if case let .updateScene(scene) = $0 { scene } else { nil } } },
        { CommandDescription(
            "edit_scene",
            "Change what a scene sets on some lights, or take them out of it; no light changes. What is not named stays as the scene has it.",
            effect: .written, scene, targets, CommandField<LightValuesBody>.values,
            CommandField.optional(
                "power", .choice(Turn.allCases),
                "Whether the scene turns them on or off. Values turn on what it turns off; off takes no values."),
            CommandField.optional("remove", .flag, "Take them out of the scene: it no longer sets them. Alone, and not all of its lights."),
            make: { Command.editScene(scene: $0, targets: $1, $2, power: $3, remove: $4 ?? false) }
        ) {
            if case let .editScene(scene, targets, values, power, remove) = $0 { (scene, targets, values, power, remove ? true : nil) } else { nil }
        } },
        { CommandDescription(
            "rename_scene", "Rename a scene.", effect: .written, scene, name,
            make: Command.renameScene) { if case let .renameScene(scene, name) = $0 { (scene, name) } else { nil } } },
        { CommandDescription(
            "delete_scene", "Delete a scene.", effect: .written, scene,
            make: Command.deleteScene) { if case let .deleteScene(scene) = $0 { scene } else { nil } } },
        { CommandDescription(
            "deactivate_scene", "Let an active smart scene recall no more scenes. Its lights stay as they are; 'recall' makes it active.",
            role: .control, effect: .written, mayComeLate: true, scene,
            make: Command.deactivateScene) { if case let .deactivateScene(scene) = $0 { scene } else { nil } } },
        { CommandDescription(
            "reorder_scenes",
            "Put the scenes of a room or zone into an order, which lightd keeps: where they are listed and gone through. A new scene comes last.",
            effect: .written, room,
            CommandField.optional(
                "scenes", .targets(), default: [],
                "Those that come first, in this order; the others keep theirs, after them. A name alone means a scene of the room."
            ).naming(.scene),
            CommandField.optional("by_name", .flag, "Put all of them in the order of their names again. Without 'scenes'."),
            make: { Command.reorderScenes(room: $0, scenes: $1, byName: $2 ?? false) }
        ) {
            if case let .reorderScenes(room, scenes, byName) = $0 { (room, scenes, byName ? true : nil) } else { nil }
        } },
        { CommandDescription(
            "schedule", "Carry out steps later, or at once: a timer, which is gone when it is done.", role: .control,
            CommandField.required("do", .atLeastOne("Step"), "In their order, written as in a file of automations: commands as typed after lightctl, 'wait 5m', 'restore @Hall'."),
            CommandField.optional("at", .nonEmptyText, "When, next time: '22:30', 'sunset - 20m', '2026-12-24T17:30:00Z'."),
            CommandField.optional("after", .number(0...31_622_400), "After so many seconds. Without it and without 'at': at once."),
            make: Command.schedule) { if case let .schedule(steps, at, after) = $0 { (steps, at, after) } else { nil } } },
        { CommandDescription(
            "cancel_timer", "Cancel a timer, also one that has begun and waits.", role: .control,
            CommandField.required("timer", .text, "Its name, 'timer 3', or its number."),
            make: Command.cancelTimer) { if case let .cancelTimer(timer) = $0 { timer } else { nil } } },
        { CommandDescription(
            "enable_automation", "Let an automation be triggered again.", role: .control, automation,
            make: Command.enableAutomation) { if case let .enableAutomation(name) = $0 { name } else { nil } } },
        { CommandDescription(
            "disable_automation", "Keep an automation, but let nothing trigger it. A run that is under way is stopped.", role: .control, automation,
            make: Command.disableAutomation) { if case let .disableAutomation(name) = $0 { name } else { nil } } },
        { CommandDescription(
            "skip_automation", "Leave out once what the clock starts next of an automation. What is started by hand, or by something in the home, is not left out.",
            role: .control, automation,
            make: Command.skipAutomation) { if case let .skipAutomation(name) = $0 { name } else { nil } } },
        { CommandDescription(
            "unskip_automation", "Let an automation run after all at the time that was to be left out.", role: .control, automation,
            make: Command.unskipAutomation) { if case let .unskipAutomation(name) = $0 { name } else { nil } } },
        { CommandDescription(
            "run_automation", "Run an automation now, whatever its conditions say. The answer comes when it has ended, or waits.", role: .control, effect: .written, automation,
            make: Command.runAutomation) { if case let .runAutomation(name) = $0 { name } else { nil } } },
        { CommandDescription(
            "stop_automation", "Stop the run of an automation that is under way. What it has changed stays so.", role: .control, automation,
            make: Command.stopAutomation) { if case let .stopAutomation(name) = $0 { name } else { nil } } },
        { CommandDescription(
            "remove_automation", "Remove an automation. A run that is under way is stopped.", automation,
            make: Command.removeAutomation) { if case let .removeAutomation(name) = $0 { name } else { nil } } },
        { CommandDescription(
            "load", "Read all lights from their bridges again.", role: .control,
            make: { Command.load }) { if case .load = $0 { () } else { nil } } },
        { CommandDescription(
            "discover", "Look for bridges.",
            CommandField.optional("seconds", .number(0...60), default: 3, "How long to look, in seconds."),
            make: Command.discover) { if case let .discover(seconds) = $0 { seconds } else { nil } } },
        { CommandDescription(
            "pair", "Pair with a bridge whose link button is pressed.",
            CommandField.optional("bridge", .nonEmptyText, "Its name or its id; may be left out if only one is in reach."),
            CommandField.optional("seconds", .number(0...600), default: 30, "How long to wait for the button, in seconds."),
            make: Command.pair) { if case let .pair(bridge, seconds) = $0 { (bridge, seconds) } else { nil } } },
        { CommandDescription(
            "forget", "Forget a bridge and its key.",
            CommandField.required("bridge", .text, "Its name or its id."),
            make: Command.forget) { if case let .forget(bridge) = $0 { bridge } else { nil } } },
        { CommandDescription(
            "show", "Show what is on the dashboard, in its order.", role: .control,
            make: { Command.show }) { if case .show = $0 { () } else { nil } } },
        { CommandDescription(
            "pin", "Put a target on the dashboard.", target,
            make: Command.pin) { if case let .pin(target) = $0 { target } else { nil } } },
        { CommandDescription(
            "unpin", "Take a target off the dashboard.", target,
            make: Command.unpin) { if case let .unpin(target) = $0 { target } else { nil } } },
        { CommandDescription(
            "move", "Move a target to another place of the dashboard.", target,
            CommandField.required("place", .integer(1...10_000), "Counted from 1."),
            make: Command.move) { if case let .move(target, place) = $0 { (target, place) } else { nil } } },
        { CommandDescription(
            "display", "Choose how the dashboard shows a target.", target,
            CommandField.required("display", .choice(LevelControl.allCases), "How its level is set."),
            make: Command.display) { if case let .display(target, display) = $0 { (target, display) } else { nil } } },
        { CommandDescription(
            "exclude", "Leave lights out of 'all_off', or hide them from the page. They obey commands as before.", target,
            CommandField.required("from", .choice(Exclusion.allCases), "page: hidden there; all_off: stays on."),
            make: Command.exclude) { if case let .exclude(target, what) = $0 { (target, what) } else { nil } } },
        { CommandDescription(
            "include", "Show lights on the page again, or let 'all_off' turn them off again.", target,
            CommandField.required("in", .choice(Exclusion.allCases), "page or all_off."),
            make: Command.include) { if case let .include(target, what) = $0 { (target, what) } else { nil } } },
        { CommandDescription(
            "all_off", "Turn off all lights but those that 'exclude' has left out: what the page's button does. 'turn' with 'all' leaves out none.",
            role: .control, effect: .confirmed, over,
            make: Command.allOff) { if case let .allOff(over) = $0 { over } else { nil } } },
        { CommandDescription(
            "bind", "Let a switch or dial turn lights on and off, dim them and recall scenes. What it was bound to before is replaced.",
            boundSwitch, target,
            CommandField.optional(
                "scenes", .targets(atLeast: 1),
                "The scenes that it recalls, in this order; those of the room, in their order, if left out."),
            make: Command.bind) { if case let .bind(of, target, scenes) = $0 { (of, target, scenes) } else { nil } } },
        { CommandDescription(
            "unbind", "Let a switch or dial do nothing any more.", boundSwitch,
            make: Command.unbind) { if case let .unbind(of) = $0 { of } else { nil } } },
        { CommandDescription(
            "enable_sensor", "Let a sensor or a MotionAware area report again.", effect: .written, sensor,
            make: Command.enableSensor) { if case let .enableSensor(sensor) = $0 { sensor } else { nil } } },
        { CommandDescription(
            "disable_sensor", "Let a sensor or a MotionAware area report nothing: what it reports is unknown until it is enabled.",
            effect: .written, sensor,
            make: Command.disableSensor) { if case let .disableSensor(sensor) = $0 { sensor } else { nil } } },
        { CommandDescription(
            "prune", "Delete old entries of the log.",
            CommandField.required("days", .number(0...36_500), "Entries older than this many days go."),
            make: Command.prune) { if case let .prune(days) = $0 { days } else { nil } } },
        { CommandDescription(
            "away", "Replay the last weeks while nobody is at home: lights that people used come on and go off as they did then, "
                + "shifted by chance, until somebody is back.", role: .control,
            CommandField.required("to", .choice(Away.allCases), "On, off, or plan: answer with what 'on' would do, and begin nothing."),
            CommandField.optional("until", .text, "When it ends, ISO 8601; if left out, when somebody is back."),
            CommandField.optional("seed", .integer(0...1 << 53), "The same seed and the same journal give the same plan."),
            CommandField.optional("plugs", .flag, "Lights that are only on or off, and plugs, take part."),
            CommandField.optional("ignore_motion", .flag, "Motion does not end it: there are pets."),
            CommandField.optional("plain", .flag, "Make up an evening, for a home of which too little is known."),
            make: {
                Command.away(
                    to: $0,
                    .init(until: $1, seed: $2, plugs: $3 ?? false, ignoreMotion: $4 ?? false, plain: $5 ?? false))
            }
        ) {
            if case let .away(to, by) = $0 {
                (to, by.until, by.seed, by.plugs ? true : nil, by.ignoreMotion ? true : nil, by.plain ? true : nil)
            } else { nil }
        } },
    ]

    static let descriptions = rows.map { $0() }
}
