import FoundationEssentials
import HTTPTypes
import HueWire
import Hummingbird
import NIOCore

/// The control port: what a hand, a fuse or a wall switch would do, over plain HTTP. Answers are JSON.
struct ControlResponder: HTTPResponder {
    let core: BridgeCore
    let controls: Controls

    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        guard let body = await request.wholeBody() else { return BridgeResponse.page(413).httpResponse }
        let path = request.uri.path.split(separator: "/").map { $0.percentDecoded }
        do throws(ControlError) {
            var response = try await response(request.method.rawValue, path, request.uri.query, Array(buffer: body))
            // For people at a terminal, whose prompt comes next.
            response.body.append(UInt8(ascii: "\n"))
            return response.httpResponse
        } catch {
            return BridgeResponse.json(error.status, ["error": error.words]).httpResponse
        }
    }

    private func response(_ method: String, _ path: [String], _ query: String?, _ body: [UInt8])
        async throws(ControlError) -> BridgeResponse
    {
        switch (method, path.first, path.count) {
        case ("POST", "button", 1):
            await controls.pressButton()
            return .json(["link_button": "pressed"])
        case ("POST", "lights", 1): return try await unpack(try Self.object(body))
        case ("GET", "lights", 2): return try await light(path[1])
        case ("POST", "lights", 3): return try await light(path[1], path[2], try Self.object(body))
        case ("POST", "sensors", 3): return try await sensor(path[1], path[2], try Self.object(body))
        case ("POST", "faults", 1): return try await beginFault(try Self.object(body))
        case ("GET", "faults", 1):
            if query?.hasPrefix("known") == true { return .json(["known": FaultKind.allCases.map(\.json)]) }
            let (active, now) = (await core.activeFaults, core.now())
            return .json(["faults": active.map { $0.json(at: now) }])
        case ("DELETE", "faults", 1): return .json(["ended": await controls.end().map(\.kind.rawValue)])
        case ("DELETE", "faults", 2):
            guard let kind = FaultKind(rawValue: path[1]) else {
                throw ControlError(404, FaultError.unknown(path[1]).description)
            }
            return .json(["ended": await controls.end(kind).map(\.kind.rawValue)])
        case ("GET", "requests", 1):
            let encoder = JSONEncoder.wire
            // To the millisecond: whoever reads this counts how many came in a second.
            encoder.dateEncodingStrategy = .custom { date, encoder in
                var container = encoder.singleValueContainer()
                try container.encode(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
            }
            return .json(200, await core.record.requests, by: encoder)
        case ("DELETE", "requests", 1):
            await core.forgetRequests()
            return .json(["requests": "forgotten"])
        case ("GET", "assertions", 1): return try RequestAssertions(query).response(await core.record.tally)
        case ("GET", "home", 1): return .data(await core.home.documents)
        case ("POST", "reboot", 1):
            let seconds = try Self.object(body)["seconds"] ?? 1
            guard let seconds = seconds.double, (0...3600).contains(seconds) else {
                throw ControlError(400, "seconds is a number from 0 to 3600")
            }
            controls.reboot(for: .milliseconds(Int64(seconds * 1000)))
            return .json(202, ["reboot": "begun"])
        case ("POST", "move", 1):
            let object = try Self.object(body)
            guard let port = (object["port"] ?? .int(0)).int, (0...65535).contains(port) else {
                throw ControlError(400, "port is a number from 0 to 65535")
            }
            let host = object["host"]
            guard host == nil || host?.string?.isEmpty == false else { throw ControlError(400, "host is an address") }
            controls.move(to: Fault.Place(host: host?.string, port: port))
            return .json(202, ["move": "begun"])
        case ("POST", "certificate", 1):
            controls.renewCertificate()
            return .json(202, ["certificate": "new"])
        case ("DELETE", "keys", 1):
            await core.revokeKeys()
            return .json(["keys": "revoked"])
        default:
            throw ControlError(
                404,
                "there is no \(method) /\(path.joined(separator: "/")) here; there are POST /button, POST /lights, GET /lights/{id}, POST /lights/{id}/switch, "
                    + "POST /lights/{id}/mains, POST /sensors/{id}/{what}, POST /faults, GET /faults, DELETE /faults, "
                    + "GET /requests, DELETE /requests, GET /assertions, GET /home, "
                    + "POST /reboot, POST /move, "
                    + "POST /certificate, DELETE /keys")
        }
    }

    /// A new lamp, which the next search finds.
    private func unpack(_ body: JSONValue) async throws(ControlError) -> BridgeResponse {
        let kinds = LampKind.allCases.map(\.rawValue).joined(separator: ", ")
        guard let name = body["name"]?.string, (1...32).contains(name.unicodeScalars.count),
            let kind = body["kind"]?.string.flatMap(LampKind.init(rawValue:))
        else {
            throw ControlError(400, "a new light has a name of 1 to 32 characters and a kind: \(kinds)")
        }
        let home = await core.home
        guard home.lamp(called: name) == nil, !(await core.newLamps.contains { $0.name == name }) else {
            throw ControlError(409, "there is a light '\(name)' already")
        }
        await core.unpack(NewLamp(name: name, kind: kind))
        return .json(202, ["light": name, "kind": kind.rawValue, "found": "by the next search"])
    }

    /// What somebody in the room sees, beside what the bridge believes.
    private func light(_ id: String) async throws(ControlError) -> BridgeResponse {
        guard let lamp = await core.home.lamp(called: id), let shown = await core.shown(lamp.id) else {
            throw ControlError(404, "there is no light '\(id)'")
        }
        return .json(
            [
                "light": .string(lamp.name), "id": .id(lamp.id), "mains": .bool(shown.hasMains),
                "shows": shown.lightState.document(of: lamp.kind, isLit: shown.hasMains),
                "bridge": lamp.lightState.document(of: lamp.kind, isLit: true), "reachable": .bool(lamp.hasMains),
            ] as JSONValue)
    }

    private func beginFault(_ json: JSONValue) async throws(ControlError) -> BridgeResponse {
        do throws(FaultError) {
            let fault = try Fault(json)
            await controls.begin(fault)
            let active = await core.activeFaults.last { $0.fault.kind == fault.kind }
            return .json(active?.json(at: core.now()) ?? ["name": .string(fault.kind.rawValue)])
        } catch {
            throw ControlError(400, error.description)
        }
    }

    private func light(_ id: String, _ what: String, _ body: JSONValue) async throws(ControlError) -> BridgeResponse {
        guard let lamp = await core.home.lamp(called: id) else {
            throw ControlError(404, "there is no light '\(id)'")
        }
        guard body["on"] == nil || body["on"]?.bool != nil else { throw ControlError(400, "on is true or false") }
        let on = body["on"]?.bool
        switch what {
        case "switch":
            let next = on ?? !lamp.isOn
            await core.byHand(lamp.id, [.turning(.it(on: next))])
            return .json(["light": .string(lamp.name), "on": .bool(next)] as JSONValue)
        case "mains":
            let had = await core.mesh.hasMains(lamp.id)
            let next = on ?? !had
            if body["noticed"]?.bool == true {
                if next != lamp.hasMains { await core.byHand(lamp.id, [next ? .powering(.up) : .cutting(.mains)]) }
            } else if next {
                await core.restoreMains(lamp.id)
            } else {
                await core.cutMains(lamp.id)
            }
            return .json(["light": lamp.name, "mains": next ? "on" : "off"])
        default: throw ControlError(404, "a light has 'switch' and 'mains', but no '\(what)'")
        }
    }

    static func object(_ body: [UInt8]) throws(ControlError) -> JSONValue {
        guard !body.isEmpty else { return [:] }
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(body)), value.object != nil else {
            throw .malformed
        }
        return value
    }
}

struct ControlError: Error {
    let status: Int
    let words: String

    init(_ status: Int, _ words: String) {
        self.status = status
        self.words = words
    }

    static let malformed = Self(400, "the body is no JSON object of the expected form")
}
