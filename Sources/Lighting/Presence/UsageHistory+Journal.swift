import HashTreeCollections
import Khipu

extension Journal {
    /// Reads when people had which lamps on, in pages, so that there is never more than one of them in memory. Replies
    /// from the journal's thread.
    ///
    /// - Parameter motionSensors: what one of them turned on, no person did.
    func readUsage(
        since start: Timestamp, until now: Timestamp, without motionSensors: Set<String>,
        _ reply: @escaping Reply<Result<UsageHistory, Failure>>
    ) {
        readPages(since: start, with: UsageReader()) { result in
            switch result {
            case let .success(reader):
                // Last: what was deleted while the pages were read is in it.
                pastUsage { past in
                    reply(
                        past.map {
                            reader.tally(after: $0).history(since: start, until: now, without: motionSensors)
                        })
                }
            case let .failure(failure): reply(.failure(failure))
            }
        }
    }

    private func readPages(
        since start: Timestamp, with reader: UsageReader, before number: Int64? = nil,
        _ reply: @escaping Reply<Result<UsageReader, Failure>>
    ) {
        let page = 500
        // It is not withdrawn: a replay that begins is waited for.
        _ = list(Filter(since: start, before: number, limit: page)) { result in
            switch result {
            case let .success(entries):
                var reader = reader
                reader.read(entries)
                guard let oldest = entries.first, entries.count == page else { return reply(.success(reader)) }
                readPages(since: start, with: reader, before: oldest.number, reply)
            case let .failure(failure): reply(.failure(failure))
            }
        }
    }
}

extension UsageHistory {
    /// A made-up week for a home of whose evenings too little is known: up to three lamps, each in a room of its own.
    static func plain(in state: AppState, before now: Timestamp, home: HomeTime) -> Self {
        let hours: [(from: TimeOfDay, to: TimeOfDay)] = [
            (TimeOfDay(hour: 17, minute: 30), TimeOfDay(hour: 22, minute: 45)),
            (TimeOfDay(hour: 18, minute: 30), TimeOfDay(hour: 19, minute: 45)),
            (TimeOfDay(hour: 21, minute: 15), TimeOfDay(hour: 23, minute: 15)),
        ]
        let today = home.day(at: now)
        let uses = (1...7).flatMap { day in
            zip(state.plainLamps, hours).compactMap { lamp, hours -> Use? in
                let date = today.advanced(by: -day)
                guard let start = home.instant(of: .time(hours.from), on: date),
                    let end = home.instant(of: .time(hours.to), on: date)
                else { return nil }
                let use = Use(lamp, from: start, to: end, level: 0.6)
                return home.place != nil ? home.darkPart(of: use) : use
            }
        }
        return Self(uses: uses)
    }
}

extension AppState {
    /// The first lamp of each room that can be dimmed; the first ones of all if no room has any.
    var plainLamps: [Light.ID] {
        let rooms = rooms.values.filter { $0.kind == .room }.sorted { $0.id < $1.id }
        let lamps = rooms.compactMap { room in room.lights.first { lights[$0]?.limits.dims == true } }
        return lamps.isEmpty ? lights(in: .all).filter(\.limits.dims).map(\.id) : lamps
    }
}
