import Khipu
import Lighting

/// Entries that are recorded but not yet written. Bounded: if the disk accepts nothing, the oldest are dropped.
struct JournalBuffer {
    private(set) var unsaved: [Journal.Entry] = []
    private(set) var lastNumber: Int64
    private(set) var highestTicket: UInt64 = 0
    /// How many entries were dropped since ``resetLossCount()``.
    private(set) var lost = 0
    /// How many entries were dropped in all.
    private(set) var lostInAll = 0
    let capacity: Int

    /// Of the reports of one light or sensor so many are written of ten seconds, or of a batch that is shorter. The last
    /// of them stands for all that follow: what chatters does not fill the journal, and how it ended is known.
    static let mostReports = 8
    private static let span = Duration.seconds(10)

    init(after number: Int64, capacity: Int) {
        lastNumber = number
        self.capacity = max(capacity, 1)
    }

    var isHalfFull: Bool { unsaved.count * 2 >= capacity }

    mutating func append(_ message: Message, _ names: Journal.Names, at time: Timestamp) {
        var message = message
        if let reporter = message.reporter, let last = lastOfMany(from: reporter, at: time) {
            message = unsaved.remove(at: last).message.merged(with: message)
        }
        if unsaved.count >= capacity {
            // Several at once, so that a full buffer does not shift its array for every message.
            let oldest = capacity / 16 + 1
            unsaved.removeFirst(oldest)
            lost += oldest
            lostInAll += oldest
        }
        lastNumber += 1
        highestTicket = max(highestTicket, message.ticket.number)
        unsaved.append(Journal.Entry(number: lastNumber, time: time, message: message, names: names))
    }

    mutating func remove(through number: Int64) {
        unsaved.removeFirst(unsaved.prefix { $0.number <= number }.count)
    }

    mutating func remove(before time: Timestamp) {
        unsaved.removeAll { $0.time < time }
    }

    mutating func resetLossCount() { lost = 0 }

    /// The place of the newest unsaved report of a light or sensor, if there are as many as may be of the last seconds.
    private func lastOfMany(from reporter: Reporter, at time: Timestamp) -> Int? {
        let newest = Array(
            unsaved.indices.reversed().lazy.filter { unsaved[$0].message.reporter == reporter }.prefix(Self.mostReports)
        )
        guard newest.count == Self.mostReports, let first = newest.last.map({ unsaved[$0].time }) else { return nil }
        return first...first.advanced(by: Self.span) ~= time ? newest.first : nil
    }
}

/// What a report is of.
private enum Reporter: Equatable {
    case light(Light.ID)
    case sensor(Sensor.ID)
}

extension Message {
    /// `nil` if it is no report of one light or sensor.
    fileprivate var reporter: Reporter? {
        switch self {
        case let .lighting(.reported(.light(id, _)), _): .light(id)
        case let .lighting(.reported(.sensor(id, _)), _): .sensor(id)
        default: nil
        }
    }

    /// One report in place of this and the next one of the same light or sensor.
    fileprivate func merged(with next: Self) -> Self {
        switch (self, next) {
        case let (.lighting(.reported(.light(_, report)), _), .lighting(.reported(.light(id, newer)), ticket)):
            .lighting(.reported(.light(id, report.merged(with: newer))), ticket: ticket)
        case let (.lighting(.reported(.sensor(_, report)), _), .lighting(.reported(.sensor(id, newer)), ticket)):
            .lighting(.reported(.sensor(id, report.merged(with: newer))), ticket: ticket)
        default: next
        }
    }
}
