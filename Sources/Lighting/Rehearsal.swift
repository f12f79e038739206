import Khipu
import Synchronization

/// Carries out a command on a copy of the application: nothing is sent, saved or recorded, and the state stays as it is.
///
/// - Parameters:
///   - state: what the copy begins with.
///   - rehearsal: what the copy controls.
///   - home: the time of the home, by which lights follow curves.
/// - Returns: the response, and the state that the command would lead to; no response if it is not about lights, rooms
///   or scenes.
@DomainActor
public func rehearse(
    _ command: Message, on state: AppState, _ rehearsal: LightRehearsal, time home: HomeTime
) -> (response: Message?, state: AppState) {
    let store = createAppStore(state)
    let messages = Mutex([command])
    let time = command.ticket.time
    let domain = createAppDomain(
        store: store, lights: rehearsal.lights, bridges: .inert, rooms: rehearsal.rooms, scenes: rehearsal.scenes,
        archive: .obedient, journal: .inert,
        clock: .stopped(at: time), time: Live(home),
        resolve: CommandResolver(
            message: { _, _, _ throws(Failure) in throw .invalid("a rehearsal runs no automations") },
            renamed: { command, _ in command }),
        tickets: { Ticket(number: .max, holder: $0, time: $1, gesture: $2) },
        output: { message in messages.withLock { $0.append(message) } })
    var response: Message?
    while let message = messages.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
        if message.isResponse, message.ticket == command.ticket { response = message }
        domain(message)
    }
    return (response, store.state())
}
