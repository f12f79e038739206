import HueWire

/// What happens to lamps and accessories without a request: hands, fuses, new lamps.
extension BridgeCore {
    /// A person changes a lamp, and the bridge knows at once. The lamp's mains stay as they are unless a change is about
    /// them: what the bridge believes of them may be out of date.
    func changeByHand(_ lamp: ResourceID, _ changes: [Lamp.Change]) {
        alter(by: [.updating(.lamp(lamp, by: changes))])
        if let lamp = home.lamp(lamp) {
            mesh.set(lamp.id, to: lamp.lightState, hasMains: changes.compactMap(\.mains).last)
        }
    }

    /// An accessory reports. A service that is switched off stays silent.
    func report(_ id: ResourceID, _ report: Accessory.Change.Reporting) {
        guard let accessory = home.accessory(id), accessory.isEnabled(report.service) else { return }
        alter(by: [.updating(.accessory(id, by: [.reporting(report)]))])
    }

    /// Cuts a lamp's mains. The bridge notices after about a minute, or when the lamp does not answer a command.
    func cutMains(_ lamp: ResourceID) {
        mesh.cut(lamp, at: now())
        scheduleWake()
    }

    /// Restores a lamp's mains: its power-on behaviour applies, and the bridge learns of it within seconds.
    func restoreMains(_ lamp: ResourceID) {
        guard let lamp = home.lamp(lamp) else { return }
        mesh.power(lamp, at: now())
        scheduleWake()
    }

    /// What a person in the room sees.
    func shown(_ lamp: ResourceID) -> (lightState: LightState, hasMains: Bool)? {
        mesh.lightState(of: lamp, at: now()).map { ($0, mesh.hasMains(lamp)) }
    }

    // MARK: - New lamps

    /// Adds a lamp that the running search, or the next one, finds.
    func add(_ newLamp: NewLamp) {
        newLamps.append(newLamp)
        if let end = searchUntil, now() < end { scheduleJoining() }
        scheduleWake()
    }

    /// Starts a search for new lamps.
    func search() {
        let end = now() + .seconds(40)
        searchUntil = end
        timers.schedule(TimedTask(.endSearch, at: end))
        alter(by: [.setting(.searching(true))])
        foundLamps = []
        scheduleJoining()
    }

    /// New lamps answer a few seconds into a search, as many as the bridge has room for.
    private func scheduleJoining() {
        let free = faults.mostLights(home.bridge.model, at: now()) - home.lamps.count
        for newLamp in newLamps.prefix(max(free, 0)) {
            timers.schedule(TimedTask(.join(newLamp), at: now() + mesh.timing.asking))
        }
    }

    /// Moves a lamp from the new ones to those that the search has found.
    func joined(_ newLamp: NewLamp) {
        newLamps.removeAll { $0 == newLamp }
        if let lamp = home.lamps.last { foundLamps.append(lamp.id) }
    }
}

extension Lamp.Change {
    /// Whether the change gives the lamp mains (`true`) or takes them (`false`); `nil` for every other change.
    fileprivate var mains: Bool? {
        switch self {
        case .powering: true
        case .cutting: false
        default: nil
        }
    }
}

extension Accessory.Change.Reporting {
    /// The service that reports.
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
