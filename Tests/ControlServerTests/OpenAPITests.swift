import ControlProtocol
import ControlSurface
import Foundation
import HTTPTypes
import Lighting
import LightingTestKit
import TestSupport
import Testing

@testable import ControlServer

@Suite struct OpenAPITests {
    private let document: [String: Any]

    init() throws {
        let json = try JSONSerialization.jsonObject(with: Data(try OpenAPI.document.utf8))
        document = try #require(json as? [String: Any])
    }

    @Test func `the document is served with the version of the build`() async throws {
        try await ServerFixture.run { server in
            let answer = try await server.get(Routes.openAPI)
            #expect(answer.status == 200 && answer.headers["content-type"] == "application/json")
            let document = try OpenAPI.document
            #expect(String(decoding: answer.body, as: UTF8.self) == document)
        }
        #expect(document["openapi"] as? String == "3.1.0")
        #expect((document["info"] as? [String: Any])?["version"] as? String == Release.version)
    }

    @Test func `the document is as it was written down: clients are made from it`() throws {
        var document = document
        var info = document["info"] as? [String: Any]
        info?["version"] = "VERSION"
        document["info"] = info
        let text = String(
            decoding: try JSONSerialization.data(
                withJSONObject: document, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]),
            as: UTF8.self)
        let difference = try StoredFile("openapi.json").difference(to: text.split(separator: "\n").map(String.init))
        #expect(difference == nil)
    }

    @Test func `the document has the paths, methods, queries and security that are served`() throws {
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        #expect(Set(paths.keys) == Set(ControlAPI.routes.map(\.path)))
        for (path, methods) in paths {
            let served = ControlAPI.routes(at: path)
            #expect(Set(methods.keys) == Set(served.map { $0.method.rawValue.lowercased() }))
            for route in served {
                let operation = try #require(methods[route.method.rawValue.lowercased()])
                let fields = (operation["parameters"] as? [[String: Any]] ?? [])
                    .filter { $0["in"] as? String == "query" }
                #expect(Set(fields.compactMap { $0["name"] as? String }) == Set(route.query.map(\.rawValue)))
            }
        }
    }

    @Test func `every status that an error can have is described`() throws {
        let components = try #require(document["components"] as? [String: [String: Any]])
        let described = Set(try #require(components["responses"]).keys)
        for status in Set(ErrorCode.allCases.map(\.status)).union([401, 405, 408, 413]) {
            #expect(described.contains("Error\(status)"), "\(status)")
        }
    }

    @Test func `every reference has a target`() throws {
        var references: [String] = []
        func collect(_ value: Any) {
            if let object = value as? [String: Any] {
                if let reference = object["$ref"] as? String { references.append(reference) }
                for value in object.values { collect(value) }
            } else if let array = value as? [Any] {
                for value in array { collect(value) }
            }
        }
        collect(document)
        #expect(!references.isEmpty)
        for reference in references {
            var place: Any? = document
            for step in reference.split(separator: "/").dropFirst() { place = (place as? [String: Any])?[String(step)] }
            #expect(place != nil, "\(reference)")
        }
    }

    @Test func `the schemas name the fields that are sent`() throws {
        let bridge = BridgeBody(
            id: "", name: "", model: "", address: "", connected: true, since: "", reason: "",
            reasonCode: .bridgeUnreachable, lights: 0, updates: .polling, intervalSeconds: 5, firmware: "",
            firmwareUpdate: .ready)
        let cause = CauseBody(kind: .scene, by: "", at: "", ticket: 0, what: "")
        let light = LightBody(
            id: "", name: "", room: "", power: .on,
            .init(
                brightness: 0, color: "", hue: 0, saturation: 0, temperature: 0, mode: .color, gradient: [],
                gradientMode: .linear, effect: "", effectSpeed: 0, effectColor: "", effectDuration: 0),
            freshness: .stale, since: "", bridge: "", configuration: LightConfiguration(powerup: .safety),
            signal: .init([], until: ""), cause: cause, follows: [], excludedFrom: [])
        let pin = PinBody(target: "", name: "", display: .slider)
        let discovery = DiscoveryBody(id: "", name: "", model: "", address: "", paired: true, attempts: [])
        try check("Light", light)
        try check(
            "AccessLogEntry",
            AccessLogBody(time: "", event: "", by: "", subject: "", reason: "", outcome: .done, count: 1))
        try check("FollowedValue", FollowedValueBody(value: .brightness, course: "", target: "", paused: cause))
        let following = FollowingBody(
            target: "", course: "", kind: .curve, values: [], since: "", until: "", resumeAfter: 0, lights: 0, paused: 0
        )
        try check("Following", following)
        try check("Curve", CurveBody(name: "", points: [], isBuiltIn: true, isUserDefined: true))
        let room = RoomBody(
            id: "", name: "", kind: .room, lights: [], on: 0, unreachable: 1, stale: 1, brightness: 0,
            scene: .init(id: "", name: "", changed: true), bridge: "")
        let slot = SmartSceneBody.Slot(start: "", scene: "", id: "")
        let smart = SmartSceneBody(
            active: true, current: slot, transition: 0, week: [.init(days: "", slots: [slot])])
        let scene = SceneBody(id: "", name: "", room: "", bridge: "", place: 1, smart: smart)
        try check("SmartScene", smart)
        try check("Room", room)
        try check("Scene", scene)
        let now = ""
        let sensor = SensorBody(
            id: "", name: "", room: "", product: "", reports: [], motion: .init(true, since: now),
            contact: .init(.open, since: now), tampering: .init(false, since: now),
            lightLevel: .init(0, since: now), temperature: .init(0, since: now), battery: .init(0, since: now),
            buttons: [.init(1, last: .init(.pressed, since: now))], dial: .init(0, since: now), freshness: .stale,
            staleSince: now, bridge: "")
        try check("Sensor", sensor)
        try check(
            "Press", PressBody(id: "", name: "", room: "", button: 1, press: .held, rotation: 0, time: now))
        try check("SceneValues", SceneValuesBody(id: "", name: "", room: "", bridge: "", values: [], smart: smart))
        try check("Bridge", bridge)
        try check("Pin", pin)
        try check(
            "Binding",
            BindingBody(
                id: "", name: "", target: "", targetName: "", scenes: [], controls: [.init(control: "", does: "")],
                problem: "", warning: ""))
        try check(
            "Status",
            StatusBody(
                version: "", started: "", uptimeSeconds: 0, bridges: [], lights: 0, lightsOn: 0, lightsInDoubt: 0,
                sensors: 0, journal: true, away: .init(since: "", until: ""), warnings: [""],
                restored: .init(error: ""), mqtt: .init(address: "", connected: false, since: "", reason: "")))
        let counts = BackupBody.Counts(
            bridges: [], scenes: 0, automations: 0, timers: 0, pins: 0, bindings: 0, curves: 0, followings: 0, tokens: 0
        )
        try check("BackupContents", counts)
        try check(
            "Backup",
            BackupBody(
                created: "", version: "", keys: true, contents: counts, replaced: counts, withoutKey: [], unpaired: []))
        let event = SunBody.Event(name: .noon, time: "", clock: "", elevation: 0)
        try check("Sun", SunBody(date: "", timeZone: "", latitude: 0, longitude: 0, events: [event]))
        try check("SunEvent", event)
        try check(
            "LogEntry",
            LogBody(
                number: 0, time: "", feature: "", ticket: 0, holder: "", text: "", outcome: "", gesture: "",
                causedBy: 0))
        try check("Discovery", discovery)
        try check("Names", NamesBody(lights: [], rooms: [], zones: [], scenes: [], bridges: [], sensors: []))
        let found = CheckBody("", of: "", .failure, "", remedy: "", exitStatus: .unreachable)
        try check("Check", found)
        try check("Diagnosis", DiagnosisBody(version: "", checks: [found], configuration: [:]))
        try check("Cause", cause)
        let away = AwayBody(
            on: true, since: "", until: "", seed: 0, ended: .init(at: "", because: ""), lit: [""],
            plan: [.init(at: "", light: "", name: "", power: .on, brightness: 0)])
        try check("Away", away)
        try check(
            "CommandReply",
            CommandReply(
                ticket: 0, lights: [], warning: "", discovered: [], bridge: bridge, room: room, moved: [], scene: scene,
                dashboard: [],
                steps: 1, commands: [], skipped: [], requests: [], failing: [], scenes: [], withheld: [],
                tickets: [], automation: AutomationBody(name: "", when: [], steps: []),
                binding: BindingBody(id: "", name: "", target: "", targetName: ""), following: following, away: away,
                leftOut: [.init(target: "", name: "", given: ["brightness"], reason: "")], sensor: sensor))
        let run = AutomationRunBody(reason: "", started: "", ended: "", step: "", until: "", error: "")
        try check("AutomationRun", run)
        try check(
            "Automation",
            AutomationBody(
                name: "", when: [], steps: [], late: "", by: "", next: "", pausedUntil: "", running: [run], runs: [run],
                skipping: "", skipped: .init(time: "", reason: ""), missing: [""]))
        try check(
            "AutomationChanges",
            AutomationChangesBody(added: [], changed: [], removed: [], unchanged: 0))
        try check("AutomationPreview", AutomationPreviewBody(date: "", weekday: "", sun: [], runs: []))
        let simulated = AutomationSimulationBody.Run(
            date: "", weekday: "", at: "", time: "", automation: "", reason: "", prevented: "",
            commands: [.init(at: "", time: "", text: "")], error: "")
        try check("SimulatedRun", simulated)
        try check("AutomationSimulation", AutomationSimulationBody(since: "", until: "", runs: [simulated]))
        try check("PlannedRequest", PlannedRequestBody(bridge: "", method: "", path: "", body: "", held: ""))
        try check(
            "LightState",
            Command.LightState(
                id: "", name: "", power: .on,
                .init(
                    brightness: 0, color: "", hue: 0, saturation: 0, temperature: 0, mode: .color, gradient: [],
                    gradientMode: .linear, effect: "", effectSpeed: 0, effectColor: "", effectDuration: 0)))
        let page = Directory(HomeFixture.state).page(for: PageReader(access: .full))
        try check("Page", page)
        let strip = Light.make(
            effect: Light.Effect("prism", speed: 0.5), limits: Light.Limits(effects: ["prism"], gradientPoints: 5))
        let stripPage = Directory(.make(lights: [strip])).page(for: PageReader(access: .full))
        for tile in [page, stripPage].flatMap(\.tiles.values) { try check("Tile", tile) }
        try check("Error", ErrorReply(.invalid, ""))
        try check(
            "Token",
            TokenBody(
                name: "", access: .full, created: "", ends: "", lastUsed: "", origin: .link, maker: "",
                revokedWithIt: []))
        try check("Session", SessionBody(access: .full, ends: "", name: "", endsWithIt: [], isNamed: true, by: ""))
        try check("LinkRequest", LinkRequest(access: .full, ends: ""))
        let code = QRBody(size: 0, rows: [])
        try check("QR", code)
        try check("Link", LinkBody(url: "", also: [], access: .full, ends: "", expires: "", hint: "", qr: code))
        try check("NewToken", NewTokenBody(name: "", access: .full, created: "", ends: "", token: "", warning: ""))
        try check("TokenRequest", TokenRequest(name: "", access: .full, ends: ""))
    }

    @Test func `what a type does not have cannot be noted`() throws {
        let schemas = try #require((document["components"] as? [String: [String: Any]])?["schemas"])
        for (name, body) in OpenAPI.bodies {
            for path in body.notedPaths {
                var place = schemas[name] as? [String: Any]
                for field in path.split(separator: ".") {
                    let inner = place?["items"] as? [String: Any] ?? place
                    place = (inner?["properties"] as? [String: Any])?[String(field)] as? [String: Any]
                }
                #expect(place != nil, "\(name) has no '\(path)'")
            }
        }
    }

    @Test func `a field that may be absent is not required, and every other is`() throws {
        let schemas = try #require((document["components"] as? [String: [String: Any]])?["schemas"])
        let sensor = try #require(schemas["Sensor"] as? [String: Any])
        let required = try #require(sensor["required"] as? [String])
        #expect(required == ["id", "name", "reports", "buttons", "enabled", "freshness", "bridge"])
        let motion = try #require((sensor["properties"] as? [String: [String: Any]])?["motion"])
        #expect(motion["required"] as? [String] == ["value", "since"])
    }

    private func check(_ schema: String, _ body: some Encodable, sourceLocation: SourceLocation = #_sourceLocation)
        throws
    {
        let components = try #require(document["components"] as? [String: [String: Any]])
        let described = try #require(components["schemas"]?[schema] as? [String: Any], sourceLocation: sourceLocation)
        let properties = try #require(described["properties"] as? [String: Any])
        let sent = try #require(JSONSerialization.jsonObject(with: JSON.data(body)) as? [String: Any])
        #expect(Set(properties.keys) == Set(sent.keys), "\(schema)", sourceLocation: sourceLocation)
    }

    @Test func `every described command can be decoded, and every command is described`() throws {
        let components = try #require(document["components"] as? [String: [String: Any]])
        let kinds = try #require((components["schemas"]?["Command"] as? [String: Any])?["oneOf"] as? [[String: Any]])
        var described: Set<String> = []
        for kind in kinds {
            let properties = try #require(kind["properties"] as? [String: [String: Any]])
            for (name, field) in properties where types(of: field).contains("integer") {
                #expect(resolved(field)["maximum"] != nil, "\(name)")
            }
            let verb = try #require(properties["command"])
            let names = (verb["enum"] as? [String]) ?? [verb["const"] as? String].compactMap { $0 }
            #expect(!names.isEmpty)
            for name in names {
                described.insert(name)
                // Decoding refuses a field that the command does not have, so it shows that all are right.
                let values: [String: Any] = [
                    "command": name, "to": "on", "value": "hue", "display": "slider", "preset": "safety", "wait": true,
                    "dry_run": true, "keep_ratios": true, "perceptual": true, "lights": [[String: Any]](),
                    "kind": "zone", "targets": ["x"], "do": ["x"], "gradient": ["x", "y"], "gradient_mode": "linear",
                    "scenes": ["x"], "points": ["x"], "colors": ["x"],
                    "only": "brightness", "dynamic": true, "plugs": true, "ignore_motion": true, "plain": true,
                    "power": "off", "remove": true, "from": "page", "in": "page", "by_name": true, "timed": true,
                ]
                var object: [String: Any] = [:]
                for field in properties.keys {
                    object[field] =
                        values[field]
                        ?? ([
                            "target", "name", "scene", "room", "bridge", "color", "effect", "effect_color", "gesture",
                            "automation", "timer",
                            "at", "switch", "curve", "until", "sensor",
                        ].contains(field)
                            ? "x" : 1 as Any)
                }
                let data = try JSONSerialization.data(withJSONObject: object)
                #expect(throws: Never.self, "\(name)") { try JSONDecoder().decode(CommandRequest.self, from: data) }
            }
        }
        #expect(described.count == 59)
    }

    /// The schema that is meant if this is only a reference to it.
    private func resolved(_ schema: [String: Any]) -> [String: Any] {
        guard let name = (schema["$ref"] as? String)?.split(separator: "/").last else { return schema }
        let components = document["components"] as? [String: [String: Any]]
        return components?["schemas"]?[String(name)] as? [String: Any] ?? [:]
    }

    /// What a schema allows: "string", "null" and so on.
    private func types(of schema: [String: Any]) -> Set<String> {
        let schema = resolved(schema)
        if let words = schema["enum"] as? [Any] { return Set(words.map { $0 is NSNull ? "null" : "string" }) }
        return Set(schema["type"] as? [String] ?? [schema["type"] as? String].compactMap { $0 })
    }

    @Test func `null means that a field is left out if the document allows it, and is refused otherwise`() throws {
        let samples: [String: Any] = [
            "to": "on", "value": "hue", "display": "slider", "preset": "safety", "lights": [[String: Any]](),
            "targets": ["x"], "do": ["x"], "points": ["x"], "by": 1, "place": 1, "days": 1,
        ]
        let schemas = try #require((document["components"] as? [String: [String: Any]])?["schemas"])
        let kinds = try #require((schemas["Command"] as? [String: Any])?["oneOf"] as? [[String: Any]])
        var (optional, required) = (0, 0)
        for kind in kinds {
            let properties = try #require(kind["properties"] as? [String: [String: Any]])
            let needed = Set(try #require(kind["required"] as? [String])).subtracting(["command"])
            var command = ["command": try #require(properties["command"]?["const"])]
            for name in needed { command[name] = samples[name] ?? "x" }
            func request(_ change: [String: Any]) throws -> CommandRequest {
                let object = command.merging(change) { $1 }
                return try JSONDecoder().decode(
                    CommandRequest.self, from: JSONSerialization.data(withJSONObject: object))
            }
            for (name, field) in properties where name != "command" {
                let isOptional = !needed.contains(name)
                #expect(types(of: field).contains("null") == isOptional, "\(command) \(name)")
                if isOptional {
                    #expect(try request([name: NSNull()]) == request([:]), "\(command) \(name)")
                    optional += 1
                } else {
                    #expect(throws: (any Error).self, "\(command) \(name)") { try request([name: NSNull()]) }
                    required += 1
                }
            }
        }
        #expect(optional > 50 && required > 30)
        let light = try #require(schemas["LightState"] as? [String: Any])
        let decoder = JSONDecoder()
        for (name, field) in try #require(light["properties"] as? [String: [String: Any]]) where name != "id" {
            #expect(types(of: field).contains("null"), "\(name)")
            let state = try decoder.decode(Command.LightState.self, from: Data(#"{"id":"a","\#(name)":null}"#.utf8))
            #expect(state == Command.LightState(id: "a"))
        }
    }

    @Test func `null is refused where a misspelt field would make a token that allows everything`() async throws {
        try await ServerFixture.run { server in
            let answer = try await ClientFixture.ask(
                server.address, "POST", Routes.tokens, body: #"{"name":"phone","access":null}"#)
            #expect(answer.status == 400)
        }
        let schemas = try #require((document["components"] as? [String: [String: Any]])?["schemas"])
        let properties = (schemas["TokenRequest"] as? [String: Any])?["properties"] as? [String: [String: Any]]
        #expect(types(of: try #require(properties?["access"])) == ["string"])
    }
}
