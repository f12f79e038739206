public import Khipu
@_exported public import Vocabulary

/// The language that all features share, and a row of the journal. A command is an imperative; its response is the same
/// verb in -ing, with an ``Outcome`` and the command's ticket; a fact reports what happened without a command.
// swift-format-ignore
public enum Message: Equatable, Codable, Sendable, Ticketed {
    case lighting (Lighting , ticket: Ticket)
    case dashboard(Dashboard, ticket: Ticket)
    case logging  (Logging  , ticket: Ticket)
    case bridges  (Bridges  , ticket: Ticket)
    case rooms    (Rooms    , ticket: Ticket)
    case scenes   (Scenes   , ticket: Ticket)
    case switches (Switches , ticket: Ticket)
    case automations(Automations, ticket: Ticket)
    case following(Following, ticket: Ticket)
    case presence (Presence , ticket: Ticket)

    public enum Feature: String, Codable, Sendable, CaseIterable {
        case lighting, dashboard, logging, bridges, rooms, scenes, switches, automations, following, presence
    }

    public var feature: Feature {
        switch self {
        case .lighting : .lighting
        case .dashboard: .dashboard
        case .logging  : .logging
        case .bridges  : .bridges
        case .rooms    : .rooms
        case .scenes   : .scenes
        case .switches : .switches
        case .automations: .automations
        case .following: .following
        case .presence : .presence
        }
    }

    public var ticket: Ticket {
        switch self {
        case let .lighting(_, t), let .dashboard(_, t), let .logging(_, t), let .bridges(_, t), let .rooms(_, t),
             let .scenes(_, t), let .switches(_, t), let .automations(_, t), let .following(_, t),
             let .presence(_, t): t
        }
    }

    /// How the command ended; `nil` if this is not a response.
    public var outcome: Outcome? {
        switch self {
        case let .lighting (m, _): m.outcome
        case let .dashboard(m, _): m.outcome
        case let .logging  (m, _): m.outcome
        case let .bridges  (m, _): m.outcome
        case let .rooms    (m, _): m.outcome
        case let .scenes   (m, _): m.outcome
        case let .switches (m, _): m.outcome
        case let .automations(m, _): m.outcome
        case let .following(m, _): m.outcome
        case let .presence (m, _): m.outcome
        }
    }

    public var isResponse: Bool { outcome != nil && !ticket.isUnasked }
}

extension Ticket {
    /// Who sends the commands of a presence replay.
    public static let replayHolder = "away"

    /// Whether an automation sent the command.
    public var isOfAutomation: Bool { isOwn == true && holder.hasPrefix("automation '") }

    /// Whether a person sent the command: by lightctl, a page, another program, or a switch that is bound to lights.
    public var isOfPerson: Bool { !isUnasked && (isOwn != true || holder.hasPrefix("switch '")) }
}
