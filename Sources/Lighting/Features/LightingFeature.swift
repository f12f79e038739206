public import Khipu

/// Lights, rooms and scenes: knowing them, and changing them.
@DomainActor
public func createLightingFeature(
    store: AppStore,
    stack: LightStack,
    archive: Archive,
    clock: Clock,
    output: @escaping Output<Message>
) -> Input<Message> {
    let loader = LightLoader(stack: stack, responder: process(on: output))
    let switcher = LightSwitcher(store: store, stack: stack, responder: process(on: output))
    let setter = LightValueSetter(store: store, stack: stack, responder: process(on: output))
    let dimmer = Dimmer(store: store, stack: stack, responder: process(on: output))
    let namer = LightNamer(store: store, stack: stack, responder: process(on: output))
    let recaller = SceneRecaller(store: store, stack: stack, responder: process(on: output))
    let listener = UpdateApplier(store: store, archive: archive, responder: process(on: output))
    let powerups = PowerupSetter(store: store, stack: stack, responder: process(on: output))
    let undoer = Undoer(store: store, stack: stack, responder: process(on: output))
    let wishes = ExpectationTracker(store: store, clock: clock, responder: process(on: output))

    stack.listen { update in
        output(.lighting(.reported(update), ticket: .unasked(from: "bridge \(update.bridge)", at: clock.now())))
    }

    // swift-format-ignore
    @DomainActor func execute(_ command: Message.Lighting, _ ticket: Ticket) {
        switch command {
        case let .load    (what)                               : loader  .request(to: .load(what, ticket))
        case let .turn    (turn, target, over: time)           : switcher.request(to: .turn(turn, target, time, ticket))
        case let .toggle  (target, over: time)                 : switcher.request(to: .toggle(target, time, ticket))
        case let .apply   (.values(v), on: target, over: time) : setter  .request(to: .apply(v, target, time, ticket))
        case let .change  (.name(name), on: target)            : namer   .request(to: .name(target, name, ticket))
        case let .change  (.powerup(p), on: target)            : powerups.request(to: .set(p, target, ticket))
        case let .increase(v, by: step, on: t, over: time)     : dimmer  .request(to: .increase(v, by: step, on: t, time, ticket))
        case let .decrease(v, by: step, on: t, over: time)     : dimmer  .request(to: .decrease(v, by: step, on: t, time, ticket))
        case let .recall  (scene, over: time)                  : recaller.request(to: .recall(scene, time, ticket))

        case let .undo    (count, over: time)                  : undoer  .request(to: .undo(count, time, ticket))
        case let .redo    (count, over: time)                  : undoer  .request(to: .redo(count, time, ticket))

        case let .reported(update):
            listener.request(to: .hear(update, at: ticket.time))
            wishes  .request(to: .look)

        // Our own answers: a wish is settled by its outcome, a name by the bridge having taken it.
        case let .changing(.name(name), on: target, .succeeded): listener.request(to: .hear(.renamed(target, to: name), at: ticket.time))
        case let .recalling(scene, .succeeded)                 : recaller.request(to: .note(scene, ticket)); answered(ticket, .succeeded)
        case let .undoing   (_, outcome)                       ,
             let .redoing   (_, outcome)                       : undoer.request(to: .note(ticket, outcome)); answered(ticket, outcome)
        case let .turning   (_, _, outcome)                    ,
             let .toggling  (_, _, outcome)                    ,
             let .applying  (_, _, outcome)                    ,
             let .increasing(_, _, _, outcome)                 ,
             let .decreasing(_, _, _, outcome)                 ,
             let .recalling (_, outcome)                       : answered(ticket, outcome)
        case .settled(.failed)                                 : wishes.request(to: .giveUp(ticket))
        case .loading, .changing, .settled(.succeeded)         : break
        }
    }

    @DomainActor func answered(_ ticket: Ticket, _ outcome: Outcome) {
        store.change(by: .updating(.history(by: .closing(.step(of: ticket)))))
        wishes.request(to: .settle(ticket, outcome))
    }

    return { message in
        if case let .lighting(command, ticket) = message { execute(command, ticket) }
    }
}

extension BridgeUpdate {
    var bridge: Bridge.ID {
        switch self {
        case let .home(bridge, _, _, _): bridge
        case let .light(id, _): id.bridge
        case let .renamed(.light(id), _), let .removed(.light(id)): id.bridge
        case let .renamed(.room(id), _), let .removed(.room(id)): id.bridge
        case let .removed(.scene(id)): id.bridge
        case let .added(.light(light)): light.id.bridge
        case let .added(.room(room)): room.id.bridge
        case let .added(.scene(scene)): scene.id.bridge
        case .renamed(.all, _): Bridge.ID("")
        }
    }
}

private func process(on output: @escaping Output<Message>) -> Output<LightLoader.Response> {
    {
        switch $0 {
        case let .loading(what, outcome, ticket): output(.lighting(.loading(what, outcome), ticket: ticket))
        }
    }
}

private func process(on output: @escaping Output<Message>) -> Output<LightSwitcher.Response> {
    {
        switch $0 {
        case let .turning(turn, target, outcome, ticket):
            output(.lighting(.turning(turn, target, outcome), ticket: ticket))
        case let .toggling(target, to: turn, outcome, ticket):
            output(.lighting(.toggling(target, to: turn, outcome), ticket: ticket))
        }
    }
}

private func process(on output: @escaping Output<Message>) -> Output<LightValueSetter.Response> {
    {
        switch $0 {
        case let .applying(setting, target, outcome, ticket):
            output(.lighting(.applying(.values(setting), on: target, outcome), ticket: ticket))
        }
    }
}

private func process(on output: @escaping Output<Message>) -> Output<Dimmer.Response> {
    {
        switch $0 {
        case let .increasing(value, by: step, on: target, outcome, ticket):
            output(.lighting(.increasing(value, by: step, on: target, outcome), ticket: ticket))
        case let .decreasing(value, by: step, on: target, outcome, ticket):
            output(.lighting(.decreasing(value, by: step, on: target, outcome), ticket: ticket))
        }
    }
}

private func process(on output: @escaping Output<Message>) -> Output<LightNamer.Response> {
    {
        switch $0 {
        case let .naming(target, name, outcome, ticket):
            output(.lighting(.changing(.name(name), on: target, outcome), ticket: ticket))
        }
    }
}

private func process(on output: @escaping Output<Message>) -> Output<SceneRecaller.Response> {
    {
        switch $0 {
        case let .recalling(scene, outcome, ticket): output(.lighting(.recalling(scene, outcome), ticket: ticket))
        }
    }
}

private func process(on output: @escaping Output<Message>) -> Output<UpdateApplier.Response> {
    {
        switch $0 {
        case let .notKept(failure, at: time): output(.unsaved(failure, at: time))
        }
    }
}

private func process(on output: @escaping Output<Message>) -> Output<PowerupSetter.Response> {
    {
        switch $0 {
        case let .setting(powerup, target, outcome, ticket):
            output(.lighting(.changing(.powerup(powerup), on: target, outcome), ticket: ticket))
        }
    }
}

private func process(on output: @escaping Output<Message>) -> Output<Undoer.Response> {
    {
        switch $0 {
        case let .undoing(reversal, outcome, ticket): output(.lighting(.undoing(reversal, outcome), ticket: ticket))
        case let .redoing(reversal, outcome, ticket): output(.lighting(.redoing(reversal, outcome), ticket: ticket))
        }
    }
}

private func process(on output: @escaping Output<Message>) -> Output<ExpectationTracker.Response> {
    {
        switch $0 {
        case let .settled(ticket, outcome): output(.lighting(.settled(outcome), ticket: ticket))
        }
    }
}
