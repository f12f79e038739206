import ControlProtocol
import FoundationEssentials
import Glibc

/// Where lightd is asked: at a unix socket, or at a host by TCP.
enum Endpoint: Equatable, Sendable {
    case socket(SocketPath)
    case tcp(DaemonURL, AccessToken?)

    static let variable = "LIGHTCTL_URL"

    /// The one that the user names by an option, else by the environment, else the socket that exists.
    ///
    /// - Parameters:
    ///   - socket, url, tokenFile: the values of `--socket`, `--url` and `--token-file`.
    init(
        socket: String?, url: String?, tokenFile: String?, environment: [String: String], exists: (String) -> Bool
    ) throws(ErrorReply) {
        let variable = environment[Self.variable].flatMap { $0.isEmpty ? nil : $0 }
        let isSocketSet = environment[SocketPath.variable]?.isEmpty == false
        if socket == nil, url == nil, variable != nil, isSocketSet {
            throw ErrorReply(
                .invalid, "\(SocketPath.variable) and \(Self.variable) are both set",
                hint: "unset one of them, or choose with --socket or --url")
        }
        guard let text = url ?? (socket == nil ? variable : nil) else {
            guard tokenFile == nil else {
                throw ErrorReply(
                    .invalid, "--token-file is for TCP, but this goes to a socket, which needs no token",
                    hint: "name lightd's address with --url or \(Self.variable)")
            }
            self = .socket(SocketPath(option: socket, environment: environment, exists: exists))
            return
        }
        let location: DaemonURL
        do throws(DaemonURL.Malformed) {
            location = try DaemonURL(text)
        } catch {
            let name = url == nil ? Self.variable : "--url"
            throw ErrorReply(
                .invalid, (error.isShown ? "\(name) '\(printable(text))' " : "\(name) ") + error.reason,
                hint: error.hint)
        }
        self = .tcp(location, try AccessToken.given(file: tokenFile, environment: environment))
    }

    init(_ options: GlobalOptions, environment: [String: String]) throws(ErrorReply) {
        try self.init(
            socket: options.socket, url: options.url, tokenFile: options.tokenFile,
            environment: environment, exists: { access($0, F_OK) == 0 })
    }

    /// In errors.
    var address: String {
        switch self {
        case let .socket(path): path.chosen
        case let .tcp(url, _): "\(url)"
        }
    }

    /// What every request says of where it goes and who sends it.
    var headerFields: [String] {
        switch self {
        case .socket:
            // The name of the host is arbitrary: the socket decides where the request goes.
            ["Host: lightd", "\(Routes.clientHeader): lightctl"]
        case let .tcp(url, token):
            ["Host: \(url.hostField)", "\(Routes.clientHeader): lightctl"]
                + (token.map { ["Authorization: Bearer \($0.text)"] } ?? [])
        }
    }

    /// Why no connection could be made, and what to do next.
    func reply(_ failure: ConnectionFailure) -> ErrorReply {
        switch (self, failure) {
        case let (.socket(path), .socket(diagnosis)): diagnosis.reply(path)
        case let (.tcp(url, _), .host(diagnosis)): diagnosis.reply(url)
        case (.socket, .host), (.tcp, .socket): ErrorReply(.daemonUnreachable, "cannot reach lightd at \(address)")
        }
    }

    /// An error of lightd's, worded for those who can do something about it here.
    ///
    /// - Parameter status: of HTTP.
    func reply(_ error: ErrorReply, status: Int) -> ErrorReply {
        guard case let .tcp(url, token) = self, status == 401, error.error.code == .notAllowed else { return error }
        return ErrorReply(
            .notAllowed,
            token.map { "lightd at \(url) does not know the token of \($0.source)" }
                ?? "lightd at \(url) requires a token",
            hint: AccessToken.hint)
    }

    /// The command that says how lightd is.
    var statusHint: String {
        switch self {
        case .socket: "see 'systemctl status lightd'"
        case .tcp: "see 'systemctl status lightd' on lightd's machine"
        }
    }
}

/// Why no connection could be made.
enum ConnectionFailure: Error, Equatable, Sendable {
    case socket(SocketDiagnosis)
    case host(HostDiagnosis)
}

/// What an exchange connects to.
enum Destination: Equatable, Sendable {
    case socket(String)
    /// Each is tried in turn, until one accepts the connection.
    case addresses([IPEndpoint])
}

/// The addresses of an endpoint. A name is looked up once, and once more after none of its addresses could be reached.
final class DestinationCache {
    private let endpoint: Endpoint
    private var known: Destination?

    init(of endpoint: Endpoint) { self.endpoint = endpoint }

    /// - Throws: `noConnection` if the name has no address.
    func destination(until deadline: ContinuousClock.Instant) throws(TransportError) -> Destination {
        if let known { return known }
        do throws(HostDiagnosis) {
            let found = try find(until: deadline)
            known = found
            return found
        } catch {
            throw .noConnection(.host(error))
        }
    }

    func forget() { known = nil }

    private func find(until deadline: ContinuousClock.Instant) throws(HostDiagnosis) -> Destination {
        switch endpoint {
        case let .socket(path): return .socket(path.chosen)
        case let .tcp(url, _):
            if let address = IPEndpoint(url.host, url.port) { return .addresses([address]) }
            let all =
                url.isLocalhost ? ["127.0.0.1", "::1"] : try HostLookup.addresses(of: url.host, until: deadline)
            return .addresses(all.compactMap { IPEndpoint($0, url.port) })
        }
    }
}
