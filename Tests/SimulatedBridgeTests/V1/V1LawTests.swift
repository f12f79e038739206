import Foundation
import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

/// Laws of API v1.
@Suite struct V1LawTests {
    static let fields = [
        "on", "bri", "hue", "sat", "xy", "ct", "alert", "effect", "transitiontime", "bri_inc", "ct_inc",
    ]

    @Test(arguments: 0..<8 as Range<UInt64>) func `successes and errors come in the order of the request`(
        seed: UInt64
    ) throws {
        var random = SplitMix(seed: seed)
        var fixture = V1Fixture()
        for _ in 0..<50 {
            let names = Self.fields.shuffled(using: &random).prefix(Int.random(in: 1...11, using: &random))
            let body = "{\(names.map { "\"\($0)\":\(random.value(for: $0))" }.joined(separator: ","))}"
            let place = Bool.random(using: &random) ? "/lights/1/state" : "/groups/1/action"
            fixture.put(place, body)
            let told = try #require(try fixture.last.response.json.array).compactMap(Self.name)
            let expected = names.filter { !($0.hasSuffix("_inc") && names.contains(String($0.dropLast(4)))) }
            #expect(told == Array(expected), "\(body)")
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `a confirmed value is read back, and other attributes do not change`(
        seed: UInt64
    ) throws {
        var random = SplitMix(seed: seed)
        var fixture = V1Fixture()
        for _ in 0..<40 {
            let number = Int.random(in: 1...8, using: &random)
            let colours = ["hue", "sat", "xy", "ct"]
            let field = (["on", "bri", "alert", "effect"] + colours).randomElement(using: &random)!
            let before = fixture.home
            let state = try fixture.state(number)
            fixture.put("/lights/\(number)/state", #"{"\#(field)":\#(random.value(for: field))}"#)
            let response = fixture.last.response
            let after = try fixture.state(number)
            let told = try response.json.array?.first?["success"]?["/lights/\(number)/state/\(field)"]
            // A colour changes the other colour attributes too, and ends an effect; all others change alone.
            var touched: Set<String> = colours.contains(field) ? Set(colours + ["effect", "colormode"]) : [field]
            if told == nil { touched = [] }
            for (name, value) in state.object ?? [:] where !touched.contains(name) {
                #expect(after[name] == value, "\(field) changed \(name) of \(number)")
            }
            for lamp in before.lamps where lamp.number != number { #expect(fixture.home.lamp(lamp.id) == lamp) }
            guard let told else { continue }
            if field == "xy" || field == "ct" {
                let lamp = try #require(fixture.home.lamp(number: number))
                let order = V1StateUpdate(V1Body([field: told]), at: "", whites: 50...1000)
                let again = lamp.lightState.alter(
                    by: order.changes(of: lamp.lightState, V1StateUpdate.Capabilities(lamp.kind)))
                #expect(again == lamp.lightState)
            } else {
                #expect(after[field] == told)
            }
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>) func `both APIs show the same states after any sequence of writes`(
        seed: UInt64
    ) throws {
        var random = SplitMix(seed: seed)
        var fixture = V1Fixture()
        for _ in 0..<100 {
            let place =
                Int.random(in: 0..<4, using: &random) == 0
                ? "/groups/\(Int.random(in: 0...3, using: &random))/action"
                : "/lights/\(Int.random(in: 1...8, using: &random))/state"
            let names = Self.fields.shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random))
            fixture.put(place, "{\(names.map { "\"\($0)\":\(random.value(for: $0))" }.joined(separator: ","))}")
        }
        let documents = fixture.home.documents
        for lamp in fixture.home.lamps {
            let state = try fixture.state(lamp.number)
            let light = try #require(documents.first { $0["id"] == .id(lamp.id) && $0["type"] == "light" })
            #expect(light["on"]?["on"] == state["on"])
            #expect(light["dimming"]?["brightness"]?.double == state["bri"]?.int.map { Level.percent(bri: $0) })
            if let xy = state["xy"]?.array {
                #expect(light["color"]?["xy"] == ["x": xy[0], "y": xy[1]])
            }
            #expect(
                light["color_temperature"]?["mirek_valid"]?.bool ?? (state["colormode"] == "ct")
                    == (state["colormode"] == "ct"))
            if state["colormode"] == "ct" { #expect(light["color_temperature"]?["mirek"] == state["ct"]) }
        }
        let grouped = documents.first { $0["type"] == "grouped_light" && $0["id_v1"] == "/groups/1" }
        #expect(try fixture.get("/groups/1")["state"]?["any_on"] == grouped?["on"]?["on"])
    }

    @Test(arguments: seeds(2 as UInt64))
    func `every request gets a valid answer, and reading changes nothing`(
        seed: UInt64
    ) throws {
        var random = SplitMix(seed: seed)
        var fixture = V1Fixture([.square, .round, .pro, .deconz].randomElement(using: &random)!)
        let words = [
            "lights", "groups", "scenes", "sensors", "config", "capabilities", "rules", "schedules", "resourcelinks",
            "new", "1", "2", "0", "99", "state", "action", "lightstates", "whitelist", "key", "-1", "",
            "99999999999999999999",
        ]
        let values = [
            "1", "-1", "1e400", "true", "null", #""x""#, "[]", "[1,2]", "{}", #"{"mode":"custom"}"#, #"["1"]"#, "0.5",
        ]
        let names =
            Self.fields + [
                "name", "lights", "type", "class", "scene", "group", "lightstates", "stream", "startup", "lat",
            ]
        for _ in 0..<150 {
            let path = (0..<Int.random(in: 0...4, using: &random)).map { _ in words.randomElement(using: &random)! }
            let members = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                "\"\(names.randomElement(using: &random)!)\":\(values.randomElement(using: &random)!)"
            }
            let method = ["GET", "PUT", "POST", "DELETE", "PATCH"].randomElement(using: &random)!
            let before = fixture.home
            let response = fixture.send(
                method, "/key/" + path.joined(separator: "/"), "{\(members.joined(separator: ","))}")
            #expect([200, 400, 403, 404].contains(response.status))
            #expect(throws: Never.self) { try response.json }
            if method == "GET" { #expect(fixture.home == before) }
            if fixture.context.keys.isEmpty { return }
        }
    }

    private static func name(_ item: JSONValue) -> String? {
        let address = item["success"]?.object?.keys.first ?? item["error"]?["address"]?.string
        return address?.split(separator: "/").last.map(String.init)
    }
}

extension SplitMix {
    /// A value that the field may have, as JSON.
    fileprivate mutating func value(for field: String) -> String {
        switch field {
        case "on": "\(Int.random(in: 0..<4, using: &self) > 0)"
        case "bri", "sat": "\(Int.random(in: 0...254, using: &self))"
        case "hue": "\(Int.random(in: 0...65535, using: &self))"
        case "xy":
            "[\(Double(Int.random(in: 0...10000, using: &self)) / 10000),"
                + "\(Double(Int.random(in: 0...10000, using: &self)) / 10000)]"
        case "ct": "\(Int.random(in: 153...500, using: &self))"
        case "alert": ["\"none\"", "\"select\"", "\"lselect\""].randomElement(using: &self)!
        case "effect": ["\"none\"", "\"colorloop\""].randomElement(using: &self)!
        case "transitiontime": "\(Int.random(in: 0...100, using: &self))"
        case "bri_inc": "\(Int.random(in: -254...254, using: &self))"
        default: "\(Int.random(in: -300...300, using: &self))"
        }
    }
}
