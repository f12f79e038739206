import HueWire
import Lighting

/// What became of a command; each token gets exactly one.
struct Completion: Equatable, Sendable {
    enum Result: Equatable, Sendable {
        /// Every value was delivered, or overtaken by a newer one.
        case done
        /// Everything is settled, but these were not delivered.
        case failed([Miss])
        /// The deadline passed. What is left is still sent, except reads.
        case late(isSent: Bool, [Miss])
    }

    struct Miss: Hashable, Sendable {
        enum Reason: Hashable, Sendable {
            case refused(BridgeWords)
            case doubted(BridgeWords)
            /// The light is gone, or somebody else changed it.
            case withdrawn
            /// The connection was lost for longer than commands are kept.
            case expired
        }

        /// `nil` for a job.
        let light: ResourceID?
        let reason: Reason
    }

    let token: UInt64
    let result: Result
}
