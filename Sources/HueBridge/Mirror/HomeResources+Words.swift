import HueWire
import Lighting

/// What the bridge says, in the home's names. It names resources by their ids, in API v1 by their paths: "device
/// (grouped_light) 509fac50-… has communication issues, command (.on.on) may not have effect".
extension HomeResources {
    /// - Parameters:
    ///   - text: sentences joined by "; ". Those that differ only in the attribute are said once.
    ///   - raw: the bridge's own text, if it differs.
    func words(_ said: String, raw: String? = nil) -> BridgeWords {
        var text = said
        text.replace(/device \((\w+)\) ([\w\-]+)/) { match in
            // What a bridge says of a group is true of some of its lights; it does not say which.
            let group = match.1 == "grouped_light" ? "a light of " : ""
            return name(of: ResourceID(String(match.2)), ResourceType(rawValue: String(match.1))).map { group + $0 }
                ?? "a \(match.1.replacing("_", with: " "))"
        }
        text.replace(/resource, \/(light|group|scene)s\/(\w+)[\w\/]*,/) { match in
            let type: ResourceType = match.1 == "light" ? .light : match.1 == "scene" ? .scene : .groupedLight
            return name(of: ResourceID(String(match.2)), type) ?? "the \(match.1)"
        }
        text.replace(/light, (\w+),/) { match in name(of: ResourceID(String(match.1)), .light) ?? "a light" }
        text.replace(/[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}/) { match in
            name(of: ResourceID(String(match.0).lowercased()), nil) ?? "a resource"
        }
        text.replace(/command \(\.[\w.]+\)/, with: "the command")
        var sentences: [Substring] = []
        for sentence in text.split(separator: "; ") where !sentences.contains(sentence) { sentences.append(sentence) }
        return BridgeWords(sentences.joined(separator: "; "), raw: raw ?? said)
    }

    /// - Parameter type: `nil` if it is not known; ids of API v2 are unique among all types.
    private func name(of id: ResourceID, _ type: ResourceType?) -> String? {
        switch type {
        case .light?: lights[id].map { "'\($0.name)'" }
        case .groupedLight?: groupName(ofGroupedLight: id)
        case .device?: deviceName(id).map { "'\($0)'" }
        case .scene?: sceneName(id).map { "scene '\($0)'" }
        case .room?, .zone?: groups[id].map { "'\($0.name)'" }
        default:
            name(of: id, .light) ?? name(of: id, .groupedLight) ?? name(of: id, .device) ?? name(of: id, .room)
                ?? name(of: id, .scene)
        }
    }
}

extension Delivery {
    /// The same, with the bridge's words in the home's names.
    func worded(in home: HomeResources) -> Delivery {
        switch self {
        case let .refused(words): .refused(home.words(words.text, raw: words.raw))
        case let .doubted(words, lights): .doubted(home.words(words.text, raw: words.raw), lights)
        default: self
        }
    }

    /// What the bridge said, word for word.
    var raw: String? {
        switch self {
        case let .refused(words), let .doubted(words, _): words.raw
        default: nil
        }
    }
}
