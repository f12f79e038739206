// swift-format-ignore
extension Message {
    public enum Following: Equatable, Codable, Sendable {
        // Commands, each followed by its response.
        /// Lights follow a curve, a sunrise or a sunset from now on, in these of their values.
        ///
        /// - Parameters:
        ///   - until: it ends at the next such moment.
        ///   - resumesAfter: so long after a change by hand, lights follow again.
        case follow     (Followings.Item.Course, on: Target, values: Set<Curve.Value>, until: Moment?, resumesAfter: Duration?)
        case following  (Followings.Item.Course, on: Target, Outcome)
        case unfollow   (Target)
        case unfollowing(Target, Outcome)
        /// What was changed by hand follows again.
        case resume     (Target)
        case resuming   (Target, Outcome)
        /// Draws a curve, or removes it: then one that lightd has is as it was.
        case draw       (Curve?, named: String)
        case drawing    (Curve?, named: String, Outcome)

        // Facts.
        /// A hand has changed these values of lights; they are left alone.
        case paused     ([Light.ID], Set<Curve.Value>, Cause)
        /// Lights that a hand had changed follow again.
        case resumed    ([Light.ID])
        case ended      (Followings.Item.Course, on: Target)

        public var outcome: Outcome? {
            switch self {
            case let .following(_, _, o), let .unfollowing(_, o), let .resuming(_, o), let .drawing(_, _, o): o
            case .follow, .unfollow, .resume, .draw, .paused, .resumed, .ended: nil
            }
        }
    }
}
