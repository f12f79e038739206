public import HueWire

/// The home as the JSON documents of API v2.
extension SimulatedHome {
    /// Every resource, in an order that does not change.
    public var documents: [JSONValue] {
        bridgeDocuments + lamps.flatMap(\.documents) + accessories.flatMap(\.documents)
            + groups.flatMap { $0.documents(in: self) } + scenes.map(\.document) + storedResources.map(\.document)
    }
}

extension JSONValue {
    static func id(_ id: ResourceID) -> Self { .string(id.description) }

    static func reference(_ id: ResourceID, _ type: ResourceType) -> Self {
        ["rid": .id(id), "rtype": .string(type.rawValue)]
    }

    static func point(_ xy: XY) -> Self { ["x": .number(xy.x), "y": .number(xy.y)] }
}

extension DerivedID {
    /// An id that does not depend on the seed, only on the names.
    static func fixed(_ kind: String, _ bridge: String) -> ResourceID {
        DerivedID(seed: 0).uuid(kind, bridge)
    }
}
