import Lighting

/// The firmware of a bridge, as Home Assistant's `update` component reads it.
struct UpdatePayload: Encodable, Equatable {
    let installed_version: String
    /// The installed one if there is no newer one. No bridge says which version an update has: another text stands for it,
    /// which Home Assistant takes as newer because it cannot compare it.
    let latest_version: String
    let in_progress: Bool
    let title: String

    /// `nil` as long as the bridge has not said what it has, and whether there is an update.
    init?(_ bridge: Bridge) {
        guard let version = bridge.firmware?.version, let update = bridge.firmware?.update else { return nil }
        installed_version = version
        latest_version = update == .upToDate ? version : "newer than \(version)"
        in_progress = update == .installing
        title = "Firmware of \(bridge.name)"
    }
}
