import HueWire

extension JSONValue {
    /// The id in a reference `{"rid":…,"rtype":…}`.
    var rid: ResourceID? { self["rid"]?.string.map { ResourceID($0) } }

    /// All references in the value.
    var references: [JSONValue] {
        switch self {
        case let .object(members): self["rid"] != nil ? [self] : members.values.flatMap(\.references)
        case let .array(values): values.flatMap(\.references)
        default: []
        }
    }

    func with(_ member: String, _ value: JSONValue?) -> JSONValue {
        guard case var .object(members) = self else { return self }
        members[member] = value
        return .object(members)
    }

    func merging(_ members: [String: JSONValue]) -> JSONValue {
        .object((object ?? [:]).merging(members) { $1 })
    }

    /// A stored resource after others were removed; `nil` if it is removed with them.
    ///
    /// A smart scene is removed with its group, and loses the time slots of a removed scene. An entertainment
    /// configuration loses the channels of a removed lamp, and is removed with its last lamp. A behaviour instance that
    /// depends on something removed is in error.
    func storedWithout(_ gone: Set<ResourceID>) -> JSONValue? {
        switch self["type"] {
        case "smart_scene":
            if let group = self["group"]?.rid, gone.contains(group) { return nil }
            return withoutElements(of: gone)
        case "entertainment_configuration":
            guard references.contains(where: { $0.rid.map(gone.contains) ?? false }) else { return self }
            let rest = withoutElements(of: gone)
            let channels = (rest["channels"]?.array ?? []).filter { $0["members"]?.array?.isEmpty == false }
            guard let node = channels.first?["members"]?.array?.first?["service"] else { return nil }
            let proxy = rest["stream_proxy"] ?? [:]
            return rest.with("channels", .array(channels)).with(
                "stream_proxy", proxy["node"]?.rid.map(gone.contains) ?? true ? proxy.with("node", node) : proxy)
        case "behavior_instance":
            let dependees = self["dependees"]?.array ?? []
            guard dependees.contains(where: { $0["target"]?.rid.map(gone.contains) ?? false }) else { return self }
            // The configuration stays as written; only the bridge's own list of dependencies follows the home.
            return with("dependees", self["dependees"]?.withoutElements(of: gone)).with("status", "errored")
                .with("last_error", "a resource that it depends on is gone")
        default: return withoutElements(of: gone)
        }
    }

    /// Without list elements that are, or directly hold, a reference to a removed resource.
    private func withoutElements(of gone: Set<ResourceID>) -> JSONValue {
        switch self {
        case let .object(members): .object(members.mapValues { $0.withoutElements(of: gone) })
        case let .array(values): .array(values.filter { !$0.points(at: gone) }.map { $0.withoutElements(of: gone) })
        default: self
        }
    }

    private func points(at gone: Set<ResourceID>) -> Bool {
        if let rid { return gone.contains(rid) }
        return object?.values.contains { $0.rid.map(gone.contains) ?? false } ?? false
    }
}
