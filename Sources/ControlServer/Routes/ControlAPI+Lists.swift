import ControlProtocol
import ControlSurface
import HTTPTypes
import Hummingbird
import Lighting
import NIOCore
import NIOPosix
import Synchronization

/// Reads of the state as it is now.
extension ControlAPI {
    func lights(_ request: APIRequest) async throws -> Response {
        guard let name = request.query[.target] else {
            return try list(request, of: await known, isOfAllBridges: true) { $0.lightBodies }
        }
        let snapshot = await known
        let home = snapshot.home
        // First, because a name that is wrong is never up to date.
        let target = try home.target(named: name)
        return try list(request, of: snapshot, isOfAllBridges: target == .all) { _ in
            home.bodies(of: home.lights(of: target))
        }
    }

    func rooms(_ request: APIRequest) async throws -> Response {
        try list(request, of: await known, isOfAllBridges: true) { $0.roomBodies }
    }
    func scenes(_ request: APIRequest) async throws -> Response {
        try list(request, of: await known) { $0.sceneBodies }
    }
    func sensors(_ request: APIRequest) async throws -> Response {
        guard let name = request.query[.target] else {
            return try list(request, of: await known, isOfAllBridges: true) { $0.sensorBodies }
        }
        let snapshot = await known
        let sensors = try snapshot.home.sensors(named: name)
        // The name of a sensor is no target.
        let isOfAllBridges = (try? snapshot.home.target(named: name)) == .all
        return try list(request, of: snapshot, isOfAllBridges: isOfAllBridges) { $0.bodies(of: sensors) }
    }

    func bridges(_ request: APIRequest) async throws -> Response {
        try list(request, of: await known) { $0.bridgeBodies }
    }
    func bindings(_ request: APIRequest) async throws -> Response {
        try list(request, of: await known) { $0.bindingBodies }
    }
    func followings(_ request: APIRequest) async throws -> Response {
        try list(request, of: await known) { $0.followingBodies }
    }
    func curves(_ request: APIRequest) async throws -> Response {
        try list(request, of: await known) { $0.curveBodies }
    }
    func dashboard(_ request: APIRequest) async throws -> Response {
        try list(request, of: await known) { $0.pinBodies }
    }

    /// The newest state, once each bridge was tried since the start: before, a home would look empty.
    private var known: LatestState.Snapshot {
        get async {
            await surface.waitUntilBridgesAreTried()
            return surface.latest.snapshot
        }
    }

    /// A list of a state. Its entity tag is the state's id: the same state gives the same bytes, so that a
    /// client that has them is told so without making them again.
    ///
    /// - Parameter isOfAllBridges: whether it is to have everything that the bridges have. If lightd has not read one of
    ///   them yet, a header says so.
    private func list(
        _ request: APIRequest, of snapshot: LatestState.Snapshot, isOfAllBridges: Bool = false,
        _ bodies: (Directory) throws -> [some Encodable]
    ) throws -> Response {
        // Those of a target are too many to keep.
        let key = request.query.isEmpty ? request.http.uri.path : nil
        var response = try state(request, of: snapshot, kept: key) { try bodies($0) }
        let unread = isOfAllBridges ? snapshot.home.unreadBridges : []
        if let name = Self.unreadBridges, !unread.isEmpty {
            response.headers[name] = unread.map(\.id.description).joined(separator: ", ")
        }
        return response
    }

    private static let unreadBridges = HTTPField.Name(Routes.unreadBridgesHeader)

    /// What a state looks like, by its entity tag.
    ///
    /// - Parameters:
    ///   - key: under which the bytes are kept for others; `nil` if they are not.
    ///   - variant: distinguishes representations of one path and state.
    func state(
        _ request: APIRequest, of snapshot: LatestState.Snapshot, kept key: String?, variant: String = "",
        _ body: (Directory) throws -> some Encodable
    ) throws -> Response {
        let tag = "\"\(snapshot.id)\(variant)\""
        let headers: HTTPFields = [.eTag: tag, .cacheControl: "private, no-cache"]
        guard !request.http.head.hasCurrent(tag) else { return Response(status: .notModified, headers: headers) }
        func bytes() throws -> ByteBuffer {
            ByteBuffer(string: try JSON.text(try body(snapshot.home)) + "\n")
        }
        let list = try key.map { try lists.value(for: $0, of: snapshot.id, bytes) } ?? bytes()
        return .json(bytes: list, headers: headers)
    }

    func away(_: APIRequest) async throws -> Response { try .json(surface.directory.awayBody) }

    func names(_: APIRequest) async throws -> Response { try .json(surface.directory.names) }

    /// Unlike the lists, this asks the bridge.
    func scene(_ request: APIRequest) async throws -> Response {
        guard let name = request.query[.scene] else {
            throw ErrorReply(.invalid, "'scene' is missing", hint: "name a scene: \(Routes.scene)?scene=relax")
        }
        // It does not end with its client: what a bridge was asked for waits in its queue before commands, and counts
        // until the bridge has answered.
        let permit = try bridgeReads.enter(
            request.party, "scenes are being read", ofClient: "scenes are being read for this client")
        defer { withExtendedLifetime(permit) {} }
        return try .json(
            try await sceneReads.value(for: name) { [surface] in
                try await surface.scene(named: name, from: request.client)
            })
    }

    func status(_: APIRequest) async throws -> Response { try .json(surface.status) }

    func sun(_ request: APIRequest) async throws -> Response {
        let date = request.query[.date].map { (text: $0, day: surface.day($0)) }
        if case let (text, nil)? = date {
            throw ErrorReply(
                .invalid, "'date' is '\(text)', but must look like 2026-12-24, or be today, tomorrow or yesterday")
        }
        // Outside of these the formulas for the sun, and the zone's rules, say nothing that is true.
        if case let (text, day?)? = date, !(1900...2199).contains(day.year) {
            throw ErrorReply(.invalid, "'date' is '\(text)', but must be from 1900-01-01 to 2199-12-31")
        }
        return try .json(surface.sun(on: date?.day))
    }

    /// It asks the bridges, and reads the disk: clients that ask at the same time share one answer.
    func diagnosis(_ request: APIRequest) async throws -> Response {
        await surface.waitUntilBridgesAreTried()
        return try await read(request) { [self] in
            var body = try await diagnoses.value(for: true) {
                let diagnosis = await surface.diagnosis
                // What was cut short by a client that left is no diagnosis for the others.
                try Task.checkCancellation()
                return diagnosis
            }
            body.checks.insert(contentsOf: [tcpCheck, privacyCheck].compactMap(\.self), at: 0)
            return try .json(body)
        }
    }

    /// Answers with what takes long to read. It ends when its client leaves, and counts until the client has taken it:
    /// whoever reads slowly keeps it in memory.
    ///
    /// - Parameter weight: as how many reads it counts.
    /// - Throws: 503 if too many are under way.
    func read(
        _ request: APIRequest, weight: Int = 1, _ answer: @escaping @Sendable () async throws -> Response
    ) async throws -> Response {
        let permit = try enterReads(request, weight: weight)
        do {
            var response = try await withTaskExecutorPreference(bulk) { try await request.whileWaitedFor(answer) }
            response.body = response.body.holding(
                permit, on: request.channel?.eventLoop ?? MultiThreadedEventLoopGroup.singleton.any())
            return response
        } catch is CancellationError {
            throw APIError.leftEarly
        }
    }

    /// Where TCP listens; `nil` if it does not, and need not.
    private var tcpCheck: CheckBody? {
        guard let tcp = settings.tcp else { return nil }
        let wanted = ControlServerSettings.TCP.address(tcp.host, tcp.port)
        let state = tcpState.withLock(\.self)
        let remedy = state.failure.map { "\($0.remedy), then run 'systemctl reload lightd'" }
        guard let listener = state.listener else {
            return CheckBody(
                "TCP", .failure, state.failure?.problem ?? "does not listen on \(wanted) yet", remedy: remedy,
                exitStatus: .badConfiguration)
        }
        let way = listener.isEncrypted ? "with TLS" : "without TLS"
        let listens = "listens on \(ControlServerSettings.TCP.address(listener.host, listener.port))"
        // With port 0 the system chooses one.
        guard listener.host == tcp.host, [0, listener.port].contains(tcp.port) else {
            return CheckBody("TCP", .warning, "still \(listens), not on \(wanted)", remedy: remedy)
        }
        guard listener.isEncrypted == (tcp.certificate != nil) else {
            return CheckBody("TCP", .warning, "still \(listens) \(way)", remedy: remedy)
        }
        guard tokens.isEmpty else { return CheckBody("TCP", .ok, listens) }
        return CheckBody(
            "TCP", .warning, "\(listens), but no client can use it yet",
            remedy: "'lightctl open' lets a page in, 'lightctl token create NAME' a program")
    }

    /// Whether what is sent over TCP is for lightd only; `nil` if there is nothing to say of it.
    private var privacyCheck: CheckBody? {
        guard let tcp = settings.tcp else { return nil }
        if let fault = tcp.privacyFault(at: surface.clock.now()) {
            return CheckBody("TLS", .warning, fault.problem, remedy: fault.remedy)
        }
        return tcp.certificate.map { CheckBody("TLS", .ok, "the certificate ends on \($0.end.day)") }
    }

    /// The process answers.
    func live(_: APIRequest) async throws -> Response { try .json(["status": "live"]) }

    /// The domain answers. No bridge is asked: restarting the daemon would not bring back one that is away.
    func ready(_: APIRequest) async throws -> Response {
        await surface.waitForDomain()
        return try .json(["status": "ready"])
    }

    func openAPI(_: APIRequest) async throws -> Response { .json(text: try OpenAPI.document) }
}

extension HTTPRequest {
    /// Whether the client has the representation with this entity tag (RFC 9110, 13.1.2).
    func hasCurrent(_ tag: String) -> Bool {
        headerFields[values: .ifNoneMatch].flatMap { $0.elements() }.contains { candidate in
            Self.opaque(candidate).utf8.elementsEqual(Self.opaque(tag[...]).utf8) || candidate.isSame(as: "*")
        }
    }

    /// Without its weakness, which does not count here.
    private static func opaque(_ tag: Substring) -> Substring { tag.after("W/") ?? tag }
}

extension ResponseBody {
    /// Written in pieces, each when the client has taken those before it. The permit ends with the last one, or when the
    /// client leaves.
    fileprivate func holding(_ permit: some Sendable, on eventLoop: any EventLoop) -> Self {
        Self(contentLength: contentLength) { [self] writer in
            try await write(PieceWriter(base: writer, eventLoop: eventLoop))
            withExtendedLifetime(permit) {}
        }
    }
}

/// Passes long buffers on in pieces.
private struct PieceWriter: ResponseBodyWriter {
    private static let piece = 64 << 10
    var base: any ResponseBodyWriter
    let eventLoop: any EventLoop

    mutating func write(_ buffer: ByteBuffer) async throws {
        var buffer = buffer
        while let piece = buffer.readSlice(length: min(Self.piece, buffer.readableBytes)), piece.readableBytes > 0 {
            try await base.write(piece)
            // Only then is it known whether there is room for another.
            try await eventLoop.submit {}.get()
        }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws { try await base.finish(trailingHeaders) }
}
