import Lighting

/// What the archive could not write, although lightd goes on with it: the newest of each kind and bridge.
///
/// Not a pairing: lightd does not use a key that it could not save.
struct UnsavedItems {
    private enum Key: Hashable {
        case sighting(Bridge.ID), scenes(Bridge.ID), dashboard, automations, automationMemory, bindings, followings
        case presence
    }

    private var items: [Key: Archive.Item] = [:]

    var all: [Archive.Item] { Array(items.values) }

    mutating func insert(_ item: Archive.Item) {
        if let key = Self.key(of: item) { items[key] = item }
    }

    mutating func remove(_ item: Archive.Item) {
        if let key = Self.key(of: item) { items[key] = nil }
    }

    mutating func forget(_ bridge: Bridge.ID) {
        items[.sighting(bridge)] = nil
        items[.scenes(bridge)] = nil
    }

    private static func key(of item: Archive.Item) -> Key? {
        switch item {
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
