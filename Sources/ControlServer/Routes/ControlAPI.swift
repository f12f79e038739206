import ControlProtocol
import ControlSurface
import Executors
import FoundationEssentials
import HTTPTypes
import Hummingbird
import Khipu
import Lighting
import Logging
import NIOCore
import Synchronization

/// Handles every request of the control API, on the unix socket and on TCP: reads the state, submits commands, streams
/// changes.
final class ControlAPI: Sendable {
    let surface: ControlSurface
    let liveSettings: Live<ControlServerSettings>
    let logger: Logger
    let commands: ConcurrencyLimit<Never>
    let tokens: AccessTokens
    let backups: StateBackups
    let attempts: SecretAttempts
    let audit: AccessAudit
    let users: UserNames
    let links: OneTimeLinks
    /// Strangers may send a body to sign in, and it must not be they who decide how many connections wait for one, nor
    /// one of them who keeps all others out.
    let signIns = ConcurrencyLimit<[UInt8]>(32, ofClient: 8)
    let tcpState = Mutex(TCPState())
    /// Where requests over the unix socket are answered.
    let local = RestingExecutor(thread: "lightd-local")
    /// Where those over TCP are, so that whoever asks without pause from there delays only others who do.
    let network = RestingExecutor(thread: "lightd-network")
    /// Where streams run: a change wakes up to a thousand of them, and commands must not wait behind them.
    let readers = RestingExecutor(thread: "lightd-readers")
    /// Where files and long answers are read and made, so that neither streams nor commands wait for that.
    let bulk = RestingExecutor(thread: "lightd-bulk")
    /// Bounds what is read, and not taken by its client yet, in thousands of entries: of 3 MB for each ten, and as much
    /// again while it is made. Those over TCP have a limit of their own: they must not lock out who sits at the machine.
    private let reads = (
        socket: ConcurrencyLimit<String>(48, ofClient: 32), tcp: ConcurrencyLimit<String>(32, ofClient: 16)
    )
    /// Sent for every change of the home, by ``relayChanges()``.
    let changes = ChangeSignal()
    /// The events that lead to the newest state, framed, by the id of the state they begin at; `nil` if nothing looks
    /// different.
    let sharedEvents = StateCache<Int64, ByteBuffer?>()
    /// The same for the page's events.
    let sharedPageEvents = StateCache<PageStep, ByteBuffer?>()
    /// By path, and by access if it differs for readers.
    let lists = StateCache<String, ByteBuffer>()
    /// Bounds what bridges are asked for on behalf of those who only read: a scene that several ask for is read once.
    let bridgeReads = ConcurrencyLimit<String>(4, ofClient: 2)
    let diagnoses = SharedWork<Bool, DiagnosisBody>()
    let sceneReads = SharedWork<String, SceneValuesBody>()
    /// Fulfilled when no new requests are taken and streams end.
    let stopping = Promise<Void>()
    /// Fulfilled when requests that still wait for an outcome are answered without it.
    let abandoning = Promise<Void>()

    init(
        _ surface: ControlSurface, _ liveSettings: Live<ControlServerSettings>, _ tokens: AccessTokens,
        _ attempts: SecretAttempts, _ audit: AccessAudit, _ backups: StateBackups, _ logger: Logger
    ) {
        let settings = liveSettings.value
        self.surface = surface
        self.backups = backups
        self.tokens = tokens
        self.attempts = attempts
        self.audit = audit
        users = UserNames(now: settings.uptime)
        links = OneTimeLinks(now: settings.uptime)
        self.liveSettings = liveSettings
        self.logger = logger
        commands = ConcurrencyLimit(settings.maximumInFlight)
    }

    var settings: ControlServerSettings { liveSettings.value }

    /// - Parameter weight: as how many reads it counts.
    /// - Throws: 503 if too many are under way.
    func enterReads(_ request: APIRequest, weight: Int) throws(APIError) -> ConcurrencyLimit<String>.Permit {
        try (request.admission.level < .local ? reads.tcp : reads.socket).enter(
            request.party, weight: weight, "reads are under way", ofClient: "reads of this client are under way")
    }

    /// The body of a request, unless its sender was shut out while it arrived.
    ///
    /// - Throws: as ``APIRequest/body(upTo:within:)``, and 401 if the token has ended.
    func body(of request: APIRequest, upTo largest: Int = APIRequest.largestBody) async throws -> Data {
        let body = try await request.body(upTo: largest, within: settings.timeouts.body)
        try request.admission.checkAgain(tokens, audit)
        return body
    }

    /// The API for one listener, whose policy says who may ask, with its connections and streams.
    func router(
        _ policy: AccessPolicy, _ connections: ConnectionLimit, _ streams: ConcurrencyLimit<String>
    ) -> Router<APIContext> {
        let router = Router(context: APIContext.self)
        router.addMiddleware {
            BrowserMiddleware(policy: policy)
            AdmissionMiddleware(policy: policy, connections: connections, users: users)
            ErrorMiddleware(logger: logger)
            StoppingMiddleware(stopping: stopping)
            PageFilesMiddleware(audit: audit)
            AccessMiddleware(audit: audit)
        }
        add(Self.routes, to: router, streams) { connections.connection(of: $0)?.gone }
        return router
    }

    /// The API for what other surfaces bring, who know what it may do.
    func router() -> Router<APIContext> {
        let router = Router(context: APIContext.self)
        router.addMiddleware {
            ErrorMiddleware(logger: logger)
            StoppingMiddleware(stopping: stopping)
            AccessMiddleware(audit: audit)
        }
        add(Self.routes.filter { !$0.isDirect }, to: router, ConcurrencyLimit(0)) { _ in nil }
        return router
    }

    /// - Parameter gone: fulfilled when the client of a connection has left.
    private func add(
        _ routes: [Route], to router: Router<APIContext>, _ streams: ConcurrencyLimit<String>,
        _ gone: @escaping @Sendable (any Channel) -> Promise<Void>?
    ) {
        for (route, method) in routes.flatMap({ route in route.methods.map { (route, $0) } }) {
            router.on(RouterPath(stringLiteral: route.path), method: method) { [self] request, context in
                // The router ignores a final slash; the API does not.
                guard request.uri.path == route.path else { throw HTTPError(.notFound) }
                let query = try APIRequest.fields(of: request.uri.query, known: route.query)
                let asked = APIRequest(
                    http: request, query: query, admission: context.admission, channel: context.channel,
                    streams: streams, gone: context.channel.flatMap(gone) ?? Promise(),
                    submitted: context.submitted)
                if try route.isForOwner(asked) { try context.admission.check(.owner, audit) }
                return try await route.respond(self)(asked)
            }
        }
    }
}
