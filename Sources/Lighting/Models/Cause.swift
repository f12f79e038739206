public import Khipu

/// Who or what set a light to what it shows, and when.
public struct Cause: Hashable, Codable, Sendable {
    public let kind: Kind
    /// When it was asked for, or when the bridge told of it.
    public let time: Timestamp

    public enum Kind: Hashable, Codable, Sendable {
        /// A command here: its ticket says who asked.
        case command(Ticket)
        /// A scene; `nil` where another app recalled it.
        case scene(Scene.ID, by: Ticket?)
        /// Somebody at the wall: what he pressed, turned or walked past, by its name.
        case wall(String)
        /// Power came back, and the lamp shows what it does after that.
        case power
        /// Another app through the bridge, or a switch of which the bridge tells nothing.
        case elsewhere
        /// It was so already when lightd first saw it, or changed while lightd did not hear its bridge.
        case unseen
    }

    public init(_ kind: Kind, at time: Timestamp) {
        self.kind = kind
        self.time = time
    }

    /// The command here that did it.
    public var ticket: Ticket? {
        switch kind {
        case let .command(ticket), let .scene(_, by: ticket?): ticket
        case .scene(_, by: nil), .wall, .power, .elsewhere, .unseen: nil
        }
    }
}
