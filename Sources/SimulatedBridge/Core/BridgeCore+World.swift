import HueWire

/// What happens to the lamps without the bridge: hands, fuses.
extension BridgeCore {
    /// Somebody changes a lamp, and the bridge knows at once.
    func byHand(_ lamp: ResourceID, _ changes: [Lamp.Change]) {
        alter(by: [.updating(.lamp(lamp, by: changes))])
        if let lamp = home.lamp(lamp) { mesh.set(lamp.id, to: lamp.lightState, hasMains: lamp.hasMains) }
    }

    /// An accessory reports. A service that was switched off stays silent.
    func report(_ accessory: ResourceID, _ report: Accessory.Change.Reporting) {
        guard let thing = home.accessory(accessory), thing.isEnabled(report.service) else { return }
        alter(by: [.updating(.accessory(accessory, by: [.reporting(report)]))])
    }

    /// A lamp's mains go. The bridge notices after about a minute, or when the lamp does not answer a command.
    func cutMains(_ lamp: ResourceID) {
        mesh.cut(lamp, at: now())
        setAlarm()
    }

    /// A lamp's mains come back, and with them its power-on behaviour. The bridge hears of it within seconds.
    func restoreMains(_ lamp: ResourceID) {
        guard let lamp = home.lamp(lamp) else { return }
        mesh.power(lamp, at: now())
        setAlarm()
    }

    /// What somebody in the room sees.
    func shown(_ lamp: ResourceID) -> (lightState: LightState, hasMains: Bool)? {
        mesh.lightState(of: lamp, at: now()).map { ($0, mesh.hasMains(lamp)) }
    }
}

extension Accessory.Change.Reporting {
    /// Whose report it is.
    var service: ResourceType {
        switch self {
        case .motion: .motion
        case .lightLevel: .lightLevel
        case .temperature: .temperature
        case .contact: .contact
        case .button: ResourceType(rawValue: "button")
        case .rotation: ResourceType(rawValue: "relative_rotary")
        }
    }
}

extension BridgeCore {
    /// Somebody screws in a new lamp. A search that is going on, or the next one, finds it.
    func unpack(_ newLamp: NewLamp) {
        newLamps.append(newLamp)
        if let end = searchUntil, now() < end { awaitNewcomers() }
        setAlarm()
    }

    /// A few seconds into a search they answer, as many as the bridge takes.
    func awaitNewcomers() {
        let free = faults.mostLights(home.bridge.model, at: now()) - home.lamps.count
        for newLamp in newLamps.prefix(max(free, 0)) {
            timers.note(TimedTask(.join(newLamp), at: now() + mesh.timing.asking))
        }
    }

    func welcomed(_ newLamp: NewLamp) {
        newLamps.removeAll { $0 == newLamp }
        if let lamp = home.lamps.last { found.append(lamp.id) }
    }
}
