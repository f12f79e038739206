public import FoundationEssentials
public import HueWire

extension SimulatedHome {
    /// Light states for the lamps of a group, stored under a name.
    public struct Scene: Equatable, Codable, Sendable, Identifiable, ChangedByCopy {
        public let id: ResourceID
        /// Its id in API v1: 15 letters and digits.
        public let v1: String
        public private(set) var name: String
        public let group: ResourceID
        /// `room` or `zone`; `bridge_home` if API v1 made it of lamps without a group.
        public let groupKind: ResourceType
        public private(set) var actions: [Action]
        public private(set) var status: Status
        public private(set) var lastRecall: Date?
        /// `palette`, `speed`, `auto_dynamic` and the members of `metadata` besides the name, as API v2 wrote them.
        public private(set) var extras: JSONValue
        /// `owner`, `picture`, `recycle`, `appdata`, `lastupdated` … as API v1 wrote them.
        public private(set) var extrasV1: JSONValue

        public enum Status: String, Codable, Sendable {
            case inactive, `static`
            case dynamicPalette = "dynamic_palette"
        }

        /// What the scene sets on one lamp; `nil` leaves a property as it is.
        public struct Action: Equatable, Codable, Sendable {
            public let lamp: ResourceID
            public let on: Bool?
            public let level: Int?
            public let tint: LightState.Tint?
            public let effect: LightState.Effect?
            public let gradient: [XY]?
            /// The fade duration, if the scene sets one.
            public let milliseconds: Int?

            init(
                lamp: ResourceID, on: Bool? = nil, level: Int? = nil, tint: LightState.Tint? = nil,
                effect: LightState.Effect? = nil, gradient: [XY]? = nil, milliseconds: Int? = nil
            ) {
                self.lamp = lamp
                self.on = on
                self.level = level
                self.tint = tint
                self.effect = effect
                self.gradient = gradient
                self.milliseconds = milliseconds
            }

            /// Stores the light state of a lamp.
            init(_ lamp: Lamp) {
                self.init(
                    lamp: lamp.id, on: lamp.isOn, level: lamp.kind.dims ? lamp.level : nil,
                    tint: lamp.tint == .none ? nil : lamp.tint,
                    effect: lamp.lightState.effect == .none ? nil : lamp.lightState.effect,
                    gradient: lamp.lightState.gradient.isEmpty ? nil : lamp.lightState.gradient)
            }

            var changes: [Lamp.Change] {
                var changes: [Lamp.Change] = []
                if let on { changes.append(.turning(.it(on: on))) }
                if let level { changes.append(.setting(.level(to: level))) }
                if let tint { changes.append(.setting(.tint(to: tint))) }
                if let gradient { changes.append(.setting(.gradient(to: gradient))) }
                if let effect { changes.append(.setting(.effect(to: effect))) }
                return changes
            }
        }

        // swift-format-ignore
        public enum Change: Equatable, Sendable {
            case renaming(Renaming); public enum Renaming: Equatable, Sendable { case it(to: String) }
            case setting (Setting ); public enum Setting : Equatable, Sendable { case actions(to: [Action]), status(to: Status), recall(at: Date), extras(to: JSONValue), extrasV1(to: JSONValue) }
        }

        init(
            id: ResourceID, name: String, group: ResourceID, groupKind: ResourceType, actions: [Action],
            status: Status = .inactive, lastRecall: Date? = nil, extras: JSONValue = [:], extrasV1: JSONValue = [:]
        ) {
            self.id = id
            v1 = String(id.description.filter { $0 != "-" }.prefix(15))
            self.name = name
            self.group = group
            self.groupKind = groupKind
            self.actions = actions
            self.status = status
            self.lastRecall = lastRecall
            self.extras = extras
            self.extrasV1 = extrasV1
        }

        public func alter(by changes: Change...) -> Self { alter(by: changes) }
        public func alter(by changes: [Change]) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

        // One row, one axiom.
        // swift-format-ignore
        private func altered(by change: Change) -> Self {
            switch change {
            case let .renaming(.it      (to: n)): with(\.name, n)
            case let .setting (.actions (to: a)): with(\.actions, a)
            case let .setting (.status  (to: s)): with(\.status, s)
            case let .setting (.recall  (at: d)): with(\.lastRecall, d)
            case let .setting (.extras  (to: e)): with(\.extras, e)
            case let .setting (.extrasV1(to: e)): with(\.extrasV1, e)
            }
        }

        public var isActive: Bool { status != .inactive }

        func sets(_ lamp: ResourceID) -> Bool { actions.contains { $0.lamp == lamp } }

        /// The scene without a lamp that was removed from the bridge.
        func without(_ gone: ResourceID) -> Self {
            sets(gone) ? alter(by: .setting(.actions(to: actions.filter { $0.lamp != gone }))) : self
        }
    }
}
