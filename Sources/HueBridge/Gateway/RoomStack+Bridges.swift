import Lighting

extension RoomStack {
    /// Commands to rooms and zones, each put into the queue of its bridge.
    init(ask: @escaping LightStack.Ask) {
        self.init(
            create: { kind, name, lights, bridge, reply in
                let new = Room.ID(bridge, BridgeConnection.Parts.newID)
                ask(bridge, { reply($0.result(new)) }) { $0.create(kind, named: name, of: lights, reply, at: $1) }
            },
            add: { lights, room, reply in ask(room.bridge, reply) { $0.add(lights, to: room, reply, at: $1) } },
            remove: { lights, room, reply in
                ask(room.bridge, reply) { $0.remove(lights, from: room, reply, at: $1) }
            },
            delete: { room, reply in ask(room.bridge, reply) { $0.delete(room, reply, at: $1) } }
        )
    }
}

extension SceneStack {
    /// Commands to scenes, each put into the queue of its bridge.
    init(ask: @escaping LightStack.Ask) {
        self.init(
            save: { name, lights, room, reply in
                let new = Scene.ID(room.bridge, BridgeConnection.Parts.newID)
                ask(room.bridge, { reply($0.result(new)) }) {
                    $0.saveScene(named: name, of: lights, in: room, reply, at: $1)
                }
            },
            update: { scene, reply in ask(scene.bridge, reply) { $0.update(scene, reply, at: $1) } },
            edit: { scene, states, removed, reply in
                ask(scene.bridge, reply) { $0.edit(scene, setting: states, removing: removed, reply, at: $1) }
            },
            rename: { scene, name, reply in ask(scene.bridge, reply) { $0.rename(scene, to: name, reply, at: $1) } },
            delete: { scene, reply in ask(scene.bridge, reply) { $0.delete(scene, reply, at: $1) } },
            read: { scene, reply in ask(scene.bridge, { reply($0.result([])) }) { $0.read(scene, reply, at: $1) } },
            deactivate: { scene, reply in ask(scene.bridge, reply) { $0.deactivate(scene, reply, at: $1) } }
        )
    }
}

extension SensorStack {
    /// Commands to sensors, each put into the queue of its bridge.
    init(ask: @escaping LightStack.Ask) {
        self.init { sensor, isEnabled, reply in
            ask(sensor.bridge, reply) { $0.enable(sensor, isEnabled, reply, at: $1) }
        }
    }
}

extension Outcome {
    fileprivate func result<Value>(_ value: Value) -> Result<Value, Failure> {
        failure.map { .failure($0) } ?? .success(value)
    }
}
