public import HueWire

extension SimulatedHome {
    /// A room, a zone, or the whole home.
    public struct Group: Equatable, Codable, Sendable, Identifiable, ChangedByCopy {
        public let id: ResourceID
        /// `room`, `zone` or `bridge_home`.
        public let kind: ResourceType
        public private(set) var name: String
        public private(set) var archetype: String
        /// Its number in API v1; 0 for the whole home.
        public let number: Int
        public private(set) var lamps: [ResourceID]
        /// Devices without a light in the room.
        public private(set) var accessories: [ResourceID]
        public let groupedLight: ResourceID
        /// The last command to the whole group, as API v1 shows it in `action`.
        public private(set) var action: LightState

        // swift-format-ignore
        public enum Change: Equatable, Sendable {
            case renaming(Renaming); public enum Renaming: Equatable, Sendable { case it(to: String) }
            case setting (Setting ); public enum Setting : Equatable, Sendable { case archetype(to: String), lamps(to: [ResourceID]), accessories(to: [ResourceID]), action(to: LightState) }
        }

        init(
            id: ResourceID, kind: ResourceType, name: String, archetype: String, number: Int, lamps: [ResourceID],
            accessories: [ResourceID] = [], groupedLight: ResourceID,
            action: LightState = LightState(tint: .white(mirek: 366))
        ) {
            self.id = id
            self.kind = kind
            self.name = name
            self.archetype = archetype
            self.number = number
            self.lamps = lamps
            self.accessories = accessories
            self.groupedLight = groupedLight
            self.action = action
        }

        public func alter(by changes: Change...) -> Self { alter(by: changes) }
        public func alter(by changes: [Change]) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

        // One row, one axiom.
        // swift-format-ignore
        private func altered(by change: Change) -> Self {
            switch change {
            case let .renaming(.it         (to: n)): with(\.name, n)
            case let .setting (.archetype  (to: a)): with(\.archetype, a)
            case let .setting (.lamps      (to: l)): with(\.lamps, l)
            case let .setting (.accessories(to: a)): with(\.accessories, a)
            case let .setting (.action     (to: a)): with(\.action, a)
            }
        }

        /// The group without a lamp or accessory that was removed from the bridge.
        func without(_ gone: ResourceID) -> Self {
            guard lamps.contains(gone) || accessories.contains(gone) else { return self }
            return alter(
                by: .setting(.lamps(to: lamps.filter { $0 != gone })),
                .setting(.accessories(to: accessories.filter { $0 != gone })))
        }
    }
}
