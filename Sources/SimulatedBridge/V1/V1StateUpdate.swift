import HueWire

/// The body of a command of API v1 to a lamp or a group, or of a lamp's state in a scene.
struct V1StateUpdate: Equatable, Sendable {
    private(set) var on: Bool?
    private(set) var bri: Int?
    private(set) var hue: Int?
    private(set) var sat: Int?
    private(set) var xy: XY?
    private(set) var ct: Int?
    private(set) var alert: String?
    private(set) var effect: String?
    private(set) var briStep: Int?
    private(set) var hueStep: Int?
    private(set) var satStep: Int?
    private(set) var ctStep: Int?
    private(set) var xyStep: XY?
    private(set) var transition: Int?
    /// The success or error of each attribute, in the order of the body.
    private(set) var items: [V1Outcome.Item] = []

    /// Whether it changes the light state, and is not only an alert.
    var changesLightState: Bool {
        on != nil || bri != nil || hue != nil || sat != nil || xy != nil || ct != nil || effect != nil
            || briStep != nil || hueStep != nil || satStep != nil || ctStep != nil || xyStep != nil
    }

    /// The fade duration; 400 ms by default.
    var duration: Duration { .milliseconds(100 * (transition ?? 4)) }

    /// Reads a body.
    ///
    /// - Parameters:
    ///   - whites: the valid range of `ct`. It may exceed the range of a lamp, which is then applied.
    ///   - skipped: attributes that are read elsewhere.
    ///   - refusal: the error for a valid attribute that the lamp does not support, or not now; `nil` if the lamp takes
    ///     it.
    init(
        _ body: V1Body, at address: String, whites: ClosedRange<Int> = 153...500,
        except skipped: Set<String> = [], refusal: (_ name: String) -> V1Error? = { _ in nil }
    ) {
        let reader = V1BodyReader(address)
        var update = self
        let items = reader.items(of: body) { name, value throws(V1Failure) in
            // A step is ignored beside an absolute value of the same attribute.
            if skipped.contains(name) || name.hasSuffix("_inc") && body[String(name.dropLast(4))] != nil { return nil }
            var new = update
            let shown = try new.take(name, value, reader, whites)
            if let error = refusal(name) { throw V1Failure(error) }
            update = new
            return shown
        }
        self = update
        self.items = items
    }

    /// Reads one attribute, and returns the value that its success shows.
    private mutating func take(
        _ name: String, _ value: JSONValue, _ reader: V1BodyReader, _ whites: ClosedRange<Int>
    ) throws(V1Failure) -> JSONValue {
        switch name {
        case "on": on = try reader.bool(value, name)
        case "bri":
            // 0 is the lowest level (openhab/openhab-addons#21742), 255 the highest (lwsrbrts/PoSHue#12).
            let level = min(max(try reader.int(value, name, 0...255), 1), 254)
            bri = level
            return .int(level)
        case "hue": hue = try reader.int(value, name, 0...65535)
        case "sat":
            // Some clients send 255 for full saturation (PyPI's hue-api).
            let full = min(try reader.int(value, name, 0...255), 254)
            sat = full
            return .int(full)
        case "xy": xy = try reader.point(value, name, 0...1)
        case "ct": ct = try reader.int(value, name, whites)
        case "alert": alert = try reader.word(value, name, of: ["none", "select", "lselect"])
        case "effect": effect = try reader.word(value, name, of: ["none", "colorloop"])
        case "transitiontime": transition = try reader.int(value, name, 0...65535)
        case "bri_inc": briStep = try reader.int(value, name, -254...254)
        case "sat_inc": satStep = try reader.int(value, name, -254...254)
        case "hue_inc": hueStep = try reader.int(value, name, -65534...65534)
        case "ct_inc": ctStep = try reader.int(value, name, -65534...65534)
        case "xy_inc": xyStep = try reader.point(value, name, -0.5...0.5)
        case "colormode", "reachable", "mode": throw reader.fixed(name)
        default: throw reader.unknown(name)
        }
        return value
    }
}

extension V1StateUpdate {
    /// The attributes that a lamp supports, or a group, each lamp of which ignores what it does not support.
    struct Capabilities: Sendable {
        var dims: Bool
        var gamut: Gamut?
        var whites: ClosedRange<Int>?

        init(_ kind: LampKind) {
            dims = kind.dims
            gamut = kind.gamut?.triangle
            whites = kind.whites?.range
        }

        /// Those of a group: all, with a triangle that holds every point.
        static let all = Self(
            dims: true, gamut: Gamut(red: XY(x: 0, y: 0), green: XY(x: 2, y: 0), blue: XY(x: 0, y: 2)),
            whites: 50...1000)

        private init(dims: Bool, gamut: Gamut, whites: ClosedRange<Int>) {
            self.dims = dims
            self.gamut = gamut
            self.whites = whites
        }

        /// Whether it supports that attribute.
        func has(_ attribute: String) -> Bool {
            switch attribute {
            case "bri", "bri_inc": dims
            case "hue", "sat", "xy", "effect", "hue_inc", "sat_inc", "xy_inc": gamut != nil
            case "ct", "ct_inc": whites != nil
            default: true
            }
        }
    }

    /// The changes of a light state.
    ///
    /// - Parameter shown: what the lamp shows now, perhaps in the middle of a fade: a step of 0 stops the fade there.
    func changes(
        of lightState: LightState, _ capabilities: Capabilities, shown: LightState? = nil
    ) -> [LightState.Change] {
        var changes: [LightState.Change] = []
        if let on { changes.append(.turning(.it(on: on))) }
        if capabilities.dims,
            let level = bri ?? briStep.map({ $0 == 0 ? (shown ?? lightState).level : lightState.level + $0 })
        {
            changes.append(.setting(.level(to: level)))
        }
        if let tint = tint(of: lightState, capabilities, shown: shown ?? lightState) {
            changes.append(.setting(.tint(to: tint)))
        }
        if capabilities.gamut != nil, let effect {
            changes.append(.setting(.effect(to: effect == "none" ? .none : .running(effect))))
        }
        return changes
    }

    /// The new tint. Of several colours in one body, xy takes precedence over ct, ct over hue and saturation, absolute
    /// values over steps.
    private func tint(of lightState: LightState, _ capabilities: Capabilities, shown: LightState) -> LightState.Tint? {
        if let gamut = capabilities.gamut, let xy { return .color(gamut.held(xy)) }
        if let whites = capabilities.whites, let ct { return .white(mirek: whites.clamp(ct)) }
        let (shade, there) = (lightState.tint.shade, shown.tint.shade)
        if capabilities.gamut != nil, hue != nil || sat != nil {
            return .shade(hue: hue ?? shade.hue, saturation: sat ?? shade.saturation)
        }
        if let gamut = capabilities.gamut, let step = xyStep {
            if step == XY(x: 0, y: 0) { return shown.tint }
            let point = lightState.tint.point
            return .color(gamut.held(XY(x: point.x + step.x, y: point.y + step.y)))
        }
        if let whites = capabilities.whites, let step = ctStep {
            return .white(mirek: whites.clamp(step == 0 ? shown.tint.mirek : lightState.tint.mirek + step))
        }
        guard capabilities.gamut != nil, hueStep != nil || satStep != nil else { return nil }
        let hue = hueStep.map { $0 == 0 ? there.hue : (shade.hue + $0 + 131_072) % 65536 }
        let saturation = satStep.map { $0 == 0 ? there.saturation : min(max(shade.saturation + $0, 0), 254) }
        return .shade(hue: hue ?? shade.hue, saturation: saturation ?? shade.saturation)
    }
}

extension LightState.Tint {
    /// Hue and saturation as API v1 shows them: as written, or the nearest ones.
    var shade: (hue: Int, saturation: Int) {
        if case let .shade(hue, saturation) = self { return (hue, saturation) }
        guard self != .none else { return (0, 0) }
        let shade = HueSaturation(point)
        return (Int((shade.hue * 65536).rounded()) % 65536, Int((shade.saturation * 254).rounded()))
    }
}

extension ClosedRange<Int> {
    func clamp(_ value: Int) -> Int { Swift.min(Swift.max(value, lowerBound), upperBound) }
}

extension [LightState.Change] {
    /// The same changes as changes of a lamp.
    var ofLamp: [Lamp.Change] {
        map { change in
            switch change {
            case let .turning(.it(on: on)): .turning(.it(on: on))
            case let .setting(.level(to: level)): .setting(.level(to: level))
            case let .setting(.tint(to: tint)): .setting(.tint(to: tint))
            case let .setting(.effect(to: effect)): .setting(.effect(to: effect))
            case let .setting(.gradient(to: points)): .setting(.gradient(to: points))
            }
        }
    }
}
