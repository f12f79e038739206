import Khipu
import Lighting
import Logging
import Synchronization

/// What the archive could not write, although lightd goes on with it: the newest of each kind and bridge.
///
/// Not a pairing: lightd does not use a key that it could not save.
struct UnsavedItems {
    private var items: [Archive.Item.Key: Archive.Item] = [:]

    var all: [Archive.Item] { Array(items.values) }

    mutating func insert(_ item: Archive.Item) {
        if let key = item.key { items[key] = item }
    }

    mutating func remove(_ item: Archive.Item) {
        if let key = item.key { items[key] = nil }
    }

    mutating func forget(_ bridge: Bridge.ID) { items.removeItems(of: bridge) }
}

extension Dictionary where Key == Archive.Item.Key {
    /// What belongs to a bridge, and is dropped with it.
    mutating func removeItems(of bridge: Bridge.ID) {
        self[.sighting(bridge)] = nil
        self[.scenes(bridge)] = nil
        self[.sceneOrders(bridge)] = nil
    }
}

extension Archive.Item {
    /// Of items with the same key, the newest replaces the others.
    enum Key: Hashable {
        case sighting(Bridge.ID), scenes(Bridge.ID), sceneOrders(Bridge.ID), dashboard, automations, automationMemory
        case bindings, followings, presence
    }

    /// `nil` for a pairing, each of which stands for itself.
    var key: Key? {
        switch self {
        case .pairing: nil
        case let .sighting(bridge, _, name: _, model: _): .sighting(bridge)
        case let .scenes(of: bridge, _): .scenes(bridge)
        case let .sceneOrders(of: bridge, _): .sceneOrders(bridge)
        case .dashboard: .dashboard
        case .automations: .automations
        case .automationMemory: .automationMemory
        case .bindings: .bindings
        case .followings: .followings
        case .presence: .presence
        }
    }
}

/// What waits until the database takes it: the newest of each kind and bridge. So a disk that is slow, or a bridge that
/// changes without pause, makes the queue of the database no longer.
///
/// Each is written in the place of the first that it has replaced, and its outcome is that of all of them.
final class WaitingItems: Sendable {
    /// A place in the queue of the database.
    final class Place: Sendable {
        typealias Content = (item: Archive.Item, replies: [Reply<Outcome>])
        fileprivate let content: Mutex<Content>

        fileprivate init(_ item: Archive.Item, _ reply: @escaping Reply<Outcome>) {
            content = Mutex((item, [reply]))
        }
    }

    private let places = Mutex<[Archive.Item.Key: Place]>([:])

    /// Returns the place that must be queued now; `nil` if the item has taken that of another one.
    func add(_ item: Archive.Item, _ reply: @escaping Reply<Outcome>) -> Place? {
        places.withLock { places in
            guard let key = item.waitingKey else {
                // What comes after a pairing must not be written before it.
                if case let .pairing(pairing) = item { places.removeItems(of: pairing.bridge.id) }
                return Place(item, reply)
            }
            if let place = places[key] {
                place.content.withLock { content in
                    content.item = item
                    content.replies.append(reply)
                }
                return nil
            }
            let place = Place(item, reply)
            places[key] = place
            return place
        }
    }

    /// Its turn has come: what is added from now on has a place of its own.
    func take(_ place: Place) -> Place.Content {
        places.withLock { places in
            let content = place.content.withLock(\.self)
            if let key = content.item.waitingKey, places[key] === place { places[key] = nil }
            return content
        }
    }

    /// What comes after this call must not be written before what is queued next.
    func close(_ bridge: Bridge.ID) { places.withLock { $0.removeItems(of: bridge) } }
}

extension Archive.Item {
    /// `nil` if it waits in a place of its own. The order in which automations and what they remember are written keeps a
    /// timer from getting lost; the domain saves them one after the other (`AutomationSaver`).
    fileprivate var waitingKey: Key? {
        switch self {
        case .automations, .automationMemory: nil
        default: key
        }
    }
}

/// Says once in the log that the database cannot be written, whoever finds out first, and once that it can be again.
final class WriteHealth: Sendable {
    enum Writer: Hashable, Sendable { case archive, journal }

    private let logger: Logger
    private let failing = Mutex<[Writer: String]>([:])

    init(logger: Logger) {
        self.logger = logger
    }

    /// Why the database cannot be written at present; `nil` if nothing is known that prevents it.
    var trouble: String? { failing.withLock { $0[.archive] ?? $0[.journal] } }

    /// Only a failure of the database counts, not a request that was refused or came too late.
    func failed(_ writer: Writer, _ error: PersistenceError) {
        guard case let .database(cause) = error else { return }
        let isFirst = failing.withLock { failing in
            defer { failing[writer] = "\(cause)" }
            return failing.isEmpty
        }
        if isFirst {
            logger.error(
                "the database cannot be written; lights go on working, and lightd tries again",
                metadata: ["because": "\(cause)"])
        }
    }

    /// - Parameter lost: the journal entries that were dropped meanwhile.
    func succeeded(_ writer: Writer, lost: Int = 0) {
        let isLast = failing.withLock { failing in failing.removeValue(forKey: writer) != nil && failing.isEmpty }
        if isLast || lost > 0 {
            logger.notice("the database is written again", metadata: ["lost": "\(lost)"])
        }
    }
}
