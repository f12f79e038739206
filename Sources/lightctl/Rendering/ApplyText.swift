import ControlProtocol

/// What is printed after `apply` and `restore`.
enum ApplyText {
    /// - Parameter count: how many lights were listed.
    static func lines(_ reply: CommandReply, of count: Int) -> [String] {
        let (changed, withheld) = (reply.lights?.count ?? 0, withheld(reply))
        let line =
            if changed > 0 {
                "changed \(counted(changed, "light")) of \(count)"
            } else if count == 0 {
                "nothing to change: no lights are listed"
            } else if withheld.isEmpty {
                "nothing to change: every light is as listed"
            } else {
                "nothing to change"
            }
        return [line] + withheld
    }

    /// "the values of Desk, Fan were not sent, because they are off": a line, or none.
    static func withheld(_ reply: CommandReply) -> [String] {
        guard let lights = reply.withheld, !lights.isEmpty else { return [] }
        let names = lights.map { printable($0.name) }
        let most = 6
        let list = names.prefix(most).joined(separator: ", ")
        let more = names.count > most ? " and \(names.count - most) more" : ""
        let verb = reply.requests == nil ? "were not sent" : "would not be sent"
        return ["the values of \(list)\(more) \(verb): a light that is off takes none"]
    }
}
