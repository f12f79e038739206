import Lighting

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
    }
}

extension Archive.Item {
    /// Of items with the same key, the newest replaces the others.
    enum Key: Hashable {
        case sighting(Bridge.ID), scenes(Bridge.ID), dashboard, automations, automationMemory, bindings, followings
        case presence
    }

    /// `nil` for a pairing, each of which stands for itself.
    var key: Key? {
        switch self {
        case .pairing: nil
        case let .sighting(bridge, _, name: _, model: _): .sighting(bridge)
        case let .scenes(of: bridge, _): .scenes(bridge)
        case .dashboard: .dashboard
        case .automations: .automations
        case .automationMemory: .automationMemory
        case .bindings: .bindings
        case .followings: .followings
        case .presence: .presence
        }
    }
}
