import ControlProtocol
import FoundationEssentials
import Glibc

/// Where lightd is asked: at a unix socket, here or on another machine by ssh, at a host by TCP, or at a site by a broker.
enum Endpoint: Equatable, Sendable {
    case socket(SocketPath)
    case tcp(DaemonURL, AccessToken?)
    /// `mayAsk`: as in ``SSHLocation/command(mayAsk:)``.
    case ssh(SSHLocation, mayAsk: Bool)
    /// By the name of the site; empty for the relay itself.
    case site(String, RelayProcess)

    static let variable = "LIGHTCTL_URL"
    static let insecureVariable = "LIGHTCTL_INSECURE"

    /// The one that the user names by an option, else by the environment, else the socket that exists.
    ///
    /// - Parameters:
    ///   - socket, url, tokenFile, insecure: the values of `--socket`, `--url`, `--token-file` and `--insecure`.
    ///   - mayAsk: whether somebody is there whom ssh may ask.
    init(
        socket: String?, url: String?, tokenFile: String?, insecure: Bool, mayAsk: Bool = true,
        environment: [String: String], exists: (String) -> Bool
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
                throw Self.needlessToken
            }
            self = .socket(SocketPath(option: socket, environment: environment, exists: exists))
            return
        }
        let name = url == nil ? Self.variable : "--url"
        let location: DaemonURL
        let isBySSH = SSHLocation.isMeant(by: text)
        if isBySSH, tokenFile != nil { throw Self.needlessToken }
        do throws(DaemonURL.Malformed) {
            guard !isBySSH else {
                self = .ssh(try SSHLocation(text), mayAsk: mayAsk)
                return
            }
            location = try DaemonURL(text)
        } catch {
            // Judged by bytes: a mark on the "@" hides it from a look at characters.
            let isShown = error.isShown && !text.utf8.contains(UInt8(ascii: "@"))
            throw ErrorReply(
                .invalid, (isShown ? "\(name) '\(printable(text))' " : "\(name) ") + error.reason,
                hint: error.hint)
        }
        guard location.isLoopback || insecure || environment[Self.insecureVariable] == "1" else {
            throw ErrorReply(
                .invalid,
                "\(name) '\(location)' is not encrypted: whoever can listen on the way reads the token and all else",
                hint:
                    "ask by ssh, which encrypts: ssh://[USER@]\(DaemonURL.written(location.host)) (lightctl speaks no TLS); "
                    + "--insecure or \(Self.insecureVariable)=1 sends it all the same")
        }
        self = .tcp(location, try AccessToken.given(file: tokenFile, environment: environment))
    }

    init(
        _ options: GlobalOptions, mayAsk: Bool = true, environment: [String: String]
    ) throws(ErrorReply) {
        if let site = options.site {
            // Several are asked by as many lightctls, each for one.
            guard let name = try SitePattern(site).only else {
                throw ErrorReply(
                    .invalid, "'\(printable(site))' may mean several sites, but this asks one", hint: "name one site")
            }
            self = .site(
                name,
                try RelayProcess(
                    broker: options.broker, insecure: options.insecure,
                    within: options.patience, environment: environment))
            return
        }
        try self.init(
            socket: options.socket, url: options.url, tokenFile: options.tokenFile, insecure: options.insecure,
            mayAsk: mayAsk, environment: environment, exists: { access($0, F_OK) == 0 })
    }

    private static let needlessToken = ErrorReply(
        .invalid, "--token-file is for TCP, but this goes to a socket, which needs no token",
        hint: "name lightd's address with --url or \(variable): http://HOST")

    /// Whether another home answers, whom a person here need not trust.
    var isSite: Bool { if case .site = self { true } else { false } }

    /// In errors.
    var address: String {
        switch self {
        case let .socket(path): path.chosen
        case let .tcp(url, _): "\(url)"
        case let .ssh(location, _): "\(location)"
        case let .site(site, _): "site '\(site)'"
        }
    }

    /// What every request says of where it goes and who sends it.
    ///
    /// - Parameter client: what the client calls itself, in one line.
    func headerFields(calling client: String) -> [String] {
        switch self {
        case .socket, .ssh:
            // The name of the host is arbitrary: the socket decides where the request goes.
            ["Host: lightd", "\(Routes.clientHeader): \(client)"]
        case let .site(site, _):
            ["Host: lightd", "\(Routes.clientHeader): \(client)", "\(SiteRelayProtocol.siteHeader): \(site)"]
        case let .tcp(url, token):
            ["Host: \(url.hostField)", "\(Routes.clientHeader): \(client)"]
                + (token.map { ["Authorization: Bearer \($0.text)"] } ?? [])
        }
    }

    /// Why no connection could be made, and what to do next.
    func reply(_ failure: ConnectionFailure) -> ErrorReply {
        switch (self, failure) {
        case let (.socket(path), .socket(diagnosis)): diagnosis.reply(path)
        case let (.tcp(url, _), .host(diagnosis)): diagnosis.reply(url)
        case let (.ssh(location, _), .tunnel(diagnosis)): diagnosis.reply(location)
        case (.site, _): ErrorReply(.daemonUnreachable, "the relay to the broker has ended")
        case (.socket, _), (.tcp, _), (.ssh, _): ErrorReply(.daemonUnreachable, "cannot reach lightd at \(address)")
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
        case .tcp, .ssh, .site: "see 'systemctl status lightd' on lightd's machine"
        }
    }
}

/// Why no connection could be made.
enum ConnectionFailure: Error, Equatable, Sendable {
    case socket(SocketDiagnosis)
    case host(HostDiagnosis)
    case tunnel(TunnelDiagnosis)
}

/// What an exchange connects to.
enum Destination: Equatable, Sendable {
    case socket(String)
    /// Each is tried in turn, until one accepts the connection.
    case addresses([IPEndpoint])
    /// A program and its arguments, for a ``Tunnel``.
    case program([String])
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
        case let .site(_, relay): return .socket(relay.socket)
        case let .ssh(location, mayAsk): return .program(location.command(mayAsk: mayAsk))
        case let .tcp(url, _):
            if let address = IPEndpoint(url.host, url.port) { return .addresses([address]) }
            let all =
                url.isLocalhost ? ["127.0.0.1", "::1"] : try HostLookup.addresses(of: url.host, until: deadline)
            return .addresses(all.compactMap { IPEndpoint($0, url.port) })
        }
    }
}
