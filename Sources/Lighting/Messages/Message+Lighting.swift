// swift-format-ignore
extension Message {
    public enum Lighting: Equatable, Codable, Sendable {
        // Commands, each followed by its response.
        /// Reads everything from the bridges again.
        case load
        case loading   (Outcome)
        case turn      (Turn, Target, over: Transition)
        case turning   (Turn, Target, Outcome)
        /// Off if anything in the target is on and has power, otherwise on; decided when the command is carried out.
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
        /// Makes each light show its state; sends what it does not show yet.
        case restore   ([DesiredState], over: Transition)
        /// The lights that did not show it.
        case restoring ([Light.ID], Outcome)
        /// Reverts the newest commands, light by light: this many, or all down to the one with this ticket's number,
        /// which is refused if somebody else's came after it. Skips lights that somebody else has changed since.
        case undo      (Int, downTo: UInt64? = nil, over: Transition)
        case undoing   (Reversal, Outcome)
        case redo      (Int, over: Transition)
        case redoing   (Reversal, Outcome)
        /// A step of what lights follow. No step to undo: what was done before goes on.
        case follow    ([DesiredState], over: Transition)
        case following (Outcome)
        /// Makes lamps blink, and leaves them as they were.
        case identify  (Target)
        case identifying(Target, Outcome)

        // Facts.
        /// A bridge reported something.
        case reported  (BridgeUpdate)
        /// A bridge reported its whole home, as the journal keeps it: what differed from what was known.
        case reread    (HomeDifference)
        /// Follows the response: every value that the command has sent is confirmed, overtaken by a newer command, or
        /// given up.
        case settled   (Outcome)

        public enum Application: Equatable, Codable, Sendable {
            case values(Light.Setting)
            /// Brings the mean brightness of the lights that are on there, and keeps their ratios.
            case mean(brightness: Double)
            /// Steps that mean; below 0 to step down. Nothing goes off, and nothing is turned on.
            case meanStep(Increment)
        }
        public enum Attribute  : Equatable, Codable, Sendable { case name(String), powerup(Light.Powerup) }
        /// A step: `.pt(10)` is ten per cent of the range, `.lightness(10)` is, of the brightness, a tenth of what the eye
        /// sees from dark to full.
        public enum Increment  : Equatable, Codable, Sendable { case pt(Double), lightness(Double) }

        public var outcome: Outcome? {
            switch self {
            case let .loading(o), let .turning(_, _, o), let .toggling(_, _, o), let .applying(_, _, o),
                 let .changing(_, _, o), let .increasing(_, _, _, o), let .decreasing(_, _, _, o), let .recalling(_, o),
                 let .restoring(_, o), let .undoing(_, o), let .redoing(_, o), let .following(o), let .identifying(_, o): o
            case .load, .turn, .toggle, .apply, .change, .increase, .decrease, .recall, .restore, .undo, .redo, .follow, .identify,
                 .reported, .reread, .settled: nil
            }
        }

        /// What became of the values that the command with the same ticket has sent; `nil` if this message does not
        /// say.
        public var settlement: Outcome? { if case let .settled(outcome) = self { outcome } else { nil } }

        /// Older journals name what was loaded under `_0`.
        enum LoadingCodingKeys: String, CodingKey { case _0 = "_1" }
    }
}
