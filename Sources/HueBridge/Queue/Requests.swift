import HueWire
import Khipu

/// A request that is not an update of lights: a rename, a scene's recall, a read. Its id is its token.
struct Job: Equatable, Sendable {
    enum Cost: Equatable, Sendable {
        case light, group
        /// A write without a rate limit.
        case other
        /// Goes when no write may go, or when it has waited for long enough.
        case read
    }

    let id: UInt64
    let cost: Cost
    /// The places of the queues of the lights that it touches, each once.
    let queues: [Int]
    let number: UInt64
    let asked: Duration
    var returns = 0
    var isInFlight = false
}

/// One group command that could carry what several lights wait for: they would be coalesced into it.
struct GroupCommand: Sendable {
    let lightGroup: Int
    let queues: [Int]
    let attributes: PendingState.Attributes
    let update: LightUpdate
    /// The place in the queue of its oldest value.
    let first: UInt64
    /// Lights that must get their values before it, because it turns them off.
    let before: [Int]
    /// How many lights need another command after it.
    let rest: Int
    /// When the members that are being written to count as answered.
    let clear: Duration
    /// Whether a job goes before it.
    let isBehind: Bool
    /// When it may go; set once the candidates are compared.
    var due: Duration = .zero

    /// How many single commands it saves. What goes before it is sent either way.
    var saving: Int { queues.count - 1 - rest }

    /// A group command is a broadcast to the whole mesh: if single commands remain after it, it must save at least two.
    var isWorthwhile: Bool { saving >= (rest == 0 ? 1 : 2) }

    func isReady(at now: Duration) -> Bool { before.isEmpty && !isBehind && clear <= now && due <= now }
}

/// What a command did not bring to one light, to be sent once more to that light alone.
struct Repair: Equatable, Sendable {
    let light: ResourceID
    let update: LightUpdate
    /// The command.
    let ticket: Ticket?
    /// When a group command was sent that the light has missed, as far as one can know; `nil` if it was out of reach.
    var missed: Duration?
}

/// One request to be sent now.
struct ScheduledRequest: Equatable, Sendable {
    enum Content: Equatable, Sendable {
        case light(ResourceID, LightUpdate)
        /// One command to a grouped light; every member was asked for this update.
        case group(ResourceID, members: [ResourceID], LightUpdate)
        case job(UInt64)
    }

    let id: UInt64
    let content: Content
    /// Whether everybody who asked for what it brings to one of its lights has been answered that it is late.
    var isLate = false
}
