import FoundationEssentials
import HueWire

extension V2LightUpdate {
    /// What an update does to one lamp, and the errors that the response reports.
    struct AppliedChange: Sendable {
        var changes: [Lamp.Change] = []
        var errors: [HueError] = []
        /// Whether a radio message must be sent to the lamp.
        var changesLightState = false
        var timedTasks: [TimedTask] = []
    }

    /// Applies the update to one lamp. A colour takes precedence over a white in the same body.
    ///
    /// - Parameters:
    ///   - resource: the target of the request; a group ignores what some of its lamps do not support.
    ///   - id: the target's id, for errors.
    func carriedOut(on lamp: Lamp, as resource: ResourceType = .light, _ id: ResourceID, in context: DecisionContext)
        -> AppliedChange
    {
        var applied = AppliedChange()
        var named: [String] = []
        func unsupported(_ attribute: String) {
            guard resource == .light else { return }
            applied.errors.append(.unsupported(attribute, by: id))
        }
        func set(_ attribute: String, _ isSupported: Bool, _ changes: Lamp.Change...) {
            guard isSupported else { return unsupported(attribute) }
            applied.changes += changes
            applied.changesLightState = true
            named.append(attribute)
        }
        if let on { set(".on.on", true, .turning(.it(on: on))) }
        if let percent = brightness ?? step.map({ min(max(lamp.percent + $0, 0), 100) }) {
            set(".dimming.brightness", lamp.kind.dims, .setting(.level(to: Level.bri(percent: percent))))
        }
        if let tint = tint(for: lamp) {
            set(tint.attribute, tint.value != nil, .setting(.tint(to: tint.value ?? .none)))
        }
        if let gradient {
            let triangle = lamp.kind.gamut?.triangle
            set(
                ".gradient.points", lamp.kind.points > 0,
                .setting(.gradient(to: gradient.map { triangle?.held($0) ?? $0 })))
            if let gradientMode, lamp.kind.points > 0 { applied.changes.append(.setting(.mode(to: gradientMode))) }
        }
        if let effect { set(effect.attribute, effect.isKnown(to: lamp.kind), .setting(.effect(to: effect.lightState))) }
        applied.changes += stops(lamp, context)
        applied.changesLightState = applied.changesLightState || stopsLevel || stopsTint
        if let speed, lamp.palette != nil { applied.changes.append(.playing(.palette(speed: speed))) }
        if alert { named.append(".alert.action") }
        if identify { named.append(".identify.action") }
        if let signal {
            if lamp.signals.contains(signal.name) {
                named.append(".signaling.signal")
            } else {
                unsupported(".signaling.signal")
            }
        }
        // A group reports lamps without mains, but not lamps that are off.
        if !lamp.hasMains {
            applied.errors += named.map { HueError.communication(with: resource.rawValue, id.description, $0) }
        } else if !lamp.isOn, on == nil, resource == .light {
            let withoutEffect = named.filter {
                ![".alert.action", ".identify.action", ".signaling.signal"].contains($0)
            }
            applied.errors += withoutEffect.map { Self.softOff(id, $0) }
        }
        applyRest(to: lamp, &applied, context)
        if let powerup {
            let lacking = powerup.lacking(lamp.kind)
            lacking.forEach(unsupported)
            if lacking.isEmpty { applied.changes.append(.setting(.powerup(to: powerup))) }
        }
        return applied
    }

    /// The new tint; its value is `nil` if the lamp does not support it.
    private func tint(for lamp: Lamp) -> (attribute: String, value: LightState.Tint?)? {
        if let xy {
            return (".color.xy", lamp.kind.gamut.map { .color($0.triangle.held(xy)) })
        }
        guard let mirek = mirek ?? mirekStep.map({ lamp.tint.mirek + $0 }) else { return nil }
        return (
            ".color_temperature.mirek",
            lamp.kind.whites.map { .white(mirek: min(max(mirek, $0.minimum), $0.maximum)) }
        )
    }

    /// The changes that stop a running fade: what the lamp shows now becomes its target.
    private func stops(_ lamp: Lamp, _ context: DecisionContext) -> [Lamp.Change] {
        guard stopsLevel || stopsTint, let present = context.mesh.lightState(of: lamp.id, at: context.now) else {
            return []
        }
        var changes: [Lamp.Change] = []
        if stopsLevel, present.level != lamp.level { changes.append(.setting(.level(to: present.level))) }
        if stopsTint, present.tint != lamp.tint { changes.append(.setting(.tint(to: present.tint))) }
        return changes
    }

    /// Applies what is not part of the light state: signals, the end of timed effects, names.
    private func applyRest(to lamp: Lamp, _ applied: inout AppliedChange, _ context: DecisionContext) {
        if let signal, lamp.signals.contains(signal.name) {
            let time = Duration.milliseconds(signal.milliseconds)
            let end = context.date.addingTimeInterval(Double(signal.milliseconds) / 1000)
            let isSome = signal.name != "no_signal" && signal.milliseconds > 0
            applied.changes.append(
                .signaling(.it(isSome ? Lamp.Signal(name: signal.name, end: end, colors: signal.colors) : nil)))
            if isSome { applied.timedTasks.append(TimedTask(.endSignal(lamp.id), at: context.now + time)) }
        }
        if case let .timed(_, milliseconds)? = effect?.lightState, applied.changesLightState,
            effect?.isKnown(to: lamp.kind) == true
        {
            applied.timedTasks.append(
                TimedTask(.endEffect(lamp.id), at: context.now + .milliseconds(milliseconds)))
        }
        if let name { applied.changes.append(.renaming(.it(to: name))) }
        if let archetype { applied.changes.append(.setting(.archetype(to: archetype))) }
        if let function { applied.changes.append(.setting(.function(to: function))) }
    }

    private static func softOff(_ id: ResourceID, _ attribute: String) -> HueError {
        HueError(
            "device (light) \(id) is \"soft off\", command (\(attribute)) may not have effect",
            code: "attribute_may_have_no_effect")
    }
}

extension V2LightUpdate.Effect {
    func isKnown(to kind: LampKind) -> Bool {
        let known = milliseconds != nil || attribute.hasPrefix(".timed") ? kind.timedEffects : kind.effects
        return name == "no_effect" ? !known.isEmpty : known.contains(name)
    }

    var lightState: LightState.Effect {
        if name == "no_effect" { return .none }
        if let milliseconds { return .timed(name, milliseconds: milliseconds) }
        return .running(name, parameters: parameters)
    }
}

extension Powerup {
    /// The parts of it that a lamp of this kind cannot do.
    fileprivate func lacking(_ kind: LampKind) -> [String] {
        var parts: [String] = []
        if custom["dimming"]?["mode"] == "dimming", !kind.dims { parts.append(".powerup.dimming") }
        switch custom["color"]?["mode"] {
        case "color_temperature" where kind.whites == nil: parts.append(".powerup.color.color_temperature")
        case "color" where kind.gamut == nil: parts.append(".powerup.color.color")
        default: break
        }
        return parts
    }
}
