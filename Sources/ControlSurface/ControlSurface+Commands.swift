public import ControlProtocol
import HashTreeCollections
import Khipu
public import Lighting

extension ControlSurface {
    /// Carries out a command and waits for its outcome, or with `wait` for its confirmation.
    ///
    /// - Parameters:
    ///   - client: who asks, for the journal and for a light's cause.
    ///   - submitted: is called when the domain has the command: one that is submitted later is carried out later.
    /// - Throws: ``ErrorReply`` if the command is wrong, fails or is not confirmed; `CancellationError` if the caller's
    ///   task is cancelled first. A command that was submitted runs its course all the same.
    public func perform(
        _ request: CommandRequest, from client: String, submitted: @escaping @Sendable () -> Void = {}
    ) async throws -> CommandReply {
        try request.validate()
        if request.command.isAboutTheHome { await waitUntilBridgesAreTried() }
        let now = clock.now()
        if case let .runAutomation(automation: name) = request.command, request.dryRun {
            return try await rehearsedRun(of: try directory.automation(named: name), from: client)
        }
        let home = directory
        let command = try request.command.timed(by: time, at: now).resolved(in: home, at: now)
        guard !request.dryRun else { return try await rehearsed(command, from: client, at: now) }
        let gesture = request.gesture
        let message: @Sendable (Ticket) -> Message = { ticket in
            defer { submitted() }
            return command.message(ticket)
        }
        let (response, outcome) =
            request.wait
            ? try await confirmed(message, from: client, at: now, gesture: gesture)
            : try await answered(message, from: client, at: now, gesture: gesture)
        if case let .bridges(.pairing(bridge?, .succeeded), _) = response { await waitUntilConnected(bridge) }
        let directory = directory
        if var error = command.error(after: outcome, in: directory) {
            if error.error.code == .partly { error.error.ticket = response.ticket.number }
            throw error
        }
        var reply = command.reply(to: response, in: directory)
        if case let .following(.following(course, on: target, _), _) = response {
            reply.following = directory.state.followings.all.last { $0.course == course && $0.target == target }
                .map { directory.body(of: $0) }
        }
        if case let .automations(message, _) = response {
            reply.automation = directory.automation(of: message).map {
                directory.body(of: $0, at: clock.now(), in: time)
            }
        }
        return reply
    }

    /// The entries of the journal that the filter lets through, oldest first.
    public func log(_ filter: Journal.Filter, from client: String) async throws -> [LogBody] {
        let entries = try await entries(filter, for: client)
        let directory = directory
        return entries.map { $0.body(in: directory) }
    }

    func entries(_ filter: Journal.Filter, for client: String) async throws -> [Journal.Entry] {
        let response = await requests.send(
            holder: client, at: clock.now(), withdrawal: { .logging(.withdraw, ticket: $0) }
        ) { .logging(.list(filter), ticket: $0) }
        guard let response else { throw CancellationError() }
        switch response {
        case let .logging(.listing(entries, .succeeded), _): return entries
        default:
            throw response.outcome?.failure?.reply(in: directory)
                ?? ErrorReply(.internalError, "the journal answered with something other than its entries")
        }
    }

    /// A scene with what it sets on each light, read from its bridge.
    ///
    /// - Throws: ``ErrorReply`` if there is no such scene, or its bridge does not answer.
    public func scene(named name: String, from client: String) async throws -> SceneValuesBody {
        let scene = try directory.scene(named: name)
        let response = try await ask({ .scenes(.read(scene), ticket: $0) }, from: client, at: clock.now())
        let directory = directory
        switch (response, directory.scene(scene)) {
        case let (.scenes(.reading(_, states, .succeeded), _), known?):
            return directory.body(of: known, setting: states)
        default:
            throw (response.outcome?.failure ?? Failure.noSuchScene(scene)).reply(in: directory)
        }
    }

    private func ask(
        _ message: @escaping @Sendable (Ticket) -> Message, from client: String, at now: Timestamp,
        gesture: String? = nil
    ) async throws -> Message {
        let response = await requests.send(holder: client, at: now, gesture: gesture, message)
        guard let response else { throw CancellationError() }
        return response
    }

    /// Says what a command would send, by carrying it out on copies of the state and of the bridges' queues.
    private func rehearsed(
        _ command: ResolvedCommand, from client: String, at now: Timestamp
    ) async throws -> CommandReply {
        let rehearsal = rehearsal()
        // No command ever gets this number.
        let message = command.message(Ticket(number: .max, holder: client, time: now))
        let (response, state) = await rehearse(message, on: await store.state(), rehearsal, time: time)
        let directory = Directory(state, in: time)
        guard let response else { throw ErrorReply(.internalError, "the command cannot be rehearsed") }
        var failing = command.unknown
        switch response.outcome?.failure {
        case nil: break
        case let .partly(parts, of: _)?: failing += parts.map { $0.body(in: directory) }
        case let failure?: throw command.error(after: .failed(failure), in: directory) ?? failure.reply(in: directory)
        }
        var reply = command.reply(to: response, in: directory)
        (reply.ticket, reply.lights, reply.room, reply.scene, reply.sensor) = (0, nil, nil, nil, nil)
        if case .lighting(.undoing, _) = response {
            reply.tickets = state.history.steps(reversedBy: message.ticket).compactMap(\.tickets.last?.number)
        }
        reply.requests = try await rehearsal.requests().map { $0.body(in: directory) }
        reply.failing = failing.isEmpty ? nil : failing
        return reply
    }

    private func answered(
        _ message: @escaping @Sendable (Ticket) -> Message, from client: String, at now: Timestamp, gesture: String?
    ) async throws -> (response: Message, outcome: Outcome?) {
        let response = try await ask(message, from: client, at: now, gesture: gesture)
        return (response, response.outcome)
    }

    /// Waits until everything that the command asked for is confirmed, also where a part of it failed at once.
    ///
    /// - Returns: the response, and how the command ended by then.
    private func confirmed(
        _ message: @escaping @Sendable (Ticket) -> Message, from client: String, at now: Timestamp, gesture: String?
    ) async throws -> (response: Message, outcome: Outcome?) {
        let messages = await requests.messages(for: client, at: now, gesture: gesture, until: { $0.isSettled }, message)
        guard let messages else { throw CancellationError() }
        guard let response = messages.last(where: { $0.isResponse }) else {
            throw ErrorReply(.internalError, "the command was settled but never answered")
        }
        // What was not confirmed also names what had failed before.
        let settlement = messages.last?.settlement
        return (response, settlement?.failure == nil ? response.outcome : settlement)
    }

    /// Waits until each paired bridge was tried once since the start: a command that comes in the first moments is for
    /// lights that are about to be known, and so is a list. Gives up after 5 s, in which a bridge that can be reached has
    /// answered.
    public func waitUntilBridgesAreTried() async {
        guard directory.bridges.contains(where: \.isNotTriedYet) else { return }
        let (tried, trial) = AsyncStream<Void>.makeStream()
        let subscription = await store.observe({ !$0.bridges.values.contains(where: \.isNotTriedYet) }) { areTried in
            if areTried { trial.finish() }
        }
        clock.wake(.seconds(5)) { trial.finish() }
        for await _ in tried {}
        await subscription.cancel()
    }

    /// Waits until the bridge's lights are known, so that a list right after pairing shows them. Gives up after 5 s,
    /// because the pairing itself has succeeded.
    private func waitUntilConnected(_ bridge: Bridge.ID) async {
        let (connected, connection) = AsyncStream<Void>.makeStream()
        let subscription = await store.observe({ $0.bridges[bridge]?.isConnected ?? false }) { isConnected in
            if isConnected { connection.finish() }
        }
        clock.wake(.seconds(5)) { connection.finish() }
        for await _ in connected {}
        await subscription.cancel()
    }
}

extension ResolvedCommand {
    /// What went wrong, or would: the parts that name no light, and those that failed; `nil` if nothing did.
    fileprivate func error(after outcome: Outcome?, in home: Directory) -> ErrorReply? {
        let error = outcome?.failure?.reply(in: home)
        guard !unknown.isEmpty else { return error }
        guard let error else {
            return ErrorReply(.partly, "\(unknown.count) of \(parts) failed", parts: unknown)
        }
        let others = ErrorReply.Part(
            target: "the others", code: error.error.code, message: error.error.message,
            bridgeWords: error.error.bridgeWords)
        let failed = unknown + (error.error.parts ?? [others])
        let count = error.error.parts.map { unknown.count + $0.count } ?? parts
        return ErrorReply(.partly, "\(count) of \(parts) failed", hint: error.error.hint, parts: failed)
    }

    fileprivate func reply(to response: Message, in home: Directory) -> CommandReply {
        var reply = CommandReply(ticket: response.ticket.number)
        reply.scenes = scenes
        if !withheld.isEmpty { reply.withheld = home.bodies(of: withheld.compactMap { home.light($0) }) }
        let leftOut = lighting.map { home.bodies(of: home.state.shortfalls(of: $0)) } ?? []
        if !leftOut.isEmpty { reply.leftOut = leftOut }
        if let target { reply.lights = home.bodies(of: home.lights(of: target)) }
        if let scene = scene.flatMap({ home.scene($0) }) {
            reply.lights = home.bodies(of: home.lights(of: scene).compactMap { home.light($0) })
        }
        switch response {
        case let .bridges(.discovering(found, _), _):
            reply.discovered = found.map { discovery in
                discovery.body(paired: discovery.id.map { home.bridge($0) != nil } ?? false)
            }
        case let .bridges(.pairing(bridge?, _), _):
            reply.bridge = home.bridge(bridge).map { home.body(of: $0) }
        case let .rooms(.creating(_, _, room?, _, leaving), _), let .rooms(.adding(_, to: room, _, leaving), _):
            reply.room = home.room(room).map { home.body(of: $0) }
            reply.moved = leaving?.map { home.body(of: $0) }
        case let .rooms(.removing(_, from: room, _), _), let .lighting(.changing(.name, on: .room(room), _), _):
            reply.room = home.room(room).map { home.body(of: $0) }
        case let .lighting(.changing(.name, on: light, _), _):
            reply.warning = home.warning(afterRenaming: light)
        case let .scenes(.saving(_, scene?, _), _), let .scenes(.updating(scene, _), _),
            let .scenes(.renaming(scene, _, _), _), let .scenes(.deactivating(scene, _), _):
            reply.scene = home.scene(scene).map { home.body(of: $0) }
        case let .scenes(.editing(scene, of: targets, by: edit, _), _):
            reply.scene = home.scene(scene).map { home.body(of: $0) }
            let leftOut = home.bodies(of: home.state.shortfalls(of: edit, at: targets))
            if !leftOut.isEmpty { reply.leftOut = leftOut }
        case let .scenes(.reordering(scenesOf: room, _, _), _):
            reply.scenes = home.state.scenes(of: room).map(\.name)
        case .dashboard:
            reply.dashboard = home.pinBodies
        case let .switches(.binding(binding, _), _):
            reply.binding = home.body(of: binding)
        case let .switches(.enabling(id, _, _), _):
            reply.sensor = home.bodies(of: home.sensors.filter { $0.id == id }).first
        case let .presence(.previewing(uses, _), _):
            reply.away = home.awayBody(planning: uses)
        case .presence:
            reply.away = home.awayBody
        case let .lighting(.restoring(lights, _), _):
            reply.lights = home.bodies(of: lights.compactMap { home.light($0) })
        case let .lighting(.undoing(reversal, _), ticket), let .lighting(.redoing(reversal, _), ticket):
            reply.lights = home.bodies(of: reversal.lights.compactMap { home.light($0) })
            reply.steps = reversal.steps
            reply.commands = home.wordsOfCommands(reversedBy: ticket)
            reply.skipped = reversal.skipped.map { skipped in
                .init(
                    target: skipped.light.description, name: home.text(naming: .light(skipped.light)),
                    cause: skipped.cause.body(in: home))
            }
        default:
            break
        }
        return reply
    }
}

extension Directory {
    /// The lights that are not able to take all that a command asks of them.
    fileprivate func bodies(of shortfalls: [Shortfall]) -> [CommandReply.LeftOut] {
        shortfalls.map { shortfall in
            .init(
                target: shortfall.light.description, name: text(naming: .light(shortfall.light)),
                given: shortfall.given?.fields ?? [], reason: shortfall.failure.reply(in: self).error.message)
        }
    }
}

extension Message {
    /// The outcome of the command that this message answers, if it is an answer.
    fileprivate var settlement: Outcome? {
        if case let .lighting(message, _) = self { message.settlement } else { nil }
    }

    /// Whether nothing more comes of its command: it failed as a whole, or everything that was accepted has been confirmed
    /// or given up.
    fileprivate var isSettled: Bool { outcome?.failure?.isPartial == false || settlement != nil }
}

extension Command {
    /// Whether it needs lights, rooms, scenes or switches to be known.
    fileprivate var isAboutTheHome: Bool {
        switch self {
        case .discover, .pair, .forget, .prune, .show, .schedule, .cancelTimer, .setCurve, .removeCurve,
            .enableAutomation,
            .disableAutomation, .skipAutomation, .unskipAutomation, .runAutomation, .stopAutomation, .removeAutomation,
            .away:
            false
        default: true
        }
    }
}
