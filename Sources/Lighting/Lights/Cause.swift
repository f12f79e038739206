public import Khipu

/// Who or what set a light to what it shows, and when.
public struct Cause: Hashable, Codable, Sendable {
    public let kind: Kind
    /// When the command was sent, or the bridge reported the change.
    public let time: Timestamp

    public enum Kind: Hashable, Codable, Sendable {
        /// A command of ours; its ticket says who sent it.
        case command(Ticket)
        /// A scene; the ticket is `nil` if another app recalled it.
        case scene(Scene.ID, by: Ticket?)
        /// A switch, dial or sensor, by its name.
        case accessory(String)
        /// The lamp's power returned.
        case power
        /// Another app, or a switch that the bridge does not report.
        case otherApp
        /// Changed before lightd first read the light, or while its bridge was not connected.
        case unseen

        /// The words on disk.
        private enum CodingKeys: String, CodingKey {
            case command, scene, accessory = "wall", power, otherApp = "elsewhere", unseen
        }
    }

    /// The kinds without what they carry.
    public enum Name: String, Codable, Sendable, CaseIterable {
        case command, scene, accessory = "wall", power, otherApp = "elsewhere", unseen
    }

    public init(_ kind: Kind, at time: Timestamp) {
        self.kind = kind
        self.time = time
    }

    /// The command of ours that caused it.
    public var ticket: Ticket? { kind.ticket }
}

extension Cause.Kind {
    var name: Cause.Name {
        switch self {
        case .command: .command
        case .scene: .scene
        case .accessory: .accessory
        case .power: .power
        case .otherApp: .otherApp
        case .unseen: .unseen
        }
    }

    /// The command of ours that caused it.
    public var ticket: Ticket? {
        switch self {
        case let .command(ticket), let .scene(_, by: ticket?): ticket
        case .scene(_, by: nil), .accessory, .power, .otherApp, .unseen: nil
        }
    }
}
