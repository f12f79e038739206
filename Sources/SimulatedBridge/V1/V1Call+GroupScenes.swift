import HueWire

/// `/groups/ID/scenes` of deCONZ, which keeps scenes in their groups and numbers them there
/// (dresden-elektronik/deconz-rest-doc).
extension V1Call {
    private typealias NumberedScene = (number: Int, scene: SimulatedHome.Scene)

    /// - Parameter path: what follows "scenes".
    func scenes(of group: V1GroupView, _ path: [String]) throws(V1Failure) -> V1Outcome {
        let scenes = numberedScenes(of: group)
        switch (request.method, path.first, path.dropFirst().first, path.count) {
        case ("GET", nil, _, _): return .document(list(of: scenes))
        case ("POST", nil, _, _): return try createScene(of: group, beside: scenes)
        case (_, nil, _, _): throw notAllowed
        case let (method, number?, part, count):
            guard let place = scenes.firstIndex(where: { "\($0.number)" == number }) else { throw absent }
            let scene = scenes[place].scene
            switch (method, part, count) {
            case ("GET", nil, _): return .document(document(of: scene))
            case ("PUT", nil, _): return try rename(scene)
            case ("DELETE", nil, _):
                // The others keep the numbers that clients know.
                let kept = scenes.filter { $0.scene.id != scene.id }.map(numbering)
                return .done([.success(id: number)], kept + [.removing(.scene(scene.id))])
            case ("PUT", "store", 2): return .done([.success(id: number)], [store(scene)])
            case ("PUT", "recall", 2):
                let recalled = recalling(scene, on: group, over: nil)
                return .done([.success(id: number)], recalled.changes, recalled.radio)
            case (_, nil, _), (_, "store", 2), (_, "recall", 2): throw notAllowed
            default: throw absent
            }
        }
    }

    /// The scenes as a group lists them.
    func sceneNames(of group: V1GroupView) -> JSONValue {
        .array(numberedScenes(of: group).map { ["id": .string("\($0.number)"), "name": .string($0.scene.name)] })
    }

    /// A scene without a number, from a home file, has the first one that is free.
    private func numberedScenes(of group: V1GroupView) -> [NumberedScene] {
        guard case let .group(own) = group.origin else { return [] }
        let scenes = home.scenes.filter { $0.group == own.id }
        var taken = Set(scenes.compactMap(\.number))
        return scenes.map { scene in
            let number = scene.number ?? firstFree(beside: taken)
            taken.insert(number)
            return (number, scene)
        }
    }

    private func firstFree(beside taken: Set<Int>) -> Int {
        var number = 1
        while taken.contains(number) { number += 1 }
        return number
    }

    // MARK: - Documents

    private func list(of scenes: [NumberedScene]) -> JSONValue {
        let documents = scenes.map { number, scene -> (String, JSONValue) in
            let lights = scene.actions.compactMap { home.lamp($0.lamp) }.map { JSONValue.string("\($0.number)") }
            return ("\(number)", ["name": .string(scene.name), "lights": .array(lights)])
        }
        return .object(Dictionary(documents) { first, _ in first })
    }

    private func document(of scene: SimulatedHome.Scene) -> JSONValue {
        let lights = scene.actions.compactMap { action -> JSONValue? in
            guard let lamp = home.lamp(action.lamp) else { return nil }
            var state = action.stateV1(of: lamp)
            if case let .color(xy)? = action.tint {
                state["xy"] = nil
                (state["x"], state["y"]) = (.int(Int(xy.x * 65535)), .int(Int(xy.y * 65535)))
            }
            state["transitiontime"] = state["transitiontime"] ?? 0
            state["id"] = .string("\(lamp.number)")
            return .object(state)
        }
        return ["name": .string(scene.name), "lights": .array(lights), "state": 0]
    }

    // MARK: - Changing

    /// A name that the group has already stores in that scene.
    private func createScene(of group: V1GroupView, beside scenes: [NumberedScene]) throws(V1Failure) -> V1Outcome {
        let name = try sceneName
        guard case let .group(own) = group.origin else { throw absent }
        if let same = scenes.first(where: { $0.scene.name == name }) {
            return .done([.success(id: "\(same.number)")], [store(same.scene)])
        }
        guard home.scenes.count < Capacity.scenes else { throw V1Failure(.scenesFull) }
        let number = firstFree(beside: Set(scenes.map(\.number)))
        let scene = SimulatedHome.Scene(
            id: context.newID(.scene), name: name, group: own.id, groupKind: own.kind,
            actions: group.lamps.map { SimulatedHome.Scene.Action($0) }, extrasV1: ["number": .int(number)])
        return .done([.success(id: "\(number)")], [.adding(.scene(scene))])
    }

    private func rename(_ scene: SimulatedHome.Scene) throws(V1Failure) -> V1Outcome {
        let name = try sceneName
        return .done(
            [.success("\(address)/name", .string(name))], [.updating(.scene(scene.id, by: [.renaming(.it(to: name))]))])
    }

    private var sceneName: String {
        get throws(V1Failure) {
            let reader = V1BodyReader(address)
            guard let value = try body()["name"] else { throw V1Failure(.missing(address)) }
            return try reader.text(value, "name")
        }
    }

    private func store(_ scene: SimulatedHome.Scene) -> SimulatedHome.Change {
        let actions = scene.actions.compactMap { home.lamp($0.lamp) }.map { SimulatedHome.Scene.Action($0) }
        return .updating(.scene(scene.id, by: [.setting(.actions(to: actions))]))
    }

    private func numbering(_ numbered: NumberedScene) -> SimulatedHome.Change {
        let extras = numbered.scene.extrasV1.merging(["number": .int(numbered.number)])
        return .updating(.scene(numbered.scene.id, by: [.setting(.extrasV1(to: extras))]))
    }
}

extension SimulatedHome.Scene {
    /// Its number in its group, if a gateway like deCONZ has given it one.
    fileprivate var number: Int? { extrasV1["number"]?.int }
}
