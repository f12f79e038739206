import HueWire
import Khipu

/// What a command did not bring to one light, to be sent once more to that light alone.
struct Repair: Equatable, Sendable {
    let light: ResourceID
    let patch: Patch
    /// The command.
    let ticket: Ticket?
    /// When a group command was sent that the light has missed, as far as one can know; `nil` if it was out of reach.
    var missed: Duration?
}
