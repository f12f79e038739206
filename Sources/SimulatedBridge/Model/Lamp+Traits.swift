public import FoundationEssentials
public import HueWire

extension Lamp {
    /// What API v2 keeps of a lamp besides its look.
    public struct Traits: Equatable, Codable, Sendable {
        /// "functional", "decorative", "mixed" or "unknown".
        public let function: String
        /// How the points of a gradient lie on the lamp.
        public let gradientMode: String
        /// What it signals now.
        public let signal: Signal?

        init(function: String = "mixed", gradientMode: String = "interpolated_palette", signal: Signal? = nil) {
            self.function = function
            self.gradientMode = gradientMode
            self.signal = signal
        }

        // swift-format-ignore
        func with(function     f: String ) -> Self { Self(function: f       , gradientMode: gradientMode, signal: signal) }
        // swift-format-ignore
        func with(gradientMode m: String ) -> Self { Self(function: function, gradientMode: m           , signal: signal) }
        // swift-format-ignore
        func with(signal       s: Signal?) -> Self { Self(function: function, gradientMode: gradientMode, signal: s     ) }
    }

    /// A light that draws attention for a while, and then shows again what it did.
    public struct Signal: Equatable, Codable, Sendable {
        /// "on_off", "on_off_color" or "alternating".
        public let name: String
        public let end: Date
        public let colors: [XY]
    }

    /// All resources that go with the lamp.
    var resources: Set<ResourceID> { [id, ids.device, ids.connectivity, ids.entertainment, softwareUpdate] }

    /// Hangs on the device's id, as every device has one of its own.
    var softwareUpdate: ResourceID { DerivedID.fixed("device_software_update", ids.device.description) }

    /// What `signaling` knows for a lamp of this kind.
    var signals: [String] {
        kind.gamut == nil ? ["no_signal", "on_off"] : ["no_signal", "on_off", "on_off_color", "alternating"]
    }
}

extension Accessory {
    /// All resources that go with the accessory.
    var resources: Set<ResourceID> { Set([id] + services.map(\.id)) }
}
