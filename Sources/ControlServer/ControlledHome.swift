public import Khipu
public import Lighting

/// What the control API is in front of: the state to read, the place where commands are handed in, and what
/// `/v1/status` tells of the process.
public struct ControlledHome: Sendable {
    let store: AppStore
    let requests: PendingRequests<Message>
    let clock: Clock
    let version: String
    let started: Timestamp
    let journalIsOn: Bool

    /// - Parameters:
    ///   - requests: its receiver must stand in the domain's list, else no command is ever answered.
    ///   - clock: for tickets, and for the waits that are told in minutes and seconds of the home.
    ///   - started: when the process began; event ids rise from there, so that those of an earlier process are older.
    public init(
        store: AppStore, requests: PendingRequests<Message>, clock: Clock, version: String, started: Timestamp,
        journalIsOn: Bool
    ) {
        self.store = store
        self.requests = requests
        self.clock = clock
        self.version = version
        self.started = started
        self.journalIsOn = journalIsOn
    }
}
