public import ControlProtocol
import HashTreeCollections
import Lighting

/// What is bound.
extension Directory {
    /// A scene of the target if it is a room, by its name alone; otherwise as elsewhere.
    func scene(named text: String, of target: Target) throws(ErrorReply) -> Scene.ID {
        if case let .room(room) = target {
            let called = scenes.filter { $0.room == room && $0.name.lowercased() == text.lowercased() }
            if let scene = called.first, called.count == 1 { return scene.id }
        }
        return try scene(named: text)
    }

    /// A bound switch by its name, or by the name that it had when it was bound.
    func boundSwitch(named text: String) throws(ErrorReply) -> Sensor.ID {
        let bound = state.bindings.values.filter { $0.names.name(of: $0.id)?.lowercased() == text.lowercased() }
        if case .unknown = sensor(text), let binding = bound.first, bound.count == 1 { return binding.id }
        return try sensor(named: text)
    }

    /// By the names of the switches.
    public var bindingBodies: [BindingBody] {
        state.bindings.values.sorted { NameOrder(state.name(of: $0), $0.id) }.map { body(of: $0) }
    }

    func body(of binding: SwitchBinding) -> BindingBody {
        BindingBody(
            id: binding.id.description, name: state.name(of: binding), target: binding.target.text,
            targetName: targetName(of: binding), scenes: state.scenes(of: binding).map { sceneName($0, of: binding) },
            controls: state.sensors[binding.id].map { controls(of: $0, binding) } ?? [], problem: problem(of: binding))
    }

    /// "@Living": also of one that is gone.
    func targetName(of binding: SwitchBinding) -> String {
        switch binding.target {
        case let .light(id): name(of: id) ?? binding.names.name(of: id) ?? id.description
        case let .room(id): "@" + (name(of: id) ?? binding.names.name(of: id) ?? id.description)
        case .all: "all"
        }
    }

    private func sceneName(_ id: Scene.ID, of binding: SwitchBinding) -> String {
        scene(id)?.name ?? binding.names.name(of: id) ?? id.description
    }

    /// Why it does nothing, or not all that it should; `nil` if nothing is wrong, or the bridge has not been read yet.
    private func problem(of binding: SwitchBinding) -> String? {
        func isGone(_ bridge: Bridge.ID, _ isKnown: Bool) -> Bool {
            !isKnown && self.bridge(bridge)?.isConnected == true
        }
        if isGone(binding.id.bridge, state.sensors[binding.id] != nil) { return "the switch no longer exists" }
        let isTargetGone =
            switch binding.target {
            case let .light(id): isGone(id.bridge, light(id) != nil)
            case let .room(id): isGone(id.bridge, room(id) != nil)
            case .all: false
            }
        if isTargetGone { return "\(targetName(of: binding)) no longer exists" }
        return (binding.scenes ?? []).first { isGone($0.bridge, scene($0) != nil) }.map {
            "scene '\(sceneName($0, of: binding))' no longer exists"
        }
    }

    /// What its buttons and its dial do, in words.
    private func controls(of sensor: Sensor, _ binding: SwitchBinding) -> [BindingBody.Control] {
        let scenes = state.scenes(of: binding).map { "'\(sceneName($0, of: binding))'" }
        let buttons = sensor.roles.sorted { $0.key < $1.key }.map { number, role in
            BindingBody.Control(control: "button \(number)", does: role.words(scenes))
        }
        guard sensor.abilities.contains(.dial) else { return buttons }
        return buttons + [.init(control: "dial", does: "brighter and darker, with the lights' ratios; from off, on")]
    }
}

extension ButtonRole {
    fileprivate func words(_ scenes: [String]) -> String {
        switch self {
        case .on where scenes.isEmpty: "on"
        case .on: "on; again: \(scenes.joined(separator: ", "))"
        case .off: "off"
        case .brighter: "brighter, also while held"
        case .darker: "darker, also while held"
        case let .scene(number, holds):
            (scenes.indices.contains(number) ? scenes[number] : "on and off") + (holds ? "; held: off" : "")
        case .toggle: "on and off; held: brighter or darker in turns"
        }
    }
}
