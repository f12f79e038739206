import HueWire
import TestSupport

/// One step of the path to a member of a JSON text.
enum JSONStep: Hashable {
    case member(String)
    case element(Int)
}

extension JSONValue {
    /// Every member at any depth, parents before children.
    var memberPaths: [[JSONStep]] { paths(after: []) }

    private func paths(after way: [JSONStep]) -> [[JSONStep]] {
        switch self {
        case let .object(members):
            members.sorted { $0.key < $1.key }.flatMap { name, value in
                [way + [.member(name)]] + value.paths(after: way + [.member(name)])
            }
        case let .array(values):
            values.enumerated().flatMap { $1.paths(after: way + [.element($0)]) }
        default: []
        }
    }

    /// Every object at any depth, including this one.
    var objectPaths: [[JSONStep]] {
        let here: [[JSONStep]] = object == nil ? [] : [[]]
        return here + memberPaths.filter { self[$0]?.object != nil }
    }

    subscript(_ way: some Collection<JSONStep>) -> JSONValue? {
        switch way.first {
        case nil: self
        case let .member(name): self[name].flatMap { $0[way.dropFirst()] }
        case let .element(index): array.flatMap { $0[index][way.dropFirst()] }
        }
    }

    /// A copy with another value at the end of the path; `nil` removes the member.
    func putting(_ value: JSONValue?, at way: some Collection<JSONStep>) -> JSONValue {
        guard let first = way.first else { return value ?? .null }
        let rest = way.dropFirst()
        switch (self, first) {
        case (.object(var members), let .member(name)):
            members[name] = rest.isEmpty ? value : (members[name] ?? .object([:])).putting(value, at: rest)
            return .object(members)
        case (.array(var values), let .element(index)):
            values[index] = values[index].putting(value, at: rest)
            return .array(values)
        default: return self
        }
    }

    /// Random JSON of small depth.
    static func any(_ generator: inout SplitMix, depth: Int = 2) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &generator) {
        case 0: .null
        case 1: .bool(.random(using: &generator))
        case 2: .int(.random(in: -70_000...70_000, using: &generator))
        case 3: .number(Double(Int.random(in: -4000...4000, using: &generator)) / 16 + 1 / 32)
        case 4: .string(["", "light", "nür €", "a\"b\\c\n", "0"].randomElement(using: &generator)!)
        case 5: .object([:])
        case 6: .array((0..<Int.random(in: 0...3, using: &generator)).map { _ in any(&generator, depth: depth - 1) })
        default:
            .object(
                Dictionary(
                    ["on", "x", "rid", "mirek", "later"].shuffled(using: &generator).prefix(2).map {
                        ($0, any(&generator, depth: depth - 1))
                    }
                ) { $1 })
        }
    }
}

extension [JSONStep] {
    /// "children[].rid"
    var text: String {
        reduce(into: "") { text, step in
            switch step {
            case let .member(name): text += text.isEmpty ? name : ".\(name)"
            case .element: text += "[]"
            }
        }
    }
}
