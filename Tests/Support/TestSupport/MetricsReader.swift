/// Metrics as a reader of either text format understands them, written by the specifications and not by what lightd writes.
public struct MetricsReader {
    public struct Sample: Hashable, CustomStringConvertible {
        public let name: String
        public let labels: [String: String]
        public let value: Double

        public var description: String { "\(name)\(labels) \(value)" }
    }

    public struct Family {
        /// As in its head: in OpenMetrics without "_total" and "_info".
        public let name: String
        public let help: String
        public let type: String
        public fileprivate(set) var samples: [Sample] = []
    }

    public private(set) var families: [Family] = []
    /// Whether it ends as OpenMetrics does.
    public let hasEnd: Bool

    public var samples: [Sample] { families.flatMap(\.samples) }

    /// - Throws: where it is not of the form that it should be of: the head of a family is not before its samples, or there
    ///   are two of it.
    public init(_ text: String) throws {
        // By bytes: a combining mark at the beginning of a value would make one Character with what is before it.
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.popLast()?.isEmpty == true else { throw TestError("the last line does not end") }
        hasEnd = lines.last.map { String(Substring($0)) } == "# EOF"
        if hasEnd { lines.removeLast() }
        var place = 0
        while place < lines.count {
            let head = String(Substring(lines[place]))
            guard head.hasPrefix("# HELP "), place + 1 < lines.count else { throw TestError("no head: \(head)") }
            let help = head.split(separator: " ", maxSplits: 3).map(String.init)
            let type = String(Substring(lines[place + 1])).split(separator: " ").map(String.init)
            guard help.count == 4, type.count == 4, type[1] == "TYPE", type[2] == help[2] else {
                throw TestError("no type after: \(head)")
            }
            guard !families.contains(where: { $0.name == help[2] }) else { throw TestError("twice: \(head)") }
            var family = Family(name: help[2], help: help[3], type: type[3])
            place += 2
            while place < lines.count, lines[place].first != UInt8(ascii: "#") {
                family.samples.append(try Self.sample(lines[place]))
                place += 1
            }
            families.append(family)
        }
    }

    public subscript(_ name: String) -> [Sample] { samples.filter { $0.name == name } }

    /// The value of a series that has these labels, whatever others it has.
    public func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        let found = self[name].filter { sample in labels.allSatisfy { sample.labels[$0.key] == $0.value } }
        return found.count == 1 ? found[0].value : nil
    }

    private static func sample(_ line: Substring.UTF8View) throws -> Sample {
        let signs = (open: UInt8(ascii: "{"), close: UInt8(ascii: "}"), quote: UInt8(ascii: "\""))
        var rest = line
        func take(until isEnd: (UInt8) -> Bool) -> String {
            let taken = rest.prefix { !isEnd($0) }
            rest = rest.dropFirst(taken.count)
            return String(decoding: taken, as: UTF8.self)
        }
        let problem = TestError("not a sample: \(String(Substring(line)))")
        let name = take { $0 == signs.open || $0 == UInt8(ascii: " ") }
        var labels: [String: String] = [:]
        if rest.first == signs.open {
            repeat {
                rest = rest.dropFirst()
                let label = take { $0 == UInt8(ascii: "=") }
                guard rest.dropFirst().first == signs.quote else { throw problem }
                rest = rest.dropFirst(2)
                var value: [UInt8] = []
                while let byte = rest.popFirst(), byte != signs.quote {
                    guard byte == UInt8(ascii: "\\") else {
                        value.append(byte)
                        continue
                    }
                    switch rest.popFirst() {
                    case UInt8(ascii: "n"): value.append(UInt8(ascii: "\n"))
                    case UInt8(ascii: "\\"): value.append(UInt8(ascii: "\\"))
                    case signs.quote: value.append(signs.quote)
                    default: throw problem
                    }
                }
                guard labels.updateValue(String(decoding: value, as: UTF8.self), forKey: label) == nil else {
                    throw problem
                }
            } while rest.first == UInt8(ascii: ",")
            guard rest.popFirst() == signs.close else { throw problem }
        }
        guard rest.popFirst() == UInt8(ascii: " ") else { throw problem }
        guard let value = Double(String(decoding: rest, as: UTF8.self).replacing("Inf", with: "infinity")) else {
            throw problem
        }
        return Sample(name: name, labels: labels, value: value)
    }
}
