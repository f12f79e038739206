import ControlProtocol

/// What `lightctl show` tells of a light, and `lightctl status` of the daemon: "key: value" lines for people, "key<tab>value" in a pipe.
enum Details {
    typealias Field = (key: String, value: StyledText)

    static func light(_ light: LightBody, _ clock: WallClock) -> [Field] {
        var lines: [Field] = [("name", StyledText(printable(light.name), .strong))]
        func add(_ key: String, _ value: String?) {
            if let value, !value.isEmpty { lines.append((key, StyledText(printable(value)))) }
        }
        add("room", light.room)
        add("zones", light.zones.joined(separator: ", "))
        lines.append(("state", light.state))
        if !light.doubt(clock).words.isEmpty { lines.append(("doubt", light.doubt(clock))) }
        add("confirmed", light.freshness == .confirmed ? clock.full(light.since) : nil)
        add("brightness", light.brightness.map(percent))
        add("shows", light.mode?.rawValue)
        if let color = light.color { lines.append(("colour", StyledText(color, colour: light.swatch))) }
        add("hue", light.hue.map { number($0) + "°" })
        add("saturation", light.saturation.map(percent))
        add("temperature", light.temperature.map { "\(Temperature(mirek: $0).kelvin) (\($0)mirek)" })
        if let coolest = light.limits.coolest, let warmest = light.limits.warmest {
            add("white tones", "\(Temperature(mirek: warmest).kelvin) to \(Temperature(mirek: coolest).kelvin)")
        }
        add("dims down to", light.limits.minimumDimLevel.map(percent))
        add("after a power cut", light.powerup?.rawValue)
        add("display", light.display.rawValue)
        add("why", CauseText.sentence(light, clock))
        add("bridge", light.bridge)
        add("id", light.id)
        return lines
    }

    static func status(_ status: StatusBody, _ clock: WallClock) -> [Field] {
        var lines: [Field] = [
            ("lightd", StyledText("\(printable(status.version)), up \(stretch(seconds: status.uptimeSeconds))"))
        ]
        for bridge in status.bridges {
            var text = Lists.connection(bridge, clock)
            text.words = "\(printable(bridge.name)) at \(printable(bridge.address)): \(text.words)"
            lines.append(("bridge", text))
        }
        if status.bridges.isEmpty {
            lines.append(("bridge", StyledText("none is paired; 'lightctl pair' adds one", .warning)))
        }
        lines.append(("lights", StyledText("\(status.lightsOn) of \(status.lights) on")))
        if status.lightsInDoubt > 0 {
            let verb = status.lightsInDoubt == 1 ? "is" : "are"
            lines.append(
                (
                    "in doubt",
                    StyledText("\(counted(status.lightsInDoubt, "light")) \(verb) stale or unreachable", .warning)
                )
            )
        }
        lines.append(("journal", StyledText(status.journal ? "on" : "off")))
        return lines
    }

    static func rendered(_ lines: [Field], on terminal: Terminal) -> String {
        guard terminal.isTerminal else { return Table.plain(lines.map { [$0.key, $0.value.words] }) }
        let width = lines.map { columns($0.key) }.max() ?? 0
        return lines.map { line in
            StyledText(line.key, .faint).painted(terminal.colours)
                + String(repeating: " ", count: width - columns(line.key) + 2) + line.value.painted(terminal.colours)
        }.joined(separator: "\n")
    }
}
