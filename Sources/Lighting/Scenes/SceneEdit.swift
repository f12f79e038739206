import HashTreeCollections
import Khipu

extension Scene {
    /// What becomes of some of the lights of a stored scene. None of them shows anything of it before it is recalled.
    public enum Edit: Hashable, Codable, Sendable {
        /// What is not named stays as the scene has it. A light that it does not set yet is added.
        case set(LightPatch)
        /// The scene no longer sets them.
        case remove
    }
}

extension LightPatch {
    /// Whether it only ends an effect: to do that, nobody turns a light on.
    public var isEndOfEffect: Bool { tone == .effect(nil, over: nil) && brightness == nil && power == nil }
}

extension AppState {
    /// What an edit sets on each light of a scene, and the lights that it takes out; one of the two is empty.
    ///
    /// - Throws: why it changes nothing.
    func lights(
        of targets: [Target], in id: Scene.ID, by edit: Scene.Edit
    ) throws(Failure) -> (set: [DesiredState], removed: [Light.ID]) {
        guard let scene = scenes[id] else { throw .noSuchScene(id) }
        guard scene.smart == nil else {
            throw .invalid("'\(scene.name)' is a smart scene, which sets no lights itself: it recalls other scenes")
        }
        let named = try lights(of: targets)
        switch edit {
        case .remove:
            let removed = named.map(\.id).filter(scene.lights.contains)
            guard !removed.isEmpty else { throw .invalid("the scene '\(scene.name)' does not set \(named.names)") }
            guard removed.count < scene.lights.count else {
                throw .invalid("the scene '\(scene.name)' sets no other lights; delete it instead")
            }
            return ([], removed)
        case let .set(patch):
            let room = scene.room.flatMap { rooms[$0] }
            // The scene of no room may set any light of its bridge.
            let strangers = named.filter { light in
                light.id.bridge != id.bridge
                    || room.map { !($0.lights + scene.lights).contains(light.id) } ?? false
            }
            guard strangers.isEmpty else {
                let place = room.map { "in '\($0.name)'" } ?? "on its bridge"
                throw .invalid(
                    "the scene '\(scene.name)' sets only lights that are \(place), but not \(strangers.names)")
            }
            return (try states(of: named, showing: patch), [])
        }
    }

    private func states(of lights: [Light], showing patch: LightPatch) throws(Failure) -> [DesiredState] {
        if case let .effect(effect?, over: _)? = patch.tone,
            effect.milliseconds != nil
                || lights.contains(where: { $0.limits.timedEffects?.contains(effect.name) == true })
        {
            throw .invalid("'\(effect.name)' comes to an end, and a scene stores only effects that go on")
        }
        guard patch.hasValues else { return lights.map { DesiredState($0.id, patch) } }
        let able = lights.compactMap { light in light.part(of: patch).map { DesiredState(light.id, $0) } }
        guard !able.isEmpty else { throw lights.failure(lacking: patch.ability) }
        return able
    }
}

extension AppState {
    /// The lights that are not able to take all that an edit has a scene set on them.
    public func shortfalls(of edit: Scene.Edit, at targets: [Target]) -> [Shortfall] {
        guard case let .set(patch) = edit else { return [] }
        return targets.flatMap { lights(in: $0) }.unique(by: \.id).compactMap { $0.shortfall(of: patch) }
    }
}

extension [Light] {
    /// "'Desk', 'Fan'"
    fileprivate var names: String { map { "'\($0.name)'" }.joined(separator: ", ") }
}
