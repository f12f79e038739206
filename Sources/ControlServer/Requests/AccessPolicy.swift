import ControlProtocol
import HTTPTypes

/// Who may send requests to a listener. For the unix socket, its file's mode decides. For TCP, a token decides, and the
/// `Host` and `Origin` headers: a web page elsewhere must not be able to switch lights.
enum AccessPolicy: Sendable {
    case socket
    case tcp(ControlServerSettings.TCP)

    /// - Parameter needsToken: false for the health paths.
    func check(_ head: HTTPRequest, needsToken: Bool) throws(APIError) {
        guard case let .tcp(settings) = self else { return }
        guard let host = head.authority, settings.answers(to: host) else {
            throw APIError(
                ErrorReply(
                    .notAllowed, "lightd does not answer to the name '\(head.authority ?? "")'",
                    hint: "names other than localhost and the configured address belong in 'tcp.names'")
            )
        }
        if let origin = head.headerFields[.origin], !settings.accepts(origin: origin) {
            throw APIError(ErrorReply(.notAllowed, "pages from '\(origin)' may not use lightd"))
        }
        guard !needsToken || settings.accepts(authorization: head.headerFields[.authorization]) else {
            throw APIError(
                ErrorReply(
                    .notAllowed, "over TCP, lightd requires its token",
                    hint: "send 'Authorization: Bearer TOKEN' with the token of 'tcp.token_file'"),
                status: .unauthorized,
                headers: [.wwwAuthenticate: "Bearer realm=\"lightd\""]
            )
        }
    }

    /// Whether the client may use its connection for another request. Who has shown no token gets one answer, so that
    /// strangers cannot keep connections.
    func knows(_ head: HTTPRequest) -> Bool {
        switch self {
        case .socket: true
        case let .tcp(settings): settings.accepts(authorization: head.headerFields[.authorization])
        }
    }

    /// The name that the client gives itself, for tickets.
    func client(of head: HTTPRequest) -> String {
        let name = HTTPField.Name(Routes.clientHeader).flatMap { head.headerFields[$0] }
        // A line of the log must stay one short line without terminal escapes.
        let readable = name.map { text in
            String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.generalCategory != .control }))
                .prefix(64)
        }
        let client = readable.flatMap { $0.isEmpty ? nil : String($0) }
        return switch self {
        case .socket: client ?? "a client of the socket"
        case .tcp: (client ?? "a client") + " over TCP"
        }
    }
}

extension ControlServerSettings.TCP {
    /// - Parameter authority: a `Host` header: a name or address, with or without a port.
    func answers(to authority: String) -> Bool {
        guard let host = Self.host(of: authority) else { return false }
        if Self.isLoopback(host) { return true }
        // No honest client names the wildcard address.
        let own = Self.isWildcard(self.host) ? [] : [self.host]
        return (own + names).contains { Self.host(of: Self.bracketed($0)) == host }
    }

    /// - Parameter origin: an `Origin` header: "https://lights.example:8443", or "null", which is refused.
    func accepts(origin: String) -> Bool {
        let origin = origin.lowercased()
        for scheme in ["http://", "https://"] where origin.hasPrefix(scheme) {
            return answers(to: String(origin.dropFirst(scheme.count)))
        }
        return false
    }

    /// Compares in constant time: the time does not reveal how much of the token is right.
    func accepts(authorization: String?) -> Bool {
        guard let authorization, authorization.lowercased().hasPrefix("bearer "), !token.isEmpty else { return false }
        let given = Array(authorization.utf8.dropFirst("bearer ".utf8.count).drop { $0 == UInt8(ascii: " ") })
        let wanted = Array(token.utf8)
        var difference = UInt(bitPattern: given.count ^ wanted.count)
        for index in given.indices { difference |= UInt(given[index] ^ wanted[index % wanted.count]) }
        return difference == 0
    }

    /// Without its port, in lower case, and without the final dot or the brackets; `nil` if it is not an authority.
    private static func host(of authority: String) -> String? {
        let text = authority.lowercased()
        let host: Substring
        let rest: Substring
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            (host, rest) = (text[text.index(after: text.startIndex)..<end], text[text.index(after: end)...])
        } else {
            let colon = text.firstIndex(of: ":") ?? text.endIndex
            (host, rest) = (text[..<colon], text[colon...])
        }
        guard !host.isEmpty,
            rest.isEmpty || (rest.first == ":" && rest.dropFirst().allSatisfy { ("0"..."9").contains($0) })
        else { return nil }
        return String(host.hasSuffix(".") ? host.dropLast() : host)
    }

    private static func bracketed(_ host: String) -> String {
        host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        // Exactly four numbers: anybody may own "127.0.0.1.example.org".
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return numbers.count == 4 && numbers.allSatisfy { $0 != nil } && numbers[0] == 127
    }

    private static func isWildcard(_ host: String) -> Bool {
        ["0.0.0.0", "::", "[::]", ""].contains(host)
    }
}
