// Public imports, because the conforming type is public.
public import ArgumentParser
import CommandGrammar
public import ControlProtocol

/// What a new token or page may do, and until when.
struct RoleOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What it may do: look (see the home, but not its log), control (also use lights, scenes, timers and automations) or full.",
            valueName: "role"))
    var role: TokenAccess?
    @Flag(help: "Allow to look and to read the log, as tokens did before there were roles.") var readOnly = false
    @Option(
        help: ArgumentHelp(
            "When it ends: 18:00, 2026-12-24 (as that day begins), 2026-12-24T18:00 or 3d.", valueName: "when"),
        transform: Until.init(argument:))
    var until: Until?
    @Option(
        name: .customLong("for"), help: ArgumentHelp("How long it lasts, for example 3d.", valueName: "time"),
        transform: { try TimeSpan.wait(argument: $0, from: 1) })
    var lifetime: TimeSpan?

    func validate() throws {
        if readOnly, role != nil { throw ValidationError("'--role' and '--read-only' exclude each other") }
        if until != nil, lifetime != nil { throw ValidationError("'--until' and '--for' exclude each other") }
    }

    /// `nil` if none is asked for.
    var access: TokenAccess? { readOnly ? .readOnly : role }

    /// When it ends, ISO 8601; `nil` if never.
    func end(_ clock: WallClock) -> String? {
        let end = until ?? lifetime.map { .after(milliseconds: $0.milliseconds) }
        return end?.moment(in: clock).iso
    }
}

extension TokenAccess: ExpressibleByArgument {
    /// Without the one that new tokens have no need of.
    public static var allValueStrings: [String] { allCases.filter { $0 != .readOnly }.map(\.rawValue) }
}

extension TokenAccess {
    /// "read-only", as a person reads it in a list.
    var word: String { rawValue.replacing("_", with: "-") }

    /// What its holder may do.
    var words: String {
        switch self {
        case .look: "may see the home, but not its log"
        case .readOnly: "may read"
        case .control: "may use lights, scenes, timers and automations"
        case .full: "may do everything but tokens and backups"
        }
    }
}
