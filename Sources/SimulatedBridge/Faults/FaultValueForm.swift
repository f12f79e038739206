/// The value that may follow a fault's name.
enum FaultValueForm: Equatable, Sendable {
    case nothing
    /// A whole number. It may be left out if there is a usual one.
    case number(String, ClosedRange<Int>, usual: Int?)
    /// One of several words, or none.
    case word([String])
    /// A lamp or room by name or id; all lamps or rooms if none is given.
    case one(String)
    /// "PORT", "ADDRESS" or "ADDRESS:PORT"; another free port if none is given.
    case address

    /// As shown in the help text and the catalogue: "N", "[STATUS]".
    var usage: String? {
        switch self {
        case .nothing: nil
        case let .number(name, _, usual): usual == nil ? name : "[\(name)]"
        case let .word(words): "[\(words.joined(separator: "|"))]"
        case let .one(name): "[\(name)]"
        case .address: "[ADDRESS:PORT]"
        }
    }

    func check(_ value: Fault.Value?, of name: String) throws(FaultError) -> Fault.Value? {
        switch (self, value) {
        case (.nothing, nil): return nil
        case (.nothing, _): throw FaultError("'\(name)' takes no value")
        case let (.number(word, range, usual), value):
            guard let value else {
                if let usual { return .number(usual) }
                throw FaultError("'\(name)' needs a value: \(name):\(word)")
            }
            guard let number = value.number, range.contains(number) else {
                let bounds = "\(range.lowerBound) to \(range.upperBound)"
                throw FaultError("\(word) of '\(name)' must be a whole number from \(bounds), not \(value)")
            }
            return .number(number)
        case (_, nil): return nil
        case let (.word(words), value?):
            guard case let .text(text) = value, words.contains(text) else {
                throw FaultError("'\(name)' takes one of \(words.joined(separator: ", ")), not \(value)")
            }
            return value
        case let (.one(what), value?):
            // A lamp may be called 7.
            let text = value.description
            guard !text.isEmpty else { throw FaultError("'\(name)' takes the name of a \(what.lowercased())") }
            return .text(text)
        case let (.address, value?):
            guard let address = ListenAddress(value.description) else {
                throw FaultError("'\(name)' takes a port, an address, or both: 8443, 127.0.0.2, 127.0.0.2:8443")
            }
            if let host = address.host, !ListenAddress.isLocal(host) {
                throw FaultError("'\(name)' takes an address of this machine, not '\(host)'")
            }
            return .text(address.description)
        }
    }
}
