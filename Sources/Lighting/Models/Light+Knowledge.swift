public import Khipu

extension Light {
    /// What its bridge reported about a lamp, and how far it can be trusted.
    public struct Knowledge: Equatable, Codable, Sendable, ChangeTable {
        /// What the bridge last reported.
        public let reported: Values
        public private(set) var freshness: Freshness
        /// When the bridge last reported anything about this light.
        public let heard: Timestamp
        /// Who or what set the lamp to what it shows.
        public private(set) var cause: Cause
        /// The newest command that could not be confirmed because the lamp was out of reach or its bridge lost. Its
        /// values are expected as soon as the lamp is back.
        public private(set) var pending: Pending?

        /// What was shown before the newest command, if that was not confirmed either: its report may still come.
        private(set) var superseded: Values?

        public struct Pending: Equatable, Codable, Sendable {
            public let ticket: Ticket
            public let values: Values
            /// Nothing of it is on its way any more: the lamp shows it when it is back, or never will.
            private(set) var isGivenUp: Bool?

            public init(ticket: Ticket, values: Values) { (self.ticket, self.values) = (ticket, values) }

            var givenUp: Self {
                var pending = self
                pending.isGivenUp = true
                return pending
            }
        }

        public init(_ reported: Values, _ freshness: Freshness, heard: Timestamp, _ cause: Cause) {
            self.reported = reported
            self.freshness = freshness
            self.heard = heard
            self.cause = cause
        }

        func with(_ freshness: Freshness) -> Self {
            with {
                $0.freshness = freshness
                if case .expected = freshness { return }
                $0.superseded = nil
            }
        }
        func with(_ cause: Cause) -> Self { with { $0.cause = cause } }
        func with(pending: Pending?) -> Self { with { $0.pending = pending } }
        func with(superseded: Values?) -> Self { with { $0.superseded = superseded } }
    }
}
