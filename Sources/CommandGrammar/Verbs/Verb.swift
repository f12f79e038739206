public import ArgumentParser
public import ControlProtocol

/// A verb that changes something: its name and help, the words that may follow it, and the commands that they mean.
///
/// lightctl runs them at once; lightd reads them from automations, with ``Typed``. A new one is a type here, a row in
/// ``Typed/verbs`` and a subcommand of lightctl.
public protocol Verb: ParsableCommand {
    /// In the order in which targets were typed.
    ///
    /// - Throws: `ValidationError` for words that do not change anything, such as a question.
    func commands() throws -> [Command]

    /// How the commands are sent.
    var delivery: Delivery { get }

    /// Options that mean something else to this verb than to lightctl, so that they may stand in a text.
    static var ownOptions: Set<String> { get }
}

extension Verb {
    public static var ownOptions: Set<String> { [] }
}

/// A verb that means one command for each of its targets.
public protocol TargetVerb: Verb {
    /// As typed: lights, rooms or scenes.
    var targets: [String] { get throws }

    func command(for target: String) throws -> Command
}

extension TargetVerb {
    /// The targets without repetitions; case is ignored, as lightd does.
    public var distinctTargets: [String] {
        get throws { try targets.unique { $0.lowercased() } }
    }

    public func commands() throws -> [Command] { try distinctTargets.map(command) }
}
