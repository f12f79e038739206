import FoundationEssentials
import HueWire

extension JSONValue {
    /// Parses a body; `nil` if it is not JSON. Both APIs, the control port and the faults read bodies by this.
    init?(wire bytes: [UInt8]) {
        guard let value = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
        self = value
    }

    /// The value as text, as every response writes it.
    var wire: [UInt8] {
        // Encoding fails only for NaN and infinities, which no document holds.
        (try? JSONEncoder.wire.encode(self)).map { Array($0) } ?? []
    }
}

extension JSONEncoder {
    static var wire: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
