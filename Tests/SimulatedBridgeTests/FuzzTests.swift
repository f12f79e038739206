import Foundation
import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

/// Malformed requests of every kind. A trap would end the whole test run, as it would end the process.
@Suite struct FuzzTests {
    /// Each batch has a fresh bridge, so that a failing batch can be run alone.
    @Test func `every mutated request gets a valid answer`() async throws {
        try await Fuzzing("bridge-requests").batches(15) { seed in
            var random = SplitMix(seed: seed)
            let model = BridgeModel.allCases[Int(seed % UInt64(BridgeModel.allCases.count))]
            let home = SimulatedHome((seed % 15 < 14 ? .flat : HomeFixture.built).being(model), seed: 1)
            let core = BridgeCore(
                BridgeCore.Configuration(
                    home: home,
                    keys: ["known": BridgeCore.Key(name: "test#one", created: Date(timeIntervalSince1970: 0))],
                    quirks: [.unlimited, .noButton], now: { .seconds(Int64(seed % 1_000_000)) },
                    today: { Date(timeIntervalSince1970: 1_800_000_000) }))
            let corpus = Corpus(home)
            for _ in 0..<Fuzzing.batchSize {
                let request = corpus.request(&random)
                let reply = await core.handle(request).reply
                await core.finish()
                guard case let .response(response) = reply else { continue }
                if !(200...599).contains(response.status) || !response.isReadable {
                    throw TestError(
                        "seed \(seed): \(request.method) \(request.fullPath): \(response.status) \(response.text)")
                }
            }
            // The home is still valid: every document can be encoded.
            for document in await core.home.documents { #expect(!document.wire.isEmpty, "seed \(seed)") }
        }
    }

    @Test func `every damaged home file can be written and read back, or is refused in one line`() async throws {
        let samples = try ["flat.yaml", "showroom.yaml"].map {
            try Repository.text("Config/homes/\($0)")
        }
        try await Fuzzing("home-file").texts(samples, batches: 1) { yaml in
            do throws(HomeFileError) {
                let file = try HomeFile(yaml: yaml, path: "h.yaml")
                guard let written = try? JSONEncoder().encode(file),
                    let again = try? JSONDecoder().decode(HomeFile.self, from: written), again == file
                else { throw HomeFileError("does not read back as itself") }
                let home = SimulatedHome(file, seed: 1)
                guard home.documents.allSatisfy({ !$0.wire.isEmpty }) else {
                    throw HomeFileError("gives a document that cannot be written")
                }
            } catch {
                guard error.description.hasPrefix("h.yaml"), !error.description.contains(where: \.isNewline) else {
                    throw TestError("refused with '\(error)'")
                }
            }
        }
    }
}

extension BridgeResponse {
    /// Whether a body that claims to be JSON is JSON. In a debug build Foundation's parser is many times
    /// faster than our decoder.
    fileprivate var isReadable: Bool {
        guard type == "application/json", !body.isEmpty else { return true }
        return (try? JSONSerialization.jsonObject(with: Data(body), options: .fragmentsAllowed)) != nil
    }
}

extension HomeFile {
    func being(_ model: BridgeModel) -> Self {
        var file = self
        file.bridge = Bridge(name: bridge?.name, model: model)
        return file
    }
}

/// Requests as clients send them, and random mutations of them.
struct Corpus {
    private let requests: [(method: String, path: String, body: String)]

    init(_ home: SimulatedHome) {
        let (lamp, group, scene) = (home.lamps[0], home.groups[0], home.scenes[0])
        let v2 = "/clip/v2/resource"
        var requests: [(String, String, String)] = [
            ("GET", "/api/config", ""), ("GET", "/api/known", ""), ("GET", "/api/known/lights/1", ""),
            ("GET", "/api/known/groups/0", ""), ("GET", "/api/known/scenes/\(scene.v1)", ""),
            ("GET", "/api/known/sensors", ""), ("GET", "/api/known/capabilities", ""),
            ("POST", "/api", #"{"devicetype":"app#name","generateclientkey":true}"#),
            ("PUT", "/api/known/lights/1/state", #"{"on":true,"bri":200,"ct":300,"transitiontime":4}"#),
            ("PUT", "/api/known/lights/3/state", #"{"hue":10000,"sat":254,"xy":[0.3,0.4],"effect":"colorloop"}"#),
            ("PUT", "/api/known/lights/2/state", #"{"bri_inc":-30,"ct_inc":40,"hue_inc":1000,"xy_inc":[0.1,-0.1]}"#),
            ("PUT", "/api/known/lights/1", #"{"name":"Other"}"#),
            ("PUT", "/api/known/lights/1/config", #"{"startup":{"mode":"powerfail"}}"#),
            ("POST", "/api/known/lights", #"{"deviceid":["A1B2C3"]}"#), ("DELETE", "/api/known/lights/4", ""),
            ("PUT", "/api/known/groups/1/action", #"{"on":true,"bri":3,"scene":"\#(scene.v1)"}"#),
            ("POST", "/api/known/groups", #"{"name":"New","type":"Room","class":"Office","lights":["1","2"]}"#),
            ("PUT", "/api/known/groups/1", #"{"name":"X","lights":["1"]}"#), ("DELETE", "/api/known/groups/2", ""),
            ("POST", "/api/known/scenes", #"{"name":"S","type":"GroupScene","group":"1","lights":["1"]}"#),
            ("PUT", "/api/known/scenes/\(scene.v1)/lightstates/1", #"{"on":true,"bri":9}"#),
            ("PUT", "/api/known/config", #"{"name":"Bridge","timezone":"Europe/Paris","linkbutton":true}"#),
            ("DELETE", "/api/known/config/whitelist/other", ""),
            ("POST", "/api/known/schedules", #"{"name":"s","command":{"address":"/api","body":{},"method":"PUT"}}"#),
            ("POST", "/api/known/sensors", #"{"name":"f","type":"CLIPGenericFlag","state":{"flag":true}}"#),
            ("GET", v2, ""), ("GET", v2 + "/light/\(lamp.id)", ""), ("GET", "/auth/v1", ""),
            ("PUT", v2 + "/device/\(lamp.ids.device)", #"{"metadata":{"name":"N","archetype":"plug"}}"#),
            ("PUT", v2 + "/room/\(group.id)", #"{"children":[{"rid":"\#(lamp.ids.device)","rtype":"device"}]}"#),
            ("PUT", v2 + "/scene/\(scene.id)", #"{"recall":{"action":"active","duration":100}}"#),
            ("POST", v2 + "/room", #"{"metadata":{"name":"R","archetype":"office"},"children":[]}"#),
            (
                "POST", v2 + "/zone",
                #"{"metadata":{"name":"Z","archetype":"home"},"children":[{"rid":"\#(lamp.id)","rtype":"light"}]}"#
            ),
            (
                "POST", v2 + "/scene",
                #"{"metadata":{"name":"S"},"group":{"rid":"\#(group.id)","rtype":"room"},"actions":[{"target":{"rid":"\#(lamp.id)","rtype":"light"},"action":{"on":{"on":true}}}]}"#
            ),
            ("POST", v2 + "/geofence_client", #"{"name":"g","is_at_home":true}"#),
            ("DELETE", v2 + "/scene/\(home.scenes[home.scenes.count - 1].id)", ""),
            ("DELETE", v2 + "/device/\(home.lamps[home.lamps.count - 1].ids.device)", ""),
        ]
        for body in [
            #"{"on":{"on":true},"dimming":{"brightness":50},"color_temperature":{"mirek":300},"dynamics":{"duration":800}}"#,
            #"{"color":{"xy":{"x":0.3,"y":0.3}},"dimming_delta":{"action":"up","brightness_delta":10}}"#,
            #"{"effects":{"effect":"candle"},"timed_effects":{"effect":"sunrise","duration":1800000}}"#,
            #"{"gradient":{"points":[{"color":{"xy":{"x":0.3,"y":0.3}}},{"color":{"xy":{"x":0.4,"y":0.3}}}]}}"#,
            #"{"powerup":{"preset":"custom","on":{"mode":"on","on":{"on":true}}},"identify":{"action":"identify"}}"#,
            #"{"color_temperature_delta":{"action":"stop"},"signaling":{"signal":"on_off","duration":1000}}"#,
        ] {
            requests.append(("PUT", v2 + "/light/\(lamp.id)", body))
            requests.append(("PUT", v2 + "/grouped_light/\(group.groupedLight)", body))
        }
        self.requests = requests
    }

    func request(_ random: inout SplitMix) -> BridgeRequest {
        var (method, path, body) = requests.randomElement(using: &random)!
        if Int.random(in: 0..<10, using: &random) == 0 { path = requests.randomElement(using: &random)!.path }
        if Int.random(in: 0..<10, using: &random) == 0 { body = requests.randomElement(using: &random)!.body }
        if Int.random(in: 0..<10, using: &random) == 0 {
            method = ["GET", "PUT", "POST", "DELETE", "PATCH", "HEAD", "", "🙂"].randomElement(using: &random)!
        }
        if Int.random(in: 0..<4, using: &random) == 0 { path = random.mutated(path) }
        var bytes = Array(body.utf8)
        for _ in 0..<Int.random(in: 0..<4, using: &random) { bytes = random.mutated(bytes) }
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return BridgeRequest(
            method: method,
            path: (parts.first ?? "").dropFirst().split(separator: "/", omittingEmptySubsequences: false)
                .map(String.init),
            query: parts.count > 1 ? parts[1] : nil, key: Bool.random(using: &random) ? "known" : nil,
            accept: Bool.random(using: &random) ? "text/event-stream" : nil,
            lastEventID: ["1:0", "", ":", "99999999999999999999:1", "a:b"].randomElement(using: &random),
            body: bytes, isSecure: Int.random(in: 0..<5, using: &random) > 0)
    }
}

extension SplitMix {
    fileprivate mutating func mutated(_ text: String) -> String {
        String(decoding: mutated(Array(text.utf8)), as: UTF8.self)
    }
}
