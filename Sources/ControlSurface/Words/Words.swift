import ControlProtocol
import Khipu
import Lighting

// Parts of sentences, for the journal and for causes.

extension Reversal {
    func words(in home: Directory) -> String {
        let left = skipped.map { home.text(naming: .light($0.light)) }
        return "\(counted(steps, "command")), \(counted(lights.count, "light"))"
            + (left.isEmpty ? "" : "; left as they are: \(left.joined(separator: ", "))")
    }
}

extension BridgeUpdate {
    func words(in home: Directory) -> String {
        switch self {
        case let .home(_, lights: lights, rooms: rooms, scenes: scenes, sensors: sensors):
            Self.words(lights: lights.count, rooms: rooms.count, scenes: scenes.count, sensors: sensors.count)
        case let .light(id, report): home.name(of: .light(id)) + report.words(of: home.light(id), in: home)
        case let .signal(id, signal): "\(home.name(of: .light(id))) \(signal?.words ?? "no longer blinks")"
        case let .sensor(id, report): "\(home.name(of: id)): \(report.words)"
        case let .firmware(_, firmware): firmware.words
        case let .renamed(target, to: name): "\(home.name(of: target, renamed: name)) is now called '\(name)'"
        case let .added(.light(light)): "new light: '\(light.name)'"
        case let .added(.room(room)): "new \(room.kind.rawValue): '\(room.name)'"
        case let .added(.scene(scene)): "new scene: '\(scene.name)'"
        case let .added(.sensor(sensor)): "new sensor: '\(sensor.name)'"
        case let .changed(.sensor(sensor)):
            home.name(of: sensor.id) == sensor.name
                ? "sensor '\(sensor.name)' has changed" : "\(home.name(of: sensor.id)) is now called '\(sensor.name)'"
        case let .changed(.room(room)):
            "\(room.kind.rawValue) '\(room.name)' has \(counted(room.lights.count, "light"))"
        case let .changed(.scene(scene)) where scene.smart != nil:
            "smart scene '\(scene.name)' \(scene.smart?.words(in: home) ?? "")"
        case let .changed(.scene(scene)): "scene '\(scene.name)' sets \(counted(scene.lights.count, "light"))"
        case let .removed(.light(id)): "\(home.name(of: .light(id))) was removed"
        case let .removed(.room(id)): "\(home.name(of: .room(id))) was removed"
        case let .removed(.scene(id)): "\(home.name(of: id)) was removed"
        case let .removed(.sensor(id)): "\(home.name(of: id)) was removed"
        }
    }
}

extension BridgeUpdate {
    fileprivate static func words(lights: Int, rooms: Int, scenes: Int, sensors: Int) -> String {
        let rooms = counted(rooms, "room or zone", "rooms and zones")
        let others = sensors == 0 ? "" : ", \(counted(sensors, "sensor"))"
        return "reported \(counted(lights, "light")), \(rooms), \(counted(scenes, "scene"))\(others)"
    }
}

extension Bridge.Firmware {
    /// "a firmware update is ready to install": whose it is says who reports it.
    fileprivate var words: String {
        switch update {
        case .pending: "a firmware update is being fetched"
        case .ready: "a firmware update is ready: install it in the maker's app"
        case .installing: "a firmware update is being installed"
        case .upToDate, nil: "firmware \(version ?? "unknown")"
        }
    }
}

extension HomeDifference {
    /// Names what has changed, but not of what nothing was known before.
    func words(in home: Directory) -> String {
        let changed =
            lights.news.map(\.name) + rooms.news.map { "@\($0.name)" } + scenes.news.map { home.state.name(of: $0) }
            + sensors.news.map(\.name)
        let gone =
            lights.gone.map { home.name(of: .light($0)) } + rooms.gone.map { home.name(of: .room($0)) }
            + scenes.gone.map { home.name(of: $0) } + sensors.gone.map { home.name(of: $0) }
        return BridgeUpdate.words(
            lights: lights.count, rooms: rooms.count, scenes: scenes.count, sensors: sensors.count)
            + (changed.isEmpty ? "" : "; changed: \(changed.joined(separator: ", "))")
            + (gone.isEmpty ? "" : "; removed: \(gone.joined(separator: ", "))")
    }
}

extension HomeDifference.Part {
    /// What differs, unless everything does: then nothing was known before.
    fileprivate var news: [Item] { changed.count < count ? changed : [] }
}

extension Light.Report {
    /// " is on, 40% (wall switch Hall)": what the light can show, and what changed it if that is neither a command nor
    /// unknown.
    fileprivate func words(of light: Light?, in home: Directory) -> String {
        let isMoving = values.tone?.isMoving ?? false
        let shown = isMoving ? values : light.map { $0.part(of: values) ?? LightPatch() } ?? values
        let parts =
            [
                reachable.map { $0 ? "in reach" : "out of reach" }, values.power?.rawValue, shown.levelWords,
            ].compactMap(\.self) + shown.toneWords
        let state =
            (parts.isEmpty ? [] : ["is \(parts.joined(separator: ", "))"])
            + LightConfiguration.Property.allCases.compactMap { property in
                configuration.value(of: property).map { "does '\($0)' \(property.occasion)" }
            }
        return " " + (state.isEmpty ? "is as it was" : state.joined(separator: " and "))
            + (source?.words(in: home) ?? "")
    }
}

extension Light.RunningSignal {
    /// "blinks", "blinks red and blue"
    fileprivate var words: String {
        (["blinks"] + (colors.isEmpty ? [] : [enumeration(colors.map(\.swatch.hex), "and")])).joined(separator: " ")
    }
}

extension Sensor.Report {
    /// "motion", "no motion", "open", "button 2 pressed", "turned 90° clockwise".
    fileprivate var words: String {
        let parts = [
            motion.map { $0 ? "motion" : "no motion" },
            contact?.rawValue,
            tampering.map { $0 ? "tampered with" : "no longer tampered with" },
            press.map { "button \($0.button) \($0.kind.words)" },
            rotation.map(Self.words(turned:)),
            lightLevel.map { "\($0.short) lux" },
            temperature.map { "\($0.short) °C" },
            battery.map { "battery \($0.percentWords)" },
            reachable.map { $0 ? "in reach" : "out of reach" },
        ].compactMap { $0 }
        return parts.isEmpty ? "as it was" : parts.joined(separator: ", ")
    }

    private static func words(turned steps: Int) -> String {
        let degrees = (Double(abs(steps)) * 360 / 1000).rounded()
        return "turned \(degrees.short)° \(steps < 0 ? "counter-clockwise" : "clockwise")"
    }
}

extension SmartScene {
    /// "shows 'Bright'", "is not active"
    fileprivate func words(in home: Directory) -> String {
        guard isActive else { return "is not active" }
        return current.flatMap { home.scene($0.scene) }.map { "shows '\($0.name)'" } ?? "is active"
    }
}

extension Cause.Kind {
    /// " (wall switch Hall)"; empty for commands, which have entries of their own, and for what nobody knows.
    fileprivate func words(in home: Directory) -> String {
        switch self {
        case let .accessory(name): name.isEmpty ? " (wall switch)" : " (wall switch \(name))"
        case let .scene(scene, by: nil): " (scene \(home.name(of: scene)))"
        case .power: " (power came back)"
        case .command, .scene, .otherApp, .unseen: ""
        }
    }
}

extension Message.Lighting.ValueChange {
    /// - Parameter name: of the target.
    func words(to name: String) -> String {
        switch self {
        case let .values(setting): "set \(name) to \(setting.words)"
        case let .mean(brightness): "set \(name) to \(brightness.percentWords) on average"
        case let .meanStep(step) where step.points < 0:
            "decrease the mean brightness of \(name) by \(step.reversed.words(for: .brightness))"
        case let .meanStep(step): "increase the mean brightness of \(name) by \(step.words(for: .brightness))"
        }
    }
}

extension Message.Lighting.Increment {
    /// "10%", "36°": a hue in degrees, anything else in per cent of what the lights can show.
    func words(for value: LightValue) -> String {
        switch (value, self) {
        case let (.hue, .pt(points)): "\((points * 3.6).short)°"
        case let (_, .pt(points)): "\(points.short)%"
        case let (_, .lightness(points)): "\(points.short)% to the eye"
        }
    }
}

extension Transition {
    /// " over 2 s"; empty if the time is left to the bridge.
    var words: String {
        switch self {
        case .usual: ""
        case let .milliseconds(count): " over \(Duration.milliseconds(count).words)"
        }
    }
}

extension Duration {
    /// "2 s", "0.5 s"; from two minutes on in the two largest units: "5 min 30 s", "6 d 13 h".
    var words: String {
        let units = [("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)]
        guard self >= .seconds(120), let first = units.firstIndex(where: { components.seconds >= $0.1 }) else {
            return "\((self / .seconds(1)).short) s"
        }
        let (large, small) = (units[first], units[min(first + 1, units.count - 1)])
        let (count, rest) = (components.seconds / Int64(large.1), components.seconds % Int64(large.1) / Int64(small.1))
        return "\(count) \(large.0)" + (rest == 0 ? "" : " \(rest) \(small.0)")
    }
}

extension Directory {
    /// The name that a target had before it was renamed. If the new name is already its name, the old one is not known:
    /// the state had it first, or an older version has recorded only ids.
    func name(of target: Target, renamed new: String) -> String {
        switch target {
        case let .light(id) where name(of: id) == new: "a light"
        case let .room(id) where name(of: id) == new: "a \(room(id)?.kind == .zone ? "zone" : "room")"
        default: name(of: target)
        }
    }

    func name(of scene: Scene.ID, renamed new: String) -> String {
        let name = name(of: scene)
        return name == new || name.hasSuffix("/\(new)") ? "a scene" : name
    }

    func names(of targets: [Target]) -> String { targets.map { name(of: $0) }.joined(separator: ", ") }

    /// The names of a few lights; of more, how many.
    func few(_ lights: [Light.ID]) -> String {
        (1...3).contains(lights.count) ? names(of: lights.map { .light($0) }) : counted(lights.count, "light")
    }

    /// ", taking Desk, Fan from @Living": the lights that left other rooms.
    func words(of departures: [Room.Departure]) -> String {
        Dictionary(grouping: departures, by: \.room).sorted { $0.key < $1.key }.map { room, departures in
            ", taking \(names(of: departures.map { .light($0.light) })) from \(name(of: .room(room)))"
        }.joined()
    }

    func name(of bridge: Bridge.ID) -> String {
        self.bridge(bridge).map { "bridge '\($0.name)'" } ?? "bridge \(bridge)"
    }
}

extension Double {
    /// To a tenth, without ".0".
    var short: String {
        let rounded = (self * 10).rounded() / 10
        return Int(exactly: rounded).map(String.init) ?? String(rounded)
    }

    /// A fraction: "40%", to a tenth.
    var percentWords: String { "\((self * 100).short)%" }
}
