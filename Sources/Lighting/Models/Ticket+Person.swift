public import Khipu

extension Ticket {
    /// Who sends the commands of a presence replay.
    public static let replayHolder = "away"

    /// Whether an automation sent the command.
    var isOfAutomation: Bool { isOwn == true && holder.hasPrefix("automation '") }

    /// Whether a person sent the command: by lightctl, a page, another program, or a switch that is bound to lights.
    public var isOfPerson: Bool { !isUnasked && (isOwn != true || holder.hasPrefix("switch '")) }
}
