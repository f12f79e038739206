public import FoundationEssentials
public import HueWire

extension Lamp {
    /// What API v2 stores of a lamp besides its light state.
    public struct Traits: Equatable, Codable, Sendable {
        /// "functional", "decorative", "mixed" or "unknown".
        public internal(set) var function = "mixed"
        /// How the points of a gradient are arranged.
        public internal(set) var gradientMode = "interpolated_palette"
        /// The signal that is running.
        public internal(set) var signal: Signal?
    }

    /// Draws attention for a while; afterwards the lamp shows its light state again.
    public struct Signal: Equatable, Codable, Sendable {
        /// "on_off", "on_off_color" or "alternating".
        public let name: String
        public let end: Date
        public let colors: [XY]
    }

    /// The ids of all resources of API v2 that belong to the lamp.
    var resources: Set<ResourceID> { [id, ids.device, ids.connectivity, ids.entertainment, softwareUpdate] }

    /// Its software update, which every device has; derived from the device's id.
    var softwareUpdate: ResourceID { DerivedID.fixed("device_software_update", ids.device.description) }

    /// The signals that a lamp of this kind supports.
    var signals: [String] {
        kind.gamut == nil ? ["no_signal", "on_off"] : ["no_signal", "on_off", "on_off_color", "alternating"]
    }
}

extension Accessory {
    /// The ids of all resources of API v2 that belong to the accessory.
    var resources: Set<ResourceID> { Set([id] + services.map(\.id)) }
}
