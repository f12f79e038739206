public import ArgumentParser
public import ControlProtocol

public struct RecallVerb: TargetVerb {
    public static let configuration = CommandConfiguration(
        commandName: "recall",
        abstract: "Recall a scene.",
        discussion: """
            If several rooms have a scene of that name, use ROOM/SCENE, or with several bridges BRIDGE/ROOM/SCENE. \
            'lightctl list scenes' shows all scenes.

            Examples:
              lightctl recall relax
              lightctl recall living/relax --over 1s
              lightctl recall evening --for 10m
            """
    )

    @OptionGroup public var which: SceneArgument

    @OptionGroup public var commandOptions: CommandOptions

    public init() {}

    public var targets: [String] { [which.scene] }
    public var delivery: Delivery { commandOptions.delivery }

    public func command(for scene: String) -> Command { .recall(scene: scene, over: delivery.over?.milliseconds) }
}
