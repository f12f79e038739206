/// Who or what set a light to its values.
public struct CauseBody: Codable, Equatable, Sendable {
    public var kind: Kind
    /// Who sent the command ("anna (uid 1000) with lightctl"), or the name of the switch or sensor at the wall.
    public var by: String?
    /// When it was asked for, or when the bridge reported it.
    public var at: String
    /// The command's ticket, as in the log.
    public var ticket: UInt64?
    /// The command in words ("set @Kitchen to 40%") if the history still has it; or the scene's name.
    public var what: String?

    public enum Kind: String, Codable, Sendable, CaseIterable {
        /// A command to lightd.
        case command
        /// A scene; without `by`, it was recalled by another app.
        case scene
        /// A switch or sensor at the wall.
        case accessory = "wall"
        /// Mains power returned.
        case power
        /// Another app through the bridge, or a switch that the bridge does not report.
        case otherApp = "elsewhere"
        /// It was like this when lightd began to listen.
        case unseen
    }

    public init(kind: Kind, by: String? = nil, at: String, ticket: UInt64? = nil, what: String? = nil) {
        self.kind = kind
        self.by = by
        self.at = at
        self.ticket = ticket
        self.what = what
    }
}

extension CauseBody {
    /// Why undo left the light as it is: "changed since by another app or a switch".
    public var passedOver: String {
        switch kind {
        case .command: "changed since by \(by ?? "another command")"
        case .scene: "changed since by \(what.map { "scene '\($0)'" } ?? "a scene")"
        case .accessory: "changed since by somebody at the wall\(by.map { ": \($0)" } ?? "")"
        case .power: "its power has returned since"
        case .otherApp: "changed since by another app or a switch"
        case .unseen: "changed while its bridge was not connected"
        }
    }
}
