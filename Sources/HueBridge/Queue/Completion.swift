import HueWire

/// What a command came to; each token gets exactly one.
struct Completion: Equatable, Sendable {
    enum Outcome: Equatable, Sendable {
        /// Every wish was delivered, or overtaken by a newer one.
        case done
        /// All is settled, but these were not delivered.
        case failed([Miss])
        /// The deadline passed. What is left stays in the plan and is delivered still, but for reads.
        case late(isSent: Bool, [Miss])
    }

    struct Miss: Equatable, Sendable {
        enum Reason: Equatable, Sendable {
            case refused(String)
            case doubted(String)
            /// The lamp went, or somebody else changed it.
            case withdrawn
            /// The line was lost for longer than wishes are kept.
            case expired
        }

        /// `nil` for an errand.
        let light: ResourceID?
        let reason: Reason
    }

    let token: UInt64
    let outcome: Outcome
}
