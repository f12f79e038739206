public import Khipu
public import Lighting

/// What the control API is in front of: the state to read, the counter at which commands are handed in, and what
/// `/v1/status` tells of the process.
public struct ControlledHome: Sendable {
    let store: AppStore
    let counter: Counter<Message>
    let clock: Clock
    let version: String
    let started: Timestamp
    let journalIsOn: Bool

    /// - Parameters:
    ///   - counter: its receiver must stand in the domain's list, else no command is ever answered.
    ///   - clock: for tickets, and for the waits that are told in minutes and seconds of the home.
    ///   - started: when the process began; event ids rise from there, so that those of an earlier process are older.
    public init(
        store: AppStore, counter: Counter<Message>, clock: Clock, version: String, started: Timestamp, journalIsOn: Bool
    ) {
        self.store = store
        self.counter = counter
        self.clock = clock
        self.version = version
        self.started = started
        self.journalIsOn = journalIsOn
    }
}
