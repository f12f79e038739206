import Khipu
import Synchronization

/// Carries out a command on a copy of the application: nothing is sent, saved or recorded, and the state stays as it is.
///
/// - Parameters:
///   - state: what the copy begins with.
///   - rehearsal: what the copy controls.
/// - Returns: the response, and the state that the command would lead to; no response if it is not about lights, rooms
///   or scenes.
@DomainActor
public func rehearse(
    _ command: Message, on state: AppState, _ rehearsal: LightRehearsal
) -> (response: Message?, state: AppState) {
    let store = createAppStore(state)
    let messages = Mutex([command])
    let time = command.ticket.time
    let domain = createAppDomain(
        store: store, lights: rehearsal.lights, bridges: .inert, rooms: rehearsal.rooms, scenes: rehearsal.scenes,
        archive: .inert, journal: .inert,
        clock: Clock(now: { time }, wake: { _, _ in }), output: { message in messages.withLock { $0.append(message) } })
    var response: Message?
    while let message = messages.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
        if message.isResponse, message.ticket == command.ticket { response = message }
        domain(message)
    }
    return (response, store.state())
}

// Gateways that do nothing: what they are asked for is not about lights.

extension BridgeStack {
    fileprivate static var inert: Self {
        Self(
            discover: { _, _ in }, pair: { _, _, _ in }, connect: { _ in }, revoke: { _ in }, forget: { _, _ in },
            listen: { _ in })
    }
}

extension Archive {
    fileprivate static var inert: Self {
        Self(keep: { _, _ in }, drop: { _, _ in }, check: { _ in }, remember: { _ in })
    }
}

extension Journal {
    fileprivate static var inert: Self { Self(append: { _, _, _ in }, list: { _, _ in }, prune: { _, _ in }) }
}
