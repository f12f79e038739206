public import Khipu

extension Light {
    /// What is known of a lamp, from whom, and how well.
    public struct Knowledge: Equatable, Codable, Sendable {
        /// What the bridge last said.
        public let reported: Values
        public let freshness: Freshness
        /// When the bridge last said anything of this light.
        public let heard: Timestamp
        /// Why it shows what it does.
        public let cause: Cause

        public init(_ reported: Values, _ freshness: Freshness, heard: Timestamp, _ cause: Cause) {
            self.reported = reported
            self.freshness = freshness
            self.heard = heard
            self.cause = cause
        }

        // swift-format-ignore
        func with(_ f: Freshness) -> Self { Self(reported, f        , heard: heard, cause) }
        // swift-format-ignore
        func with(_ c: Cause    ) -> Self { Self(reported, freshness, heard: heard, c    ) }
    }
}
