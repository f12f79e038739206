import Khipu
import Lighting
import Synchronization

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
