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

    /// One path of the API, with the method and the query fields that it takes.
    struct Route: Sendable {
        let path: String
        var method = HTTPRequest.Method.get
        var query: Set<Routes.Query> = []
        /// What a client needs for it. A command may need more (``Command/neededRole``).
        var access = AccessLevel.look
        /// Whether it takes ``AccessLevel/owner`` for what this query asks for.
        var isForOwner: @Sendable (APIRequest) throws(ErrorReply) -> Bool = { _ in false }
        let respond: @Sendable (ControlAPI) -> (APIRequest) async throws -> Response

        /// HEAD is answered as GET; ``ErrorMiddleware`` leaves the body out.
        var methods: [HTTPRequest.Method] { method == .get ? [.get, .head] : [method] }
    }

    static let routes = [
        Route(path: Routes.lights, query: [.target], respond: ControlAPI.lights),
        Route(path: Routes.rooms, respond: ControlAPI.rooms),
        Route(path: Routes.scenes, respond: ControlAPI.scenes),
        Route(path: Routes.sensors, query: [.target], respond: ControlAPI.sensors),
        Route(path: Routes.scene, query: [.scene], respond: ControlAPI.scene),
        Route(path: Routes.bridges, respond: ControlAPI.bridges),
        Route(path: Routes.followings, respond: ControlAPI.followings),
        Route(path: Routes.curves, respond: ControlAPI.curves),
        Route(path: Routes.dashboard, respond: ControlAPI.dashboard),
        Route(path: Routes.bindings, respond: ControlAPI.bindings),
        Route(path: Routes.away, respond: ControlAPI.away),
        Route(path: Routes.names, respond: ControlAPI.names),
        Route(
            path: Routes.log, query: [.target, .by, .cause, .since, .until, .after, .feature, .limit],
            access: .readOnly, respond: ControlAPI.log),
        Route(path: Routes.automations, respond: ControlAPI.automations),
        Route(
            path: Routes.automations, method: .put, query: [.keep, .dryRun], access: .full, respond: ControlAPI.apply),
        Route(path: Routes.preview, query: [.date], respond: ControlAPI.preview),
        Route(
            path: Routes.simulation, method: .post, query: [.since, .until], access: .full,
            respond: ControlAPI.simulate),
        Route(path: Routes.timers, respond: ControlAPI.timers),
        Route(path: Routes.status, respond: ControlAPI.status),
        Route(path: Routes.sun, query: [.date], respond: ControlAPI.sun),
        Route(path: Routes.diagnosis, access: .full, respond: ControlAPI.diagnosis),
        Route(path: Routes.messages, method: .post, access: .control, respond: ControlAPI.message),
        Route(path: Routes.events, respond: ControlAPI.events),
        Route(path: Routes.page, respond: ControlAPI.page),
        Route(path: Routes.pageEvents, respond: ControlAPI.pageEvents),
        Route(path: Routes.tokens, access: .local, respond: ControlAPI.listTokens),
        Route(path: Routes.tokens, method: .post, access: .local, respond: ControlAPI.createToken),
        Route(path: Routes.tokens, method: .delete, query: [.name], access: .local, respond: ControlAPI.revokeToken),
        Route(
            path: Routes.backup, query: [.keys], access: .local,
            isForOwner: { request throws(ErrorReply) in try request.flag(.keys) }, respond: ControlAPI.makeBackup),
        // What replaces the keys and tokens is for those who may have them. A dry run only reads what was sent.
        Route(
            path: Routes.backup, method: .put, query: [.dryRun], access: .local,
            isForOwner: { request throws(ErrorReply) in try !request.flag(.dryRun) },
            respond: ControlAPI.restoreBackup),
        Route(
            path: Routes.accessLog, query: [.since, .until, .limit], access: .full, respond: ControlAPI.accessLog),
        Route(path: Routes.session, respond: ControlAPI.session),
        Route(path: Routes.session, method: .post, access: .none, respond: ControlAPI.signIn),
        Route(path: Routes.session, method: .delete, access: .none, respond: ControlAPI.signOut),
        Route(path: Routes.links, method: .post, access: .full, respond: ControlAPI.createLink),
        Route(path: Routes.live, access: .none, respond: ControlAPI.live),
        Route(path: Routes.ready, access: .none, respond: ControlAPI.ready),
        Route(path: Routes.openAPI, respond: ControlAPI.openAPI),
    ]

    static func routes(at path: String) -> [Route] { routes.filter { $0.path == path } }

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
        for (route, method) in Self.routes.flatMap({ route in route.methods.map { (route, $0) } }) {
            router.on(RouterPath(stringLiteral: route.path), method: method) { [self] request, context in
                // The router ignores a final slash; the API does not.
                guard request.uri.path == route.path else { throw HTTPError(.notFound) }
                let query = try APIRequest.fields(of: request.uri.query, known: route.query)
                let asked = APIRequest(
                    http: request, query: query, admission: context.admission, channel: context.channel,
                    streams: streams, gone: connections.connection(of: context.channel)?.gone ?? Promise())
                if try route.isForOwner(asked) { try context.admission.check(.owner, audit) }
                return try await route.respond(self)(asked)
            }
        }
        return router
    }
}
