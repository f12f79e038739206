import ControlProtocol

/// Says which lights took only a part of what was asked of them, or nothing, and why.
enum LeftOutText {
    /// "'Stove' cannot change its white tone; it takes the brightness only": one for each light that took a part.
    static func notes(_ lights: [CommandReply.LeftOut]?) -> [String] {
        (lights ?? []).filter { !$0.given.isEmpty }.map {
            printable("\($0.reason); it takes the \($0.given.joined(separator: " and the ")) only")
        }
    }

    /// "left out: 'Fan' cannot be dimmed": one for each light that took nothing. A room with a plug is nothing unusual.
    static func confirmations(_ lights: [CommandReply.LeftOut]?) -> [String] {
        (lights ?? []).filter(\.given.isEmpty).map { printable("left out: \($0.reason)") }
    }
}

extension Console {
    /// Prints which lights took only a part of what was asked of them, or nothing.
    func show(leftOut lights: [CommandReply.LeftOut]?) throws {
        for line in LeftOutText.notes(lights) { note(line) }
        for line in LeftOutText.confirmations(lights) { try confirm(line) }
    }
}
