public import Khipu

// swift-format-ignore
extension Message {
    public enum Lighting: Equatable, Codable, Sendable {
        // Commands, each followed by its response.
        /// Reads everything from the bridges again.
        case load
        case loading   (Outcome)
        case turn      (Turn, Target, over: Transition)
        case turning   (Turn, Target, Outcome)
        /// Off if anything in the target is on and has power, otherwise on; decided when the command is carried out.
        case toggle    (Target, over: Transition)
        case toggling  (Target, to: Turn, Outcome)
        case apply     (ValueChange, on: Target, over: Transition)
        case applying  (ValueChange, on: Target, Outcome)
        case change    (Attribute, on: Target)
        case changing  (Attribute, on: Target, Outcome)
        case increase  (LightValue, by: Increment, on: Target, over: Transition)
        case increasing(LightValue, by: Increment, on: Target, Outcome)
        case decrease  (LightValue, by: Increment, on: Target, over: Transition)
        case decreasing(LightValue, by: Increment, on: Target, Outcome)
        case recall    (Scene.ID, over: Transition, moving: SceneMotion? = nil)
        case recalling (Scene.ID, Outcome)
        /// Makes each light show its state; sends what it does not show yet.
        case restore   ([DesiredState], over: Transition)
        /// The lights that did not show it.
        case restoring ([Light.ID], Outcome)
        /// Reverts the newest commands, light by light: this many, or all down to the one with this ticket's number,
        /// which is refused if somebody else's came after it. Skips lights that somebody else has changed since.
        case undo      (Int, downTo: UInt64? = nil, over: Transition)
        case undoing   (Reversal, Outcome)
        case redo      (Int, over: Transition)
        case redoing   (Reversal, Outcome)
        /// A step of what lights follow. No step to undo: what was done before goes on.
        case follow    ([DesiredState], over: Transition)
        case following (Outcome)
        /// Makes lamps blink, and leaves them as they were.
        case identify  (Target)
        case identifying(Target, Outcome)
        case signal    (Light.Signal, on: Target)
        case signaling (Light.Signal, on: Target, Outcome)

        // Facts.
        /// A bridge reported something.
        case reported  (BridgeUpdate)
        /// A bridge reported its whole home, as the journal keeps it: what differed from what was known.
        case reread    (HomeDifference)
        /// Follows the response: every value that the command has sent is confirmed, overtaken by a newer command, or
        /// given up.
        case settled   (Outcome)

        public enum ValueChange: Equatable, Codable, Sendable {
            case values(LightPatch)
            /// Brings the mean brightness of the lights that are on there, and keeps their ratios.
            case mean(brightness: Double)
            /// Steps that mean; below 0 to step down. Nothing goes off, and nothing is turned on.
            case meanStep(Increment)
        }
        public enum Attribute  : Equatable, Sendable { case name(String), configuration(LightConfiguration.Change) }
        /// A step: `.pt(10)` is ten per cent of the range, `.lightness(10)` is, of the brightness, a tenth of what the eye
        /// sees from dark to full.
        public enum Increment  : Equatable, Codable, Sendable { case pt(Double), lightness(Double) }

        public var outcome: Outcome? {
            switch self {
            case let .loading(o), let .turning(_, _, o), let .toggling(_, _, o), let .applying(_, _, o),
                 let .changing(_, _, o), let .increasing(_, _, _, o), let .decreasing(_, _, _, o), let .recalling(_, o),
                 let .restoring(_, o), let .undoing(_, o), let .redoing(_, o), let .following(o), let .identifying(_, o),
                 let .signaling(_, _, o): o
            case .load, .turn, .toggle, .apply, .change, .increase, .decrease, .recall, .restore, .undo, .redo, .follow, .identify,
                 .signal, .reported, .reread, .settled: nil
            }
        }

        /// What became of the values that the command with the same ticket has sent; `nil` if this message does not
        /// say.
        public var settlement: Outcome? { if case let .settled(outcome) = self { outcome } else { nil } }

        /// Older journals name what was loaded under `_0`.
        enum LoadingCodingKeys: String, CodingKey { case _0 = "_1" }
    }
}

// As journals have it: each property of the configuration beside the name.
extension Message.Lighting.Attribute: Codable {
    private enum Stored: Codable { case name(String) }

    public init(from decoder: any Decoder) throws {
        if case let .name(name)? = try? Stored(from: decoder) {
            self = .name(name)
        } else {
            self = .configuration(try LightConfiguration.Change(from: decoder))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case let .name(name): try Stored.name(name).encode(to: encoder)
        case let .configuration(change): try change.encode(to: encoder)
        }
    }
}

/// Lights, rooms and scenes: loads them, changes them, and applies what bridges report.
@DomainActor
public func createLightingFeature(
    store: AppStore,
    stack: LightStack,
    arrangements: ArrangementQueue,
    archive: Archive,
    clock: Clock,
    commands: CommandsUnderWay,
    output: @escaping Output<Message>
) -> Input<Message> {
    func responder<Response>(_ message: @escaping @Sendable (Response) -> Message.Lighting) -> Responder<Response> {
        { output(.lighting(message($0), ticket: $1)) }
    }
    let loader = LightLoader(stack: stack, respond: responder(Message.Lighting.init))
    let switcher = LightSwitcher(commands: commands, respond: responder(Message.Lighting.init))
    let setter = LightValueSetter(commands: commands, respond: responder(Message.Lighting.init))
    let dimmer = Dimmer(commands: commands, respond: responder(Message.Lighting.init))
    let namer = LightNamer(
        store: store, stack: stack, arrangements: arrangements, respond: responder(Message.Lighting.init))
    let configurator = LightConfigurator(store: store, stack: stack, respond: responder(Message.Lighting.init))
    let recaller = SceneRecaller(store: store, commands: commands, respond: responder(Message.Lighting.init))
    let restorer = LightRestorer(commands: commands, respond: responder(Message.Lighting.init))
    let identifier = LightIdentifier(store: store, stack: stack, respond: responder(Message.Lighting.init))
    let updates = UpdateApplier(store: store, archive: archive) { response, ticket in
        switch response {
        case let .notSaved(failure): output(.notSaved(failure, at: ticket.time))
        }
    }

    stack.listen { update in
        output(.lighting(.reported(update), ticket: .unasked(from: "bridge \(update.bridge)", at: clock.now())))
    }

    // swift-format-ignore
    @DomainActor func execute(_ message: Message.Lighting, _ ticket: Ticket) {
        switch message {
        case     .load                                         : loader  .request(to: .load, ticket: ticket)
        case let .turn    (turn, target, over: time)           : switcher.request(to: .turn(turn, target, time), ticket: ticket)
        case let .toggle  (target, over: time)                 : switcher.request(to: .toggle(target, time), ticket: ticket)
        case let .apply   (values, on: target, over: time)     : setter  .request(to: .apply(values, target, time), ticket: ticket)
        case let .change  (.name(name), on: target)            : namer   .request(to: .name(target, name), ticket: ticket)
        case let .change  (.configuration(c), on: target)      : configurator.request(to: .configure(c, target), ticket: ticket)
        case let .increase(v, by: step, on: t, over: time)     : dimmer  .request(to: .increase(v, by: step, on: t, time), ticket: ticket)
        case let .decrease(v, by: step, on: t, over: time)     : dimmer  .request(to: .decrease(v, by: step, on: t, time), ticket: ticket)
        case let .recall  (scene, over: time, moving: motion)  : recaller.request(to: .recall(RecalledScene(scene, motion: motion), time), ticket: ticket)
        case let .restore (states, over: time)                 : restorer.request(to: .restore(states, time), ticket: ticket)
        case let .follow  (states, over: time)                 : restorer.request(to: .follow(states, time), ticket: ticket)
        case let .identify(target)                             : identifier.request(to: .identify(target), ticket: ticket)
        case let .signal  (signal, on: target)                 : identifier.request(to: .signal(signal, target), ticket: ticket)

        case let .reported(update)                             : updates .request(to: .apply(update), ticket: ticket)
        case let .reread(difference)                           : updates .request(to: .complete(difference), ticket: ticket)
        case let .changing(.name, on: _, outcome)              : arrangements.finish(ticket, outcome)
        case let .changing(.configuration(c), on: target, outcome): configurator.request(to: .record(c, target, outcome), ticket: ticket)
        case let .recalling(scene, .succeeded)                 : recaller.request(to: .recordCause(scene), ticket: ticket)

        case .loading, .turning, .toggling, .applying, .increasing, .decreasing, .recalling, .restoring, .following,
             .identifying, .signaling: break
        case .undo, .undoing, .redo, .redoing, .settled        : break // for the undo feature
        }
    }

    return { message in
        if case let .lighting(message, ticket) = message { execute(message, ticket) }
    }
}

// swift-format-ignore
extension Message.Lighting {
    fileprivate init(_ response: LightLoader.Response) {
        switch response {
        case let .loading(outcome): self = .loading(outcome)
        }
    }

    fileprivate init(_ response: LightSwitcher.Response) {
        switch response {
        case let .turning (turn, target, outcome)    : self = .turning(turn, target, outcome)
        case let .toggling(target, to: turn, outcome): self = .toggling(target, to: turn, outcome)
        }
    }

    fileprivate init(_ response: LightValueSetter.Response) {
        switch response {
        case let .applying(values, target, outcome): self = .applying(values, on: target, outcome)
        }
    }

    fileprivate init(_ response: Dimmer.Response) {
        switch response {
        case let .increasing(value, by: step, on: target, outcome): self = .increasing(value, by: step, on: target, outcome)
        case let .decreasing(value, by: step, on: target, outcome): self = .decreasing(value, by: step, on: target, outcome)
        }
    }

    fileprivate init(_ response: LightNamer.Response) {
        switch response {
        case let .naming(target, name, outcome): self = .changing(.name(name), on: target, outcome)
        }
    }

    fileprivate init(_ response: LightConfigurator.Response) {
        switch response {
        case let .configuring(change, target, outcome): self = .changing(.configuration(change), on: target, outcome)
        }
    }

    fileprivate init(_ response: LightIdentifier.Response) {
        switch response {
        case let .identifying(target, outcome): self = .identifying(target, outcome)
        case let .signaling(signal, target, outcome): self = .signaling(signal, on: target, outcome)
        }
    }

    fileprivate init(_ response: SceneRecaller.Response) {
        switch response {
        case let .recalling(scene, outcome): self = .recalling(scene, outcome)
        }
    }

    fileprivate init(_ response: LightRestorer.Response) {
        switch response {
        case let .restoring(lights, outcome): self = .restoring(lights, outcome)
        case let .following(outcome)        : self = .following(outcome)
        }
    }
}
