/// Who or what set a light to what it shows.
public struct CauseBody: Codable, Equatable, Sendable {
    public var kind: Kind
    /// Who gave the command ("lightctl (uid 1000)"), or what somebody pressed or walked past at the wall, by its name.
    public var by: String?
    /// When it was asked for, or when the bridge told of it.
    public var at: String
    /// The command's ticket, as the log has it.
    public var ticket: UInt64?
    /// The command in words ("set @Kitchen to 40 %") where it is remembered; the scene's name.
    public var what: String?

    public enum Kind: String, Codable, Sendable, CaseIterable {
        /// A command here.
        case command
        /// A scene; without `by`, another app recalled it.
        case scene
        /// Somebody at the wall.
        case wall
        /// Power came back.
        case power
        /// Another app through the bridge, or a switch of which it tells nothing.
        case elsewhere
        /// It was so when lightd began to listen.
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
    /// Why a command was not taken back where this came after it: "changed since by another app or a switch".
    public var passedOver: String {
        switch kind {
        case .command: "changed since by \(by ?? "another command")"
        case .scene: "changed since by \(what.map { "scene '\($0)'" } ?? "a scene")"
        case .wall: "changed since by somebody at the wall\(by.map { ": \($0)" } ?? "")"
        case .power: "power came back since"
        case .elsewhere: "changed since by another app or a switch"
        case .unseen: "changed while its bridge was not heard"
        }
    }
}
