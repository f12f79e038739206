// swift-format-ignore
extension Message {
    public enum Lighting: Equatable, Codable, Sendable {
        // Commands, and what they answer.
        case load      (Loadable)
        case loading   (Loadable, Outcome)
        case turn      (Turn, Target, over: Transition)
        case turning   (Turn, Target, Outcome)
        /// Off where anything of the target is on, on otherwise; decided when it is carried out.
        case toggle    (Target, over: Transition)
        case toggling  (Target, to: Turn, Outcome)
        case apply     (Application, on: Target, over: Transition)
        case applying  (Application, on: Target, Outcome)
        case change    (Attribute, on: Target)
        case changing  (Attribute, on: Target, Outcome)
        case increase  (Light.Value, by: Increment, on: Target, over: Transition)
        case increasing(Light.Value, by: Increment, on: Target, Outcome)
        case decrease  (Light.Value, by: Increment, on: Target, over: Transition)
        case decreasing(Light.Value, by: Increment, on: Target, Outcome)
        case recall    (Scene.ID, over: Transition)
        case recalling (Scene.ID, Outcome)
        /// The newest so many commands are taken back, light by light; lights that somebody else has changed since are passed over.
        case undo      (Int, over: Transition)
        case undoing   (Reversal, Outcome)
        case redo      (Int, over: Transition)
        case redoing   (Reversal, Outcome)

        // Facts.
        /// A bridge told of something.
        case reported  (BridgeUpdate)
        /// After its answer: all that the command with this ticket wished for is confirmed, overtaken by newer wishes, or has had its
        /// time and is given up.
        case settled   (Outcome)

        public enum Application: Equatable, Codable, Sendable { case values(Light.Setting) }
        public enum Attribute  : Equatable, Codable, Sendable { case name(String), powerup(Light.Powerup) }
        /// A step in points: `.pt(10)` is ten per cent of the range.
        public enum Increment  : Equatable, Codable, Sendable { case pt(Double) }

        public var outcome: Outcome? {
            switch self {
            case let .loading(_, o), let .turning(_, _, o), let .toggling(_, _, o), let .applying(_, _, o),
                 let .changing(_, _, o), let .increasing(_, _, _, o), let .decreasing(_, _, _, o), let .recalling(_, o),
                 let .undoing(_, o), let .redoing(_, o): o
            case .load, .turn, .toggle, .apply, .change, .increase, .decrease, .recall, .undo, .redo, .reported, .settled: nil
            }
        }

        /// What became of the wishes of the command with the same ticket, where this tells it.
        public var settlement: Outcome? { if case let .settled(outcome) = self { outcome } else { nil } }
    }
}
