import ControlProtocol
import ControlSurface

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
    /// signed in: `a page with token 'phone 22 Nov 14:03' over TCP`, or `a page named 'Anna’s phone' over TCP`.
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

    /// A client of a broker: `mqtt`, `mqtt as "node-red"`.
    init(overMQTT name: ClientName?) {
        self.init(known: "mqtt", text: ClientName.sender(overMQTT: name))
    }

    /// " with token 'panel'". A quotation mark in its name ends nothing: it becomes another one.
    static func token(_ name: String) -> String { " with token '\(withoutMarks(name))'" }

    /// " named 'Anna’s phone'": of a page to which people have given a name.
    static func page(named name: String) -> String { " named '\(withoutMarks(name))'" }

    private static func withoutMarks(_ name: String) -> String {
        name.replacing("'", with: "\u{2019}").replacing("\"", with: "\u{201D}")
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
