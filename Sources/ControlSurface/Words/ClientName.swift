public import ControlProtocol

/// What a client calls itself, in the log and in causes. Surfaces put it in quotation marks, so that nothing in it looks as if
/// lightd had said it.
///
/// It is read before the client is known, so it costs the same whatever is sent.
public struct ClientName: Equatable {
    /// One short line in which all is seen that is there, without quotation marks of any script: it cannot end those that
    /// stand around it.
    public let text: String

    /// Of what a client sends, as much is read.
    private static let longestRead = 256

    /// - Parameters:
    ///   - given: by the client. `nil` if nothing of it is left.
    ///   - isOfPage: whether it is what people call a page: then an apostrophe between two letters stays ("Anna’s phone").
    public init?(_ given: String, isOfPage: Bool = false) {
        var text = String.UnicodeScalarView()
        var (read, length, needsBlank) = (0, 0, false)
        let scalars = given.unicodeScalars.prefix(Self.longestRead)
        for (index, scalar) in zip(scalars.indices, scalars) {
            read += UTF8.width(scalar)
            guard read <= Self.longestRead else { break }
            let next = scalars.index(after: index)
            if isOfPage, scalar.isApostrophe, !needsBlank, text.last?.properties.isAlphabetic == true,
                next < scalars.endIndex, scalars[next].properties.isAlphabetic
            {
                guard length + 2 <= Routes.longestClientName else { break }
                text.append("\u{2019}")
                length += 1
            } else if scalar.properties.isWhitespace {
                needsBlank = length > 0
            } else if !scalar.isUnseen, !scalar.isQuotationMark, length > 0 || !scalar.isMark {
                guard length + (needsBlank ? 2 : 1) <= Routes.longestClientName else { break }
                if needsBlank { text.append(" ") }
                text.append(scalar)
                length += needsBlank ? 2 : 1
                needsBlank = false
            }
        }
        guard !text.isEmpty else { return nil }
        self.text = String(text)
    }
}

extension ClientName {
    /// Who sends something over a broker, in lightd's words: "mqtt", or with what the client calls itself:
    /// `mqtt as "node-red"`.
    public static func sender(overMQTT name: Self?) -> String { "mqtt" + (name.map { " as \"\($0.text)\"" } ?? "") }
}

extension ErrorReply {
    /// What a client of a broker is told that asks for more than `mqtt.allow`, or its topic, lets it.
    public static func notAllowedOverMQTT(_ role: TokenAccess) -> Self {
        Self(
            .notAllowed, "over MQTT this is not allowed: it needs the role '\(role.rawValue)'",
            hint: "'mqtt.allow' in the configuration of lightd says what is")
    }
}

extension Unicode.Scalar {
    /// Whether it leaves nothing to see, and is not a space either: it controls something, or how its neighbours look.
    fileprivate var isUnseen: Bool {
        if properties.isWhitespace { return false }
        let blankBraille: Unicode.Scalar = "\u{2800}"
        return [.control, .format, .surrogate, .unassigned, .privateUse].contains(properties.generalCategory)
            || properties.isDefaultIgnorableCodePoint || self == blankBraille
    }

    fileprivate var isApostrophe: Bool { self == "'" || self == "\u{2019}" || self == "\u{2BC}" }

    /// Whether it is drawn onto what stands before it: with nothing before it, that would be lightd's word.
    fileprivate var isMark: Bool {
        [.nonspacingMark, .spacingMark, .enclosingMark].contains(properties.generalCategory)
    }

    /// Whether it is a quotation mark, or is drawn like one: accents that stand alone, primes, and the apostrophes and
    /// marks of several scripts.
    fileprivate var isQuotationMark: Bool {
        switch value {
        case 0x60, 0xB4, 0x2B9...0x2BF, 0x2C8, 0x2CA, 0x2CB, 0x2D9, 0x2DD, 0x2EE, 0x2F4, 0x2F6, 0x374, 0x384, 0x55A,
            0x55B, 0x55D, 0x5F3, 0x5F4, 0x7F4, 0x7F5, 0x1FBD, 0x1FBF, 0x1FEF, 0x1FFD, 0x1FFE, 0x2032...0x2037, 0x2057,
            0x275B...0x275E, 0xA78B, 0xA78C, 0xFF40:
            true
        default: properties.isQuotationMark
        }
    }
}
