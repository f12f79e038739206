import DequeModule
import Khipu
public import Lighting
import Synchronization

/// The newest state, readable from outside the domain, and a short memory of those before it. States share their
/// structure, so that a copy is free, and every follower compares the state it showed last with the newest one.
public final class LatestState: Sendable {
    public struct Snapshot: Sendable {
        public let home: Directory
        /// Identifies the state, in this process and all others. Rises with every change, and from one start to the
        /// next if the clock does.
        public let id: Int64

        public var state: AppState { home.state }
    }

    /// How many states a follower may be behind and still go on from the one it knows.
    public static let memory = 512

    /// Sent for every change.
    public let changes = ChangeSignal()
    /// Oldest first, never empty: the newest state and those before it.
    private let snapshots: Mutex<Deque<Snapshot>>
    private let names = NameMemory()
    private let time: Live<HomeTime>

    /// - Parameter time: the home's zone and place. In another time the same state is another snapshot.
    init(
        _ state: AppState, in time: Live<HomeTime> = Live(.utc), started: Timestamp,
        salt: UInt16 = .random(in: 0...4095)
    ) {
        self.time = time
        let home = Directory(state, in: time.value, names)
        snapshots = Mutex([Snapshot(home: home, id: Snapshot.firstID(started, salt))])
    }

    public var snapshot: Snapshot { snapshots.withLock { $0[$0.count - 1] } }

    /// The state with this id; `nil` if it is not remembered, or of another process.
    public func snapshot(id: Int64) -> Snapshot? {
        snapshots.withLock { snapshots in
            guard let first = snapshots.first, id >= first.id else { return nil }
            let place = (id - first.id) / Snapshot.step
            guard place < snapshots.count, snapshots[Int(place)].id == id else { return nil }
            return snapshots[Int(place)]
        }
    }

    func update(to state: AppState) {
        let isNew = snapshots.withLock { snapshots in
            let newest = snapshots[snapshots.count - 1]
            let time = time.value
            guard newest.state != state || newest.home.time != time else { return false }
            snapshots.append(Snapshot(home: Directory(state, in: time, names), id: newest.id + Snapshot.step))
            if snapshots.count > Self.memory { snapshots.removeFirst() }
            return true
        }
        if isNew { changes.send(.changed) }
    }
}

extension LatestState.Snapshot {
    // The bits of an id, from the highest: the milliseconds of the process's start, plus one for each change; eight for
    // the events of one change, all set in the last of them; twelve of chance, the same for the whole process. On a
    // machine without a clock of its own, two starts may have the same time.
    static let step: Int64 = 1 << 20
    private static let eventStep: Int64 = 1 << 12
    private static let lastEvent: Int64 = 255

    fileprivate static func firstID(_ started: Timestamp, _ salt: UInt16) -> Int64 {
        started.milliseconds * step + lastEvent * eventStep + Int64(salt)
    }

    /// The id of an event of this state that this many more follow. The last event has the state's own id: who has seen
    /// it has everything.
    public func eventID(before rest: Int) -> Int64 { id - min(Int64(rest), Self.lastEvent) * Self.eventStep }
}
