import HueWire
import Khipu

/// What a command did not bring to one light, to be sent once more to that light alone.
struct Repair: Equatable, Sendable {
    let light: ResourceID
    let patch: Patch
    /// The command.
    let ticket: Ticket?
}
