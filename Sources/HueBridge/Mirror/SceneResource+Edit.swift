import HueWire
import Lighting

/// Editing what a scene stores, without its lights.
extension HomeResources {
    /// Takes in a scene that was read alone.
    mutating func take(_ scene: SceneResource) { scenes[scene.id] = scenes[scene.id]?.merged(with: scene) }

    /// What a scene stores once these states are merged into what it has; the others stay as they are, byte for byte.
    func actions(
        ofScene id: ResourceID, setting states: [DesiredState], removing removed: [ResourceID]
    ) -> [SceneResource.Action] {
        let kept = (scenes[id]?.actions ?? []).filter { !removed.contains($0.target.rid) }
        let edited = kept.map { action in
            guard let state = states.first(where: { $0.light.resourceID == action.target.rid }),
                let light = lights[action.target.rid]
            else { return action }
            // API v1 lists scenes without what they store.
            return SceneResource.Action(
                action.target, (action.action ?? LightUpdate()).edited(by: state, of: light))
        }
        let known = Set(kept.map(\.target.rid))
        let added = states.compactMap { state -> SceneResource.Action? in
            guard let light = lights[state.light.resourceID], !known.contains(light.id) else { return nil }
            return SceneResource.Action(
                ResourceReference(light.id, .light), LightUpdate(on: true).edited(by: state, of: light))
        }
        return edited + added
    }

    /// Whether a scene stores these states, within the precision in which bridges report, and none of the removed lights.
    func stores(_ states: [DesiredState], without removed: [ResourceID], inScene id: ResourceID) -> Bool {
        guard let actions = scenes[id]?.actions else { return false }
        let stored = Dictionary(actions.map { ($0.target.rid, $0) }) { first, _ in first }
        return removed.allSatisfy { stored[$0] == nil }
            && states.allSatisfy { state in
                guard let action = stored[state.light.resourceID] else { return false }
                // Of API v1 the bridge's answer has to do.
                guard let update = action.action, let light = lights[action.target.rid] else { return true }
                return light.showing(update).shows(update.edited(by: state, of: light))
            }
    }
}

extension LightUpdate {
    /// What a scene stores for a light, with other values in place of some of its own. What they leave is not touched: a
    /// point would not come back the same from the domain's words. Done twice it changes nothing more.
    fileprivate func edited(by state: DesiredState, of light: LightMirror) -> LightUpdate {
        // As a light that is off is stored.
        if state.power == .off { return LightUpdate(on: false) }
        if on == false, state.values.isEndOfEffect { return self }
        var (asked, stored) = (state.values, self)
        if asked.tone == .effect(nil, over: nil) {
            asked.tone = nil
            stored.color = color?.base
        } else if case let .color(hue, saturation)? = asked.tone?.base, hue == nil || saturation == nil {
            let values = DesiredState(state.light, of: light, self).values.merged(with: asked)
            asked.tone = values.completed(from: Light.Values(mode: .ct)).tone
        }
        var edited = stored.merged(with: LightUpdate(DesiredState(state.light, asked), .usual).held(for: light))
        edited.on = state.power == .on || on == false ? true : on
        edited.milliseconds = milliseconds
        return edited
    }
}

extension LightMirror {
    /// The light as it is once it shows what a scene stores for it.
    fileprivate func showing(_ update: LightUpdate) -> Self {
        var shown = self
        shown.isOn = update.on ?? isOn
        shown.level = level == nil ? nil : update.brightness ?? level
        shown.effect = nil
        if let color = update.color { shown.show(color) }
        return shown
    }

    private mutating func show(_ color: LightUpdate.Color) {
        switch color {
        case let .mirek(mirek): (self.mirek, gradient) = (mirek, [])
        case let .xy(point): (mirek, xy, gradient) = (nil, point, [])
        case let .gradient(points, mode): (mirek, gradient, gradientMode) = (nil, points, mode ?? gradientMode)
        case let .effect(effect, over: base):
            if let base { show(base) }
            self.effect = effect
        }
    }
}
