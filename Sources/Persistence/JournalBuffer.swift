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

    init(after number: Int64, capacity: Int) {
        lastNumber = number
        self.capacity = max(capacity, 1)
    }

    var isHalfFull: Bool { unsaved.count * 2 >= capacity }

    mutating func append(_ message: Message, _ names: Journal.Names, at time: Timestamp) {
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
}
