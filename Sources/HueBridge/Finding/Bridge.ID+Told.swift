import HueWire
import Lighting

extension Bridge.ID {
    /// The id that a bridge, an announcement or a certificate names, however it is written; `nil` if it names none, or one
    /// that cannot be used.
    init?(told text: String?) {
        guard let text, let id = Self(fromOutside: BridgeID.normalized(text)) else { return nil }
        self = id
    }
}
