import FoundationEssentials
import HTTPTypes
import HueWire
import Hummingbird
import NIOCore

/// Serves the control port, which acts on the bridge from outside over plain HTTP. Responses are JSON. The routes are
/// in ``ControlRoute/all``.
struct ControlResponder: HTTPResponder {
    let core: BridgeCore
    let controls: BridgeControls
    let openPorts: OpenPorts

    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        guard let body = await request.wholeBody() else { return BridgeResponse.page(413).httpResponse }
        let path = request.uri.path.split(separator: "/").map { $0.percentDecoded }
        do throws(ControlError) {
            var response = try await response(request.method.rawValue, path, request.uri.query, Array(buffer: body))
            // So that the prompt of a terminal starts on a new line.
            response.body.append(UInt8(ascii: "\n"))
            return response.httpResponse
        } catch {
            return BridgeResponse.json(error.status, ["error": error.words]).httpResponse
        }
    }

    private func response(_ method: String, _ path: [String], _ query: String?, _ body: [UInt8])
        async throws(ControlError) -> BridgeResponse
    {
        for route in ControlRoute.all where route.method == method {
            guard let arguments = route.arguments(in: path) else { continue }
            return try await route.action(self, ControlRoute.Call(arguments: arguments, query: query, body: body))
        }
        throw ControlError(
            404,
            "unknown route \(method) /\(path.joined(separator: "/")); known routes: "
                + ControlRoute.all.map(\.usage).joined(separator: ", "))
    }
}

// MARK: - What the routes do

extension ControlResponder {
    func pressButton() async -> BridgeResponse {
        await controls.pressButton()
        return .json(["link_button": "pressed"])
    }

    /// Adds a lamp that the next search finds.
    func addLamp(_ body: JSONValue) async throws(ControlError) -> BridgeResponse {
        let kinds = LampKind.allCases.map(\.rawValue).joined(separator: ", ")
        guard let name = body["name"]?.string, (1...32).contains(name.unicodeScalars.count),
            let kind = body["kind"]?.string.flatMap(LampKind.init(rawValue:))
        else {
            throw ControlError(400, "a new light needs a name of 1 to 32 characters and a kind: \(kinds)")
        }
        let home = await core.home
        guard home.lamp(called: name) == nil, !(await core.newLamps.contains { $0.name == name }) else {
            throw ControlError(409, "there is already a light '\(name)'")
        }
        await core.add(NewLamp(name: name, kind: kind))
        return .json(202, ["light": name, "kind": kind.rawValue, "found": "by the next search"])
    }

    private func lamp(called id: String) async throws(ControlError) -> Lamp {
        guard let lamp = await core.home.lamp(called: id) else { throw ControlError(404, "there is no light '\(id)'") }
        return lamp
    }

    /// What a lamp shows, and what the bridge believes that it shows.
    func lamp(_ id: String) async throws(ControlError) -> BridgeResponse {
        let lamp = try await lamp(called: id)
        guard let shown = await core.shown(lamp.id) else { throw ControlError(404, "there is no light '\(id)'") }
        return .json(
            [
                "light": .string(lamp.name), "id": .id(lamp.id), "mains": .bool(shown.hasMains),
                "shows": shown.lightState.document(of: lamp.kind, isLit: shown.hasMains),
                "bridge": lamp.lightState.document(of: lamp.kind, isLit: true), "reachable": .bool(lamp.hasMains),
            ] as JSONValue)
    }

    private func on(_ body: JSONValue) throws(ControlError) -> Bool? {
        guard body["on"] == nil || body["on"]?.bool != nil else { throw ControlError(400, "on must be true or false") }
        return body["on"]?.bool
    }

    func switchLamp(_ id: String, _ body: JSONValue) async throws(ControlError) -> BridgeResponse {
        let lamp = try await lamp(called: id)
        let next = try on(body) ?? !lamp.isOn
        await core.changeByHand(lamp.id, [.turning(.it(on: next))])
        return .json(["light": .string(lamp.name), "on": .bool(next)] as JSONValue)
    }

    func setMains(_ id: String, _ body: JSONValue) async throws(ControlError) -> BridgeResponse {
        let lamp = try await lamp(called: id)
        let had = await core.mesh.hasMains(lamp.id)
        let next = try on(body) ?? !had
        if body["noticed"]?.bool == true {
            if next != lamp.hasMains { await core.changeByHand(lamp.id, [next ? .powering(.up) : .cutting(.mains)]) }
        } else if next {
            await core.restoreMains(lamp.id)
        } else {
            await core.cutMains(lamp.id)
        }
        return .json(["light": lamp.name, "mains": next ? "on" : "off"])
    }

    func beginFault(_ json: JSONValue) async throws(ControlError) -> BridgeResponse {
        let fault: Fault
        let home = await core.home
        do throws(FaultError) {
            fault = try Fault(json)
            try fault.check(in: home)
        } catch {
            throw ControlError(400, error.description)
        }
        if fault.kind == .move { try checkPort(of: fault.destination) }
        await controls.begin(fault)
        let active = await core.activeFaults.last { $0.fault.kind == fault.kind }
        return .json(active?.json(at: core.now()) ?? ["name": .string(fault.kind.rawValue)])
    }

    func faults(_ query: String?) async -> BridgeResponse {
        if query?.hasPrefix("known") == true { return .json(["known": FaultKind.allCases.map(\.json)]) }
        let (active, now) = (await core.activeFaults, core.now())
        return .json(["faults": active.map { $0.json(at: now) }])
    }

    func endFaults() async -> BridgeResponse { .json(["ended": await controls.end().map(\.kind.rawValue)]) }

    func endFault(_ name: String) async throws(ControlError) -> BridgeResponse {
        guard let kind = FaultKind(rawValue: name) else {
            throw ControlError(404, FaultError.unknown(name).description)
        }
        return .json(["ended": await controls.end(kind).map(\.kind.rawValue)])
    }

    func requests() async -> BridgeResponse {
        let encoder = JSONEncoder.wire
        // With milliseconds, so that a reader can count the requests of a second.
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        }
        return .json(200, await core.log.requests, by: encoder)
    }

    func forgetRequests() async -> BridgeResponse {
        await core.forgetRequests()
        return .json(["requests": "forgotten"])
    }

    func assertions(_ query: String?) async throws(ControlError) -> BridgeResponse {
        try RequestAssertions(query).response(await core.log.tally)
    }

    func home() async -> BridgeResponse { .data(await core.home.documents) }

    /// Lets the bridge have an update of its own firmware, or none.
    func setUpdate(_ body: JSONValue) async throws(ControlError) -> BridgeResponse {
        let none = SimulatedHome.Bridge.noUpdate
        let states = SimulatedHome.Bridge.Update.allCases.map(\.rawValue)
        guard let state = body["state"]?.string, state == none || states.contains(state) else {
            throw ControlError(400, "state must be one of \(([none] + states).joined(separator: ", "))")
        }
        await core.alter(by: [.setting(.update(SimulatedHome.Bridge.Update(rawValue: state)))])
        return .json(["update": .string(state)] as JSONValue)
    }

    func reboot(_ body: JSONValue) throws(ControlError) -> BridgeResponse {
        guard let seconds = (body["seconds"] ?? 1).double, (0...3600).contains(seconds) else {
            throw ControlError(400, "seconds must be a number from 0 to 3600")
        }
        controls.reboot(for: .milliseconds(Int64(seconds * 1000)))
        return .json(202, ["reboot": "begun"])
    }

    func move(_ body: JSONValue) throws(ControlError) -> BridgeResponse {
        guard let port = (body["port"] ?? .int(0)).int, (0...65535).contains(port) else {
            throw ControlError(400, "port must be a number from 0 to 65535")
        }
        let host = body["host"]
        guard host == nil || host?.string?.isEmpty == false else { throw ControlError(400, "host must be an address") }
        let address = ListenAddress(host: host?.string, port: port)
        if let host = address.host, !ListenAddress.isLocal(host) {
            throw ControlError(400, "host must be an address of this machine, not '\(host)'")
        }
        try checkPort(of: address)
        controls.move(to: address)
        return .json(202, ["move": "begun"])
    }

    /// Refuses a move to a port that is taken, before any connection is cut. The bridge's own HTTPS port is free when
    /// it moves.
    private func checkPort(of address: ListenAddress) throws(ControlError) {
        guard address.port != 0, let now = openPorts.now, address.port != now.httpsPort else { return }
        let host = address.host ?? now.host
        guard !ListenAddress.canListen(host, address.port) else { return }
        throw ControlError(409, "port \(address.port) of \(host) is taken; the bridge stays where it is")
    }

    func renewCertificate() -> BridgeResponse {
        controls.renewCertificate()
        return .json(202, ["certificate": "new"])
    }

    func revokeKeys() async -> BridgeResponse {
        await core.revokeKeys()
        return .json(["keys": "revoked"])
    }
}

struct ControlError: Error {
    let status: Int
    let words: String

    init(_ status: Int, _ words: String) {
        self.status = status
        self.words = words
    }

    static let malformed = Self(400, "the body must be a JSON object")
}

extension LightState {
    /// As the control port shows it: on or off, and what a lamp of this kind supports.
    func document(of kind: LampKind, isLit: Bool) -> JSONValue {
        var members: [String: JSONValue] = ["on": .bool(isOn && isLit)]
        if kind.dims { members["brightness"] = .number(Level.percent(bri: level)) }
        if case let .white(mirek) = tint { members["mirek"] = .int(mirek) }
        if kind.gamut != nil { members["xy"] = .point(tint.point) }
        if !gradient.isEmpty { members["gradient"] = .array(gradient.map(JSONValue.point)) }
        switch effect {
        case .none: break
        case let .running(name, _), let .timed(name, _): members["effect"] = .string(name)
        }
        return .object(members)
    }
}
