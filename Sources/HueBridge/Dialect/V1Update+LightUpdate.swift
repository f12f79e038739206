import HueWire

extension V1Update {
    /// The same update in API v1: levels on its grid of 254 steps, times in tenths of a second.
    ///
    /// - Parameter whites: the light's range in mirek; 153…500 if it is not known. Other values are limited to it,
    ///   because bridges refuse those far outside (home-assistant/core#61584).
    init(_ update: LightUpdate, whites: ClosedRange<Int>? = nil) {
        let whites = whites ?? 153...500
        self.init(
            on: update.on?.on,
            bri: update.dimming.map { Level.bri(percent: $0.brightness) },
            ct: update.colorTemperature.map { min(max($0.mirek, whites.lowerBound), whites.upperBound) },
            xy: update.color?.xy,
            transitiontime: update.dynamics.map { Self.tenths(milliseconds: $0.duration) })
    }

    /// At most 65535, nearly two hours.
    static func tenths(milliseconds: Int) -> Int {
        min(max((max(milliseconds, 0) / 100 + (milliseconds % 100 >= 50 ? 1 : 0)), 0), 65535)
    }
}
