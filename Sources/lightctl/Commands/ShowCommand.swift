import ArgumentParser
import CommandGrammar
import ControlProtocol

struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show every detail of a light, of all lights of a room, or of a sensor or switch.",
        discussion: """
            A light comes before a sensor of the same name. In a pipe: lines of "key<tab>value", with an empty line \
            between lights.

            Examples:
              lightctl show desk
              lightctl show @kitchen --json
              lightctl show "Dial Living"
            """
    )

    @Argument(
        help: ArgumentHelp("A light's or sensor's name, @room, all, or an id.", valueName: "target-or-sensor"))
    var target: String
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        let clock = WallClock.local()
        try Self.lights {
            try session.show(Routes.lights, [(.target, target)]) { (lights: [LightBody]) in
                Details.lights(lights, on: session.terminal, clock)
            }
        } elseSensors: {
            try session.show(Routes.sensors, [(.target, target)]) { (sensors: [SensorBody]) in
                Details.sensors(sensors, on: session.terminal, clock)
            }
        }
    }

    /// Asks for lights, and if none has the name for sensors; of two errors, throws the one that says what was meant.
    static func lights<Answer>(
        _ lights: () throws -> Answer, elseSensors sensors: () throws -> Answer
    ) throws -> Answer {
        do {
            return try lights()
        } catch let unknown as ErrorReply where unknown.error.code == .noSuchTarget {
            do {
                return try sensors()
            } catch let none as ErrorReply where none.error.code == .noSuchTarget {
                throw unknown.error.candidates != nil || none.error.candidates == nil ? unknown : none
            }
        }
    }
}

/// The output of `lightctl show` and `lightctl status`: aligned keys and values on a terminal, "key<tab>value" in a
/// pipe.
enum Details {
    typealias Field = (key: String, value: StyledText)

    static func lights(_ lights: [LightBody], on terminal: Terminal, _ clock: WallClock) -> String {
        lights.map { rendered(light($0, clock), on: terminal) }.joined(separator: "\n\n")
    }

    static func sensors(_ sensors: [SensorBody], on terminal: Terminal, _ clock: WallClock) -> String {
        sensors.map { rendered(sensor($0, clock), on: terminal) }.joined(separator: "\n\n")
    }

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
        add("gradient", light.values.gradientText)
        add("gradient mode", light.gradientMode?.rawValue)
        add("effect", light.values.effectText)
        add("signal", light.signal.map { "\($0.words) until \(clock.exactly($0.until))" })
        // Of a lamp in white they are what it showed in colour last, or nothing.
        if light.mode != .temperature {
            add("hue", light.hue.map { number($0) + "°" })
            add("saturation", light.saturation.map(percent))
        }
        add("temperature", light.temperature.map { "\(Temperature(mirek: $0).kelvin) (\($0)mirek)" })
        if let coolest = light.limits.coolest, let warmest = light.limits.warmest {
            add("white tones", "\(Temperature(mirek: warmest).kelvin) to \(Temperature(mirek: coolest).kelvin)")
        }
        add("can run", light.limits.effects?.joined(separator: ", "))
        add("colours at once", light.limits.gradientPoints.map { "up to \($0)" })
        add("dims down to", light.limits.minimumDimLevel.map { number($0) + "%" })
        for property in LightConfiguration.Property.allCases {
            add(property.occasion, light.configuration.value(of: property))
        }
        add("display", light.display.rawValue)
        add("left out of", light.excludedFrom?.map(\.rawValue).joined(separator: ", "))
        add("why", CauseText.sentence(light, clock))
        add("bridge", light.bridge)
        add("id", light.id)
        return fields
    }

    static func sensor(_ sensor: SensorBody, _ clock: WallClock) -> [Field] {
        var fields: [Field] = [("name", StyledText(printable(sensor.name), .strong))]
        func add(_ key: String, _ value: String?, _ since: String? = nil) {
            guard let value, !value.isEmpty else { return }
            fields.append((key, StyledText(printable(value) + (since.map { " since \(clock.exactly($0))" } ?? ""))))
        }
        add("room", sensor.room)
        add("kind", sensor.kind)
        add("product", sensor.product)
        if !sensor.doubt(clock).text.isEmpty { fields.append(("doubt", sensor.doubt(clock))) }
        add("motion", sensor.motion.map { $0.value ? "yes" : "no" }, sensor.motion?.since)
        add("contact", sensor.contact?.value.rawValue, sensor.contact?.since)
        add("tampered with", sensor.tampering.map { $0.value ? "yes" : "no" }, sensor.tampering?.since)
        add("light", sensor.lightLevel.map { lux($0.value) }, sensor.lightLevel?.since)
        add("temperature", sensor.temperature.map { celsius($0.value) }, sensor.temperature?.since)
        for button in sensor.buttons {
            let last = button.last.map { "\($0.value.words) at \(clock.exactly($0.since))" }
            add("button \(button.number)", last ?? "not used yet")
        }
        if sensor.reports.contains(.dial) {
            let last = sensor.dial.map { "turned \(number($0.value))° at \(clock.exactly($0.since))" }
            add("dial", last ?? "not used yet")
        }
        add("battery", sensor.battery.map { percent($0.value) })
        add("bridge", sensor.bridge)
        add("id", sensor.id)
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
        if let sensors = status.sensors, sensors > 0 { fields.append(("sensors", StyledText("\(sensors)"))) }
        fields.append(("journal", StyledText(status.journal ? "on" : "off")))
        if let away = status.away {
            fields.append(("away", StyledText(AwayText.duration(since: away.since, until: away.until, clock))))
        }
        if let mqtt = status.mqtt { fields.append(("mqtt", text(of: mqtt, clock))) }
        for warning in status.warnings ?? [] { fields.append(("warning", StyledText(printable(warning), .warning))) }
        return fields
    }

    /// "broker.lan:1883: connected since 10:42"
    private static func text(of broker: StatusBody.Broker, _ clock: WallClock) -> StyledText {
        let since = broker.since.map { " since \(clock.when($0))" } ?? ""
        let reason = broker.reason.map { ": " + printable($0) } ?? ""
        let address = printable(broker.address)
        return broker.connected
            ? StyledText("\(address): connected\(since)")
            : StyledText("\(address): not connected\(since)\(reason)", .warning)
    }

    static func rendered(_ fields: [Field], on terminal: Terminal) -> String {
        guard terminal.isTerminal else { return Table.plain(fields.map { [$0.key, $0.value.text] }) }
        let width = fields.map { columns($0.key) }.max() ?? 0
        return fields.map { field in
            let gap = StyledText(String(repeating: " ", count: width - columns(field.key) + 2))
            return wrapped([StyledText(field.key, .faint), gap, field.value], for: terminal, indent: width + 2)
        }.joined(separator: "\n")
    }
}
