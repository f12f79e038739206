import Yams

/// The keys of a home file, level by level. Decoding takes no notice of others, so a misspelt one would be lost in
/// silence.
indirect enum HomeFileKeys: Equatable, Sendable {
    /// A value, or a list of values.
    case value
    case list(of: Self)
    /// Keys that the file's writer chooses, each with the same below it.
    case names(Self)
    case keys([String: Self])

    static let all = Self.keys([
        "bridge": .keys(["name": .value, "model": .value]),
        "rooms": .list(
            of: .keys([
                "name": .value, "archetype": .value, "lights": .list(of: light), "accessories": .list(of: accessory),
            ])),
        "zones": .list(of: .keys(["name": .value, "archetype": .value, "lights": .value])),
        "scenes": .list(
            of: .keys([
                "name": .value, "group": .value, "lights": .names(lightState), "dynamic": .value, "palette": .value,
            ])),
        "areas": .list(of: .keys(["name": .value, "kind": .value, "lights": .value])),
    ])

    private static let accessory = Self.keys(["name": .value, "kind": .value])
    private static let light = Self.keys([
        "name": .value, "kind": .value, "on": .value, "brightness": .value, "mirek": .value,
    ])
    private static let lightState = Self.keys([
        "on": .value, "brightness": .value, "mirek": .value, "xy": .value, "gradient": .value, "effect": .value,
    ])

    /// Refuses the first key that is not one of these. What is not of the expected shape is left to the decoder.
    func check(_ node: Node, _ path: String) throws(HomeFileError) {
        switch (self, node) {
        case let (.list(of: keys), .sequence(nodes)):
            for node in nodes { try keys.check(node, path) }
        case let (.names(keys), .mapping(mapping)):
            for (name, node) in mapping { try name.isMerge ? check(node, path) : keys.check(node, path) }
        case let (.keys(keys), .mapping(mapping)):
            for (name, node) in mapping {
                if name.isMerge {
                    for node in node.sequence.map(Array.init) ?? [node] { try check(node, path) }
                } else if let inner = keys[name.string ?? ""] {
                    try inner.check(node, path)
                } else {
                    let place = name.mark.map { "\(path), line \($0.line)" } ?? path
                    let known = keys.keys.sorted().joined(separator: ", ")
                    throw HomeFileError("\(place): unknown key '\(name.string ?? "")'; known keys: \(known)")
                }
            }
        default: break
        }
    }
}

extension Node {
    /// Whether it is YAML's merge key, below which are more keys of the same level.
    fileprivate var isMerge: Bool { string == "<<" }
}
