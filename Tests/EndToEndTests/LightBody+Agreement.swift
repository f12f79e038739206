import ControlProtocol
import SimulatedBridge

extension LightBody {
    /// Whether the bridge has the same power and brightness.
    func agrees(with home: SimulatedHome) -> Bool {
        guard let lamp = home.lamps.first(where: { $0.name == name }) else { return false }
        guard lamp.lightState.isOn == (power == .on) else { return false }
        guard let brightness = values.brightness, power == .on else { return true }
        return abs(brightness - Double(lamp.lightState.level) / 2.54) <= 1
    }

    /// Whether it is shown as the bridge knows it: confirmed with the same values, or unreachable to both.
    func isTrue(in home: SimulatedHome) -> Bool {
        guard let lamp = home.lamps.first(where: { $0.name == name }) else { return false }
        return lamp.hasMains ? freshness == .confirmed && agrees(with: home) : freshness == .unreachable
    }
}
