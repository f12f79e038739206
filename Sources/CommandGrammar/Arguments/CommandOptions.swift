public import ArgumentParser
public import ControlProtocol

/// The options of every command that changes lights: the fade, whether to wait for the bridge, and whether to send
/// anything at all.
public struct CommandOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Fade duration, for example 2s.", valueName: "time"),
        transform: TimeSpan.transition(argument:))
    public var over: TimeSpan?

    @Flag(
        help: """
            Wait for the bridge to confirm. Exit code 5 if it does not, 7 if it confirms only some of the lights.
            """)
    public var wait = false

    // Declared here, not by DryRunOption: a debug build of ArgumentParser runs each of its checks on every group within a
    // group anew, so that one more level makes reading arguments some four times as slow.
    @Flag(help: DryRunOption.help) public var dryRun = false

    public init() {}

    public var delivery: Delivery { Delivery(over: over, wait: wait, dryRun: dryRun) }
}

/// The option of every command that writes to bridges.
public struct DryRunOption: ParsableArguments {
    static let help: ArgumentHelp = "Change nothing; print what would be sent or done."

    @Flag(help: help) public var dryRun = false

    public init() {}

    public var delivery: Delivery { Delivery(dryRun: dryRun) }
}

/// How a command is sent.
public struct Delivery: Equatable, Sendable {
    /// How long the change takes; the reply may take as long.
    public var over: TimeSpan?
    /// Whether the reply waits for the bridges to confirm.
    public var wait = false
    /// Whether nothing is sent to bridges, and the reply says what would be.
    public var dryRun = false

    public init(over: TimeSpan? = nil, wait: Bool = false, dryRun: Bool = false) {
        (self.over, self.wait, self.dryRun) = (over, wait, dryRun)
    }
}

extension LightValue: ExpressibleByArgument {}

/// An argument that cannot be used. The description completes "the value is …" and says which forms are accepted.
public struct ArgumentError: Error, Equatable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}
