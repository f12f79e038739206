import ControlProtocol

/// The output of `lightctl show` and `lightctl status`: aligned keys and values on a terminal, "key<tab>value" in a
/// pipe.
enum Details {
    typealias Field = (key: String, value: StyledText)

    static func light(_ light: LightBody, _ clock: WallClock) -> [Field] {
        var fields: [Field] = [("name", StyledText(printable(light.name), .strong))]
        func add(_ key: String, _ value: String?) {
            if let value, !value.isEmpty { fields.append((key, StyledText(printable(value)))) }
        }
        add("room", light.room)
        add("zones", light.zones.joined(separator: ", "))
        fields.append(("state", light.state))
        if !light.doubt(clock).text.isEmpty { fields.append(("doubt", light.doubt(clock))) }
        add("confirmed", light.freshness == .confirmed ? clock.full(light.since) : nil)
        add("brightness", light.brightness.map(percent))
        add("shows", light.mode?.rawValue)
        if let color = light.color { fields.append(("colour", StyledText(color, colour: light.swatch))) }
        add("hue", light.hue.map { number($0) + "°" })
        add("saturation", light.saturation.map(percent))
        add("temperature", light.temperature.map { "\(Temperature(mirek: $0).kelvin) (\($0)mirek)" })
        if let coolest = light.limits.coolest, let warmest = light.limits.warmest {
            add("white tones", "\(Temperature(mirek: warmest).kelvin) to \(Temperature(mirek: coolest).kelvin)")
        }
        add("dims down to", light.limits.minimumDimLevel.map { number($0) + "%" })
        add("after a power cut", light.powerup?.rawValue)
        add("display", light.display.rawValue)
        add("why", CauseText.sentence(light, clock))
        add("bridge", light.bridge)
        add("id", light.id)
        return fields
    }

    static func status(_ status: StatusBody, _ clock: WallClock) -> [Field] {
        var fields: [Field] = [
            ("lightd", StyledText("\(printable(status.version)), up \(uptime(seconds: status.uptimeSeconds))"))
        ]
        for bridge in status.bridges {
            var text = Lists.connection(bridge, clock)
            text.text = "\(printable(bridge.name)) at \(printable(bridge.address)): \(text.text)"
            fields.append(("bridge", text))
        }
        if status.bridges.isEmpty {
            fields.append(("bridge", StyledText("none paired; 'lightctl pair' adds one", .warning)))
        }
        fields.append(("lights", StyledText("\(status.lightsOn) of \(status.lights) on")))
        if status.lightsInDoubt > 0 {
            let verb = status.lightsInDoubt == 1 ? "is" : "are"
            fields.append(
                (
                    "in doubt",
                    StyledText("\(counted(status.lightsInDoubt, "light")) \(verb) stale or unreachable", .warning)
                )
            )
        }
        fields.append(("journal", StyledText(status.journal ? "on" : "off")))
        return fields
    }

    static func rendered(_ fields: [Field], on terminal: Terminal) -> String {
        guard terminal.isTerminal else { return Table.plain(fields.map { [$0.key, $0.value.text] }) }
        let width = fields.map { columns($0.key) }.max() ?? 0
        return fields.map { field in
            let gap = StyledText(String(repeating: " ", count: width - columns(field.key) + 2))
            return folded([StyledText(field.key, .faint), gap, field.value], for: terminal, indent: width + 2)
        }.joined(separator: "\n")
    }
}
