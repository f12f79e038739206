public import Khipu

extension History {
    /// When a timed effect that runs on a light was last begun by a command of ours; `nil` if that is not remembered, or
    /// if something else may have begun it.
    public func beginning(of effect: Light.Effect, on light: Light.ID) -> Timestamp? {
        for step in steps.reversed() where step.lights.contains(light) {
            let (ran, runs) = (step.before[light]?.values.effect, step.asked[light]?.effect)
            if let undone = step.undone {
                // What had ended it was taken back: it has begun anew.
                if effect.isSame(as: ran), !effect.isSame(as: runs) { return undone.ticket.time }
                continue
            }
            // A scene asks for what only its bridge knows.
            guard effect.isSame(as: runs) else { return nil }
            if let part = step.parts(of: light).last(where: { $0.wording.command.begins(effect) }) {
                return step.time(of: part)
            }
            if !effect.isSame(as: ran) { return step.tickets.last?.time }
        }
        return nil
    }
}

extension History.Step {
    /// Those of its commands that are for a light, oldest first.
    fileprivate func parts(of light: Light.ID) -> [Part] { partsSoFar.filter { $0.lights.contains(light) } }

    /// A redo carries it out once more.
    fileprivate func time(of part: Part) -> Timestamp? {
        (reversers?.last?.ticket ?? tickets.last { $0.number == part.number })?.time
    }
}

extension Light.Effect {
    /// Whether the two are the same timed effect. Bridges round how long it takes, of more than an hour to five minutes.
    fileprivate func isSame(as other: Self?) -> Bool {
        guard let other, name == other.name, let milliseconds, let wanted = other.milliseconds else { return false }
        return abs(milliseconds - wanted) <= wanted / 12
    }
}

extension Message.Lighting {
    fileprivate func begins(_ effect: Light.Effect) -> Bool {
        guard case let .apply(.values(patch), on: _, over: _) = self, case let .effect(begun, over: _)? = patch.tone
        else {
            return false
        }
        return effect.isSame(as: begun)
    }
}
