public import ArgumentParser
public import ControlProtocol

/// The scene that a verb recalls, shows or changes.
public struct SceneArgument: ParsableArguments {
    @Argument(help: "A scene's name, ROOM/SCENE, BRIDGE/ROOM/SCENE, or an id.") public var scene: String

    public init() {}
}

public struct SaveSceneVerb: ArrangingVerb {
    public static let configuration = CommandConfiguration(
        commandName: "save", abstract: "Save what lights show as a new scene.",
        discussion: """
            The scene belongs to the room or zone that is named, or that the lights share. A bridge without API v2 \
            stores all lights of a room or zone, not some of them.

            Examples:
              lightctl scene save Reading @living
              lightctl scene save Work desk "floor lamp"
            """)

    @Argument(help: "Its name; bridges allow 32 characters.") public var name: String
    @Argument(
        help: "A @room, a zone, or lights of one; may be left out if the home has only one room or zone.")
    public var targets: [String] = []
    @OptionGroup public var rehearsal: DryRunOption

    public init() {}

    public var command: Command { .saveScene(name: name, targets: targets) }
}

public struct UpdateSceneVerb: ArrangingVerb {
    public static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Save in a scene what its lights show now.",
        discussion: """
            A light that has joined the room since the scene was saved is not added to it, unless all lights of \
            the scene have left: then it gets those of the room.

            Example:
              lightctl scene update reading
            """)

    @OptionGroup public var which: SceneArgument
    @OptionGroup public var rehearsal: DryRunOption

    public init() {}

    public var command: Command { .updateScene(scene: which.scene) }
}

public struct EditSceneVerb: ArrangingVerb {
    public static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change what a scene sets on some of its lights, without showing it.",
        discussion: """
            What is not named stays as the scene has it, and so do its other lights. A colour or a white tone ends an \
            effect in the scene, as it does on a lamp. A value for a light that the scene turns off turns it on; a light \
            of the room or zone that the scene does not set yet is added, so a @room means all its lights. A light of \
            several that cannot show a value is left out.

            No light changes before the scene is recalled, and 'lightctl undo' does not take it back. A bridge with API \
            v1 takes no lights in and none out.

            Examples:
              lightctl scene edit reading desk --brightness 40%
              lightctl scene edit living/reading @living --temperature 2700K
              lightctl scene edit reading lamp --effect candle --speed 50%
              lightctl scene edit reading strip --gradient red --gradient blue
              lightctl scene edit reading fan --off
              lightctl scene edit reading fan --remove
            """)

    @OptionGroup public var which: SceneArgument
    @OptionGroup public var lights: LightsArgument

    @Option(
        help: ArgumentHelp("0% to 100%; 0% is the lowest level, not off.", valueName: "percent"),
        transform: Percent.init(argument:))
    public var brightness: Percent?

    @Option(
        help: ArgumentHelp("'#ff8800', 'rgb(255,136,0)', or a name such as orange.", valueName: "colour"),
        completion: .list(RGBColor.names.keys.sorted()),
        transform: ColorName.init(argument:))
    public var color: ColorName?

    @Option(
        help: ArgumentHelp("2700K or 370mirek.", valueName: "white"), transform: Temperature.init(argument:))
    public var temperature: Temperature?

    @Option(
        help: ArgumentHelp("What runs on them, such as candle; none ends it.", valueName: "effect"),
        completion: .list(EffectVerb.known))
    public var effect: String?

    @Option(
        help: ArgumentHelp("With --effect: how fast, 0% to 100%.", valueName: "percent"),
        transform: Percent.init(argument:))
    public var speed: Percent?

    @Option(
        help: ArgumentHelp("A colour of a gradient; given two times or more.", valueName: "colour"),
        completion: .list(RGBColor.names.keys.sorted()),
        transform: ColorName.init(argument:))
    public var gradient: [ColorName] = []

    @Flag(help: "Let the scene turn them on.") public var on = false
    @Flag(help: "Let the scene turn them off.") public var off = false
    @Flag(help: "Take them out of the scene.") public var remove = false
    @OptionGroup public var rehearsal: DryRunOption

    public init() {}

    private var values: LightValuesBody {
        .init(
            brightness: brightness?.value, color: color?.text, temperature: temperature?.mirek,
            gradient: gradient.isEmpty ? nil : gradient.map(\.text), effect: effect?.lowercased(),
            effectSpeed: speed?.value)
    }

    public func validate() throws {
        let hasValues = values != LightValuesBody()
        guard hasValues || on || off || remove else {
            throw ValidationError(
                "nothing to change: use --brightness, --color, --temperature, --effect, --gradient, --on, --off or --remove"
            )
        }
        guard [hasValues || on, off, remove].filter(\.self).count == 1 else {
            throw ValidationError("--off and --remove are used alone: leave out the rest")
        }
        guard [color != nil, temperature != nil, !gradient.isEmpty].filter(\.self).count <= 1 else {
            throw ValidationError("a lamp shows a white tone, a colour or a gradient: leave out all but one of them")
        }
        guard gradient.count != 1 else {
            throw ValidationError("a gradient has two colours or more: --gradient red --gradient blue")
        }
        guard speed == nil || effect != nil && effect?.lowercased() != LightValuesBody.noEffect else {
            throw ValidationError("--speed goes with --effect: --effect candle --speed 50%")
        }
    }

    public var command: Command {
        .editScene(
            scene: which.scene, targets: lights.targets, values, power: off ? .off : on ? .on : nil, remove: remove)
    }
}

public struct RenameSceneVerb: ArrangingVerb {
    public static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Rename a scene.",
        discussion: "Example:\n  lightctl scene rename living/reading Study")

    @OptionGroup public var which: SceneArgument
    @Argument(help: "The new name.") public var name: String
    @OptionGroup public var rehearsal: DryRunOption

    public init() {}

    public var command: Command { .renameScene(scene: which.scene, name: name) }
}

public struct DeleteSceneVerb: ArrangingVerb {
    public static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a scene.",
        discussion: """
            This cannot be undone.

            Example:
              lightctl scene delete living/reading
            """)

    @OptionGroup public var which: SceneArgument
    @OptionGroup public var rehearsal: DryRunOption

    public init() {}

    public var command: Command { .deleteScene(scene: which.scene) }
}

public struct ActivateSceneVerb: TargetVerb {
    public static let configuration = CommandConfiguration(
        commandName: "activate", abstract: "Let a smart scene recall its scenes at their times.",
        discussion: """
            Its bridge recalls the scene of this time of day, and the others as their times come. 'lightctl recall' does \
            the same.

            Example:
              lightctl scene activate living/day
            """)

    @OptionGroup public var which: SceneArgument
    @OptionGroup public var rehearsal: DryRunOption

    public init() {}

    public var targets: [String] { [which.scene] }
    public var delivery: Delivery { rehearsal.delivery }

    public func command(for scene: String) -> Command { .recall(scene: scene) }
}

public struct DeactivateSceneVerb: ArrangingVerb {
    public static let configuration = CommandConfiguration(
        commandName: "deactivate", abstract: "Let a smart scene recall no more scenes.",
        discussion: """
            Its lights stay as they are.

            Example:
              lightctl scene deactivate living/day
            """)

    @OptionGroup public var which: SceneArgument
    @OptionGroup public var rehearsal: DryRunOption

    public init() {}

    public var command: Command { .deactivateScene(scene: which.scene) }
}

public struct ReorderScenesVerb: ArrangingVerb {
    public static let configuration = CommandConfiguration(
        commandName: "reorder", abstract: "Put the scenes of a room or zone into an order.",
        discussion: """
            The scenes that are named come first, in this order; the others keep their order after them. Lists, the page, \
            shell completion and switches that are bound to the room or zone follow it. Until somebody reorders them, \
            scenes are in the order of their names. A new scene comes last.

            lightd keeps the order: bridges have none, and other apps show their own. 'lightctl undo' does not take it \
            back.

            Examples:
              lightctl scene reorder kitchen Evening
              lightctl scene reorder living Bright Relax "Movie night"
              lightctl scene reorder kitchen --by-name
            """)

    @Argument(
        help: ArgumentHelp(
            "A room or zone: its name, with @ or without, @BRIDGE/NAME, or an id.", valueName: "room-or-zone"))
    public var room: String

    @Argument(help: "Those that come first. A name alone means a scene of this room or zone.")
    public var scenes: [String] = []

    @Flag(help: "Put all of them in the order of their names again.") public var byName = false
    @OptionGroup public var rehearsal: DryRunOption

    public init() {}

    public func validate() throws {
        guard !byName || scenes.isEmpty else {
            throw ValidationError("--by-name is about all scenes: leave out their names")
        }
        guard byName || !scenes.isEmpty else {
            throw ValidationError("no order to make: name the scenes that come first, or use --by-name")
        }
    }

    public var command: Command { .reorderScenes(room: room, scenes: scenes, byName: byName) }
}

public struct RecallVerb: TargetVerb {
    public static let configuration = CommandConfiguration(
        commandName: "recall",
        abstract: "Recall a scene.",
        discussion: """
            If several rooms have a scene of that name, use ROOM/SCENE, or with several bridges BRIDGE/ROOM/SCENE. \
            'lightctl list scenes' shows all scenes.

            A dynamic scene moves its lights through the colours of its palette, until they get another colour. Some \
            scenes do so by themselves, unless they are recalled with --static. Bridges with API v1 have none.

            A smart scene becomes active: its bridge recalls other scenes at their times, until 'lightctl scene \
            deactivate'. It takes none of --over, --dynamic, --static and --speed.

            Examples:
              lightctl recall relax
              lightctl recall living/relax --over 1s
              lightctl recall evening --for 10m
              lightctl recall evening --dynamic --speed 60%
              lightctl recall evening --static
            """
    )

    public enum Motion: String, EnumerableFlag {
        case dynamic
        case `static`

        public static func help(for value: Self) -> ArgumentHelp? {
            switch value {
            case .dynamic: "Move its lights through the colours of its palette."
            case .static: "Leave its lights as it sets them, also if it moves them by itself."
            }
        }
    }

    @OptionGroup public var which: SceneArgument

    @Flag public var motion: Motion?

    @Option(
        help: ArgumentHelp(
            "With --dynamic: how fast, 0% to 100%; the bridge keeps it with the scene.", valueName: "percent"),
        transform: Percent.init(argument:))
    public var speed: Percent?

    @OptionGroup public var commandOptions: CommandOptions

    public init() {}

    public func validate() throws {
        guard motion == .dynamic || speed == nil else {
            throw ValidationError("--speed goes with --dynamic: lightctl recall evening --dynamic --speed 60%")
        }
    }

    public var targets: [String] { [which.scene] }
    public var delivery: Delivery { commandOptions.delivery }

    public func command(for scene: String) -> Command {
        let isDynamic = motion.map { $0 == .dynamic }
        return .recall(scene: scene, over: delivery.over?.milliseconds, dynamic: isDynamic, speed: speed?.value)
    }
}
