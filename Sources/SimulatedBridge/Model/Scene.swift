public import FoundationEssentials
public import HueWire

extension SimulatedHome {
    /// Looks for the lamps of a group, stored under a name.
    public struct Scene: Equatable, Codable, Sendable, Identifiable {
        public let id: ResourceID
        /// Its id in API v1: 15 letters and digits.
        public let v1: String
        public let name: String
        public let group: ResourceID
        /// `room` or `zone`; `bridge_home` where API v1 made it of lamps without a group.
        public let groupKind: ResourceType
        public let actions: [Action]
        public let status: Status
        public let lastRecall: Date?
        /// `palette`, `speed`, `auto_dynamic` and the members of `metadata` besides the name, as API v2 wrote them.
        public let extras: JSONValue
        /// `owner`, `picture`, `recycle`, `appdata`, `lastupdated` … as API v1 wrote them.
        public let extrasV1: JSONValue

        public enum Status: String, Codable, Sendable {
            case inactive, `static`
            case dynamicPalette = "dynamic_palette"
        }

        /// What one lamp does; what is `nil` stays as it is.
        public struct Action: Equatable, Codable, Sendable {
            public let lamp: ResourceID
            public let on: Bool?
            public let level: Int?
            public let tint: LightState.Tint?
            public let effect: LightState.Effect?
            public let gradient: [XY]?
            /// How long the lamp takes, where the scene says so.
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

            /// Stores what a lamp shows.
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

        // swift-format-ignore
        private func altered(by change: Change) -> Self {
            switch change {
            case let .renaming(.it      (to: n)): Self(id: id, name: n   , group: group, groupKind: groupKind, actions: actions, status: status, lastRecall: lastRecall, extras: extras, extrasV1: extrasV1)
            case let .setting (.actions (to: a)): Self(id: id, name: name, group: group, groupKind: groupKind, actions: a      , status: status, lastRecall: lastRecall, extras: extras, extrasV1: extrasV1)
            case let .setting (.status  (to: s)): Self(id: id, name: name, group: group, groupKind: groupKind, actions: actions, status: s     , lastRecall: lastRecall, extras: extras, extrasV1: extrasV1)
            case let .setting (.recall  (at: d)): Self(id: id, name: name, group: group, groupKind: groupKind, actions: actions, status: status, lastRecall: d         , extras: extras, extrasV1: extrasV1)
            case let .setting (.extras  (to: e)): Self(id: id, name: name, group: group, groupKind: groupKind, actions: actions, status: status, lastRecall: lastRecall, extras: e     , extrasV1: extrasV1)
            case let .setting (.extrasV1(to: e)): Self(id: id, name: name, group: group, groupKind: groupKind, actions: actions, status: status, lastRecall: lastRecall, extras: extras, extrasV1: e       )
            }
        }

        public var isActive: Bool { status != .inactive }

        func sets(_ lamp: ResourceID) -> Bool { actions.contains { $0.lamp == lamp } }

        /// Without a lamp that left the bridge.
        func without(_ gone: ResourceID) -> Self {
            sets(gone) ? alter(by: .setting(.actions(to: actions.filter { $0.lamp != gone }))) : self
        }
    }
}
