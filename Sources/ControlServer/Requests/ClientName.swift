import ControlProtocol

/// What a client calls itself, in the log and in causes. ``SenderName`` puts it in quotation marks, so that nothing in it
/// looks as if lightd had said it.
///
/// It is read before the client is known, so it costs the same whatever is sent.
struct ClientName: Equatable {
    /// One short line in which all is seen that is there, without quotation marks of any script: it cannot end those that
    /// stand around it.
    let text: String

    /// Of what a client sends, as much is read.
    private static let longestRead = 256

    /// - Parameter given: by the client. `nil` if nothing of it is left.
    init?(_ given: String) {
        var text = String.UnicodeScalarView()
        var (read, length, needsBlank) = (0, 0, false)
        for scalar in given.unicodeScalars {
            read += UTF8.width(scalar)
            guard read <= Self.longestRead else { break }
            if scalar.properties.isWhitespace {
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

extension Unicode.Scalar {
    /// Whether it leaves nothing to see, and is not a space either: it controls something, or how its neighbours look.
    fileprivate var isUnseen: Bool {
        if properties.isWhitespace { return false }
        let blankBraille: Unicode.Scalar = "\u{2800}"
        return [.control, .format, .surrogate, .unassigned, .privateUse].contains(properties.generalCategory)
            || properties.isDefaultIgnorableCodePoint || self == blankBraille
    }

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

/// Who sends a request, in words for tickets, the log and the access log.
///
/// lightd's own words come first and say what it knows: "anna (uid 1000)", "a client with token 'panel' over TCP". What
/// the client says of itself stands in quotation marks, which nothing that a client says contains. So nobody can pass for
/// another, and a reader sees whose word it is.
struct SenderName: Equatable, Sendable {
    /// In lightd's own words alone.
    let known: String
    /// With what the client says of itself.
    let text: String

    static let lightd = SenderName(known: "lightd", text: "lightd")

    private init(known: String, text: String) { (self.known, self.text) = (known, text) }

    /// A client of the unix socket: `anna (uid 1000) with lightctl`, `uid 1000 with python3 as "kitchen panel"`.
    ///
    /// - Parameters:
    ///   - peer: `nil` if the kernel does not say.
    ///   - user: the name of the peer's user; `nil` if it is not known.
    ///   - name: that the client gives itself.
    init(_ peer: SocketPeer?, user: String?, calling name: ClientName?) {
        let known = peer.map { Self.user($0.uid, user) } ?? "a client of the socket"
        let program = peer?.program.flatMap { ClientName($0)?.text }
        // lightctl says that it is lightctl, in an earlier version with its user.
        let repeated = program.map { [$0, "\($0) (uid \(peer?.uid ?? 0))"] } ?? []
        let own = name.flatMap { repeated.contains($0.text) ? nil : $0.text }
        self.init(
            known: known,
            text: known + (program.map { " with \($0.isPlain ? $0 : Self.quoted($0))" } ?? "")
                + (own.map { " as \(Self.quoted($0))" } ?? ""))
    }

    /// A client over TCP: `"panel" with token 'panel' over TCP from 192.0.2.7`, `a client over TCP`; or a page that has
    /// signed in: `a page with token 'phone 22 Nov 14:03' over TCP`.
    ///
    /// - Parameters:
    ///   - name: that the client gives itself.
    ///   - isPage: whether it has shown the secret of a page's session.
    ///   - way: lightd's own words: " with token 'panel' over TCP".
    init(calling name: ClientName?, isPage: Bool = false, _ way: String) {
        let known = isPage ? "a \(Routes.pageClient)" : "a client"
        let own = isPage && name?.text == Routes.pageClient ? nil : name?.text
        self.init(known: known + way, text: (own.map(Self.quoted) ?? known) + way)
    }

    /// " with token 'panel'". A quotation mark in its name ends nothing: it becomes another one.
    static func token(_ name: String) -> String {
        " with token '\(name.replacing("'", with: "\u{2019}").replacing("\"", with: "\u{201D}"))'"
    }

    private static func user(_ uid: UInt32, _ name: String?) -> String {
        name.flatMap { $0.isPlain ? "\($0) (uid \(uid))" : nil } ?? "uid \(uid)"
    }

    /// - Parameter text: of a ``ClientName``, which has no quotation marks.
    private static func quoted(_ text: String) -> String { "\"\(text)\"" }
}

extension String {
    /// Whether it is a word like the names of programs and users, which nobody can take for more than that.
    fileprivate var isPlain: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"),
                    UInt8(ascii: "+"), UInt8(ascii: "@"), UInt8(ascii: "\\"):
                    true
                default: false
                }
            }
    }
}
