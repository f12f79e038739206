import Foundation
import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

@Suite struct V1GroupTests {
    @Test func `the list has rooms and zones, but not group 0`() throws {
        var fixture = V1Fixture()
        let groups = try fixture.get("/groups")
        #expect(groups.object?.keys.sorted() == ["1", "2", "3"])
        #expect(groups["1"]?["type"] == "Room" && groups["3"]?["type"] == "Zone")
        #expect(groups["1"]?["class"] == "Hallway" && groups["3"]?["class"] == "Downstairs")
        #expect(groups["1"]?["lights"] == ["1", "2", "3", "4", "5", "6", "7", "8"])
        #expect(groups["1"]?["sensors"] == ["2", "5", "6"])
        #expect(groups["2"]?["state"] == ["all_on": false, "any_on": false])
        let whole = try fixture.get("/groups/0")
        #expect(whole["lights"]?.array?.count == 8 && whole["type"] == "LightGroup" && whole["class"] == nil)
        #expect(whole["state"] == ["all_on": true, "any_on": true])
        fixture.put("/lights/1/state", #"{"on":false}"#)
        #expect(try fixture.get("/groups/1")["state"] == ["all_on": false, "any_on": true])
    }

    @Test func `a group command is one broadcast, and each light takes what it supports`() throws {
        var fixture = V1Fixture()
        let response = fixture.put("/groups/0/action", #"{"ct":300,"bri":9,"transitiontime":20}"#)
        #expect(
            response
                == V1Text.all(
                    V1Text.success("/groups/0/action/ct", "300"), V1Text.success("/groups/0/action/bri", "9"),
                    V1Text.success("/groups/0/action/transitiontime", "20")))
        #expect(fixture.last.radio == [.broadcast(fixture.home.lamps.map(\.id), over: .seconds(2))])
        for lamp in fixture.home.lamps {
            if lamp.kind.dims { #expect(lamp.level == 9) }
            if lamp.kind.whites != nil { #expect(lamp.tint == .white(mirek: 300)) }
        }
        let action = try fixture.get("/groups/0")["action"]
        #expect(action?["ct"] == 300 && action?["bri"] == 9)
    }

    @Test func `lights of a group that are off ignore commands that do not switch them on`() throws {
        var fixture = V1Fixture()
        fixture.put("/lights/1/state", #"{"on":false}"#)
        let dark = fixture.home.lamp(number: 1)
        #expect(
            fixture.put("/groups/1/action", #"{"bri":9}"#) == V1Text.all(V1Text.success("/groups/1/action/bri", "9")))
        #expect(fixture.home.lamp(number: 1) == dark && fixture.home.lamp(number: 2)?.level == 9)
        fixture.put("/groups/1/action", #"{"on":true,"bri":8}"#)
        #expect(fixture.home.lamp(number: 1)?.level == 8 && fixture.home.lamp(number: 1)?.isOn == true)
    }

    @Test func `a group's action is its last command, not the state of its lights`() throws {
        var fixture = V1Fixture()
        fixture.put("/groups/1/action", #"{"on":true,"bri":100,"hue":1000,"sat":200}"#)
        for number in 1...8 { fixture.put("/lights/\(number)/state", #"{"on":false}"#) }
        let group = try fixture.get("/groups/1")
        #expect(group["state"]?["any_on"] == false)
        #expect(group["action"]?["on"] == true && group["action"]?["bri"] == 100)
        #expect(group["action"]?["hue"] == 1000 && group["action"]?["colormode"] == "hs")
    }

    @Test(
        arguments: [
            (#"{"bri":300,"on":true,"foo":1}"#, [7, 0, 6]), (#"{"scene":"nowhere","on":true}"#, [7, 0]),
            (#"{"on":true,"scene":5,"bri":2}"#, [0, 7, 0]), (#"{"reachable":true}"#, [8]),
        ])
    func `an invalid value is refused in its place, and the others succeed`(body: String, types: [Int]) throws {
        var fixture = V1Fixture()
        fixture.put("/groups/1/action", body)
        #expect(try fixture.last.response.json.array?.map { $0["error"]?["type"]?.int ?? 0 } == types)
    }

    @Test(arguments: ["Room", "Zone", "LightGroup", "Entertainment"]) func `a group is created, changed and deleted`(
        type: String
    ) throws {
        var fixture = V1Fixture()
        let lights = type == "Room" ? "[]" : #"["1","6"]"#
        #expect(
            fixture.post("/groups", #"{"name":"New","type":"\#(type)","lights":\#(lights)}"#)
                == #"[{"success":{"id":"4"}}]"#)
        let group = try fixture.get("/groups/4")
        #expect(group["name"] == "New" && group["type"]?.string == type)
        #expect(group["lights"] == (type == "Room" ? [] : type == "Entertainment" ? ["1"] : ["1", "6"]))
        #expect(
            fixture.put("/groups/4", #"{"name":"Other"}"#) == V1Text.all(V1Text.success("/groups/4/name", #""Other""#)))
        #expect(try fixture.get("/groups")["4"]?["name"] == "Other")
        fixture.put("/groups/4/action", #"{"on":false}"#)
        #expect(try fixture.state(1)["on"]?.bool == (type == "Room"))
        // Its resources in API v2.
        let shown = fixture.home.documents.filter { $0["id_v1"] == "/groups/4" }.compactMap { $0["type"]?.string }
        let expected = [
            "Room": ["room"], "Zone": ["zone", "grouped_light"], "LightGroup": [],
            "Entertainment": ["entertainment_configuration"],
        ]
        #expect(shown == expected[type])
        #expect(fixture.delete("/groups/4") == #"[{"success":"/groups/4 deleted."}]"#)
        #expect(try fixture.get("/groups")["4"] == nil)
        #expect(
            fixture.delete("/groups/4")
                == V1Text.all(V1Text.error(3, "/groups/4", "resource, /groups/4, not available")))
    }

    @Test func `a light is in one room only`() throws {
        var fixture = V1Fixture()
        fixture.post("/groups", #"{"name":"B","type":"Room","lights":["1"]}"#)
        #expect(try fixture.last.response.json.array?.first?["error"]?["type"] == 306)
        fixture.put("/groups/2", #"{"lights":["1"]}"#)
        #expect(try fixture.last.response.json.array?.first?["error"]?["type"] == 306)
        fixture.put("/groups/1", #"{"lights":["2"]}"#)
        #expect(fixture.put("/groups/2", #"{"lights":["1"]}"#).contains("success"))
        #expect(fixture.home.group(number: 2)?.lamps == [try #require(fixture.home.lamp(number: 1)).id])
    }

    @Test(
        arguments: [
            ("{}", 5), (#"{"name":"A"}"#, 5), (#"{"lights":[]}"#, 5), (#"{"lights":["99"]}"#, 7),
            (#"{"lights":"1"}"#, 7), (#"{"lights":["1"],"type":"Luminaire"}"#, 7),
            (#"{"lights":["1"],"name":""}"#, 7), (#"{"lights":["1"],"class":"Cave"}"#, 7),
            (#"{"lights":["1"],"foo":1}"#, 6), ("{", 2),
        ])
    func `an invalid group is refused, and nothing is created`(body: String, type: Int) throws {
        var fixture = V1Fixture()
        let before = fixture.home
        fixture.post("/groups", body)
        #expect(try fixture.last.response.json.array?.map { $0["error"]?["type"]?.int } == [type])
        #expect(fixture.home == before)
    }

    @Test func `the sixty-fifth group is refused`() throws {
        var fixture = V1Fixture()
        for _ in 0..<61 { fixture.post("/groups", #"{"lights":["1"]}"#) }
        #expect(try fixture.get("/groups").object?.count == 64)
        #expect(
            fixture.post("/groups", #"{"lights":["1"]}"#)
                == V1Text.all(V1Text.error(301, "/groups", "group could not be created. Group table is full.")))
        #expect(try fixture.get("/capabilities")["groups"] == ["available": 0, "total": 64])

    }

    @Test func `group 0 can be neither changed nor deleted`() {
        var fixture = V1Fixture()
        let before = fixture.home
        let told = V1Text.all(
            V1Text.error(305, "/groups/0", "It is not allowed to update or delete group of this type"))
        #expect(fixture.put("/groups/0", #"{"name":"All"}"#) == told)
        #expect(fixture.delete("/groups/0") == told)
        #expect(fixture.home == before)
    }

    @Test func `every class of room in API v1 has an archetype in API v2`() throws {
        var fixture = V1Fixture()
        for name in RoomClass.all {
            #expect(RoomClass.name(of: RoomClass.archetype(of: name)) == name)
            fixture.put("/groups/1", #"{"class":"\#(name)"}"#)
            #expect(try fixture.get("/groups/1")["class"]?.string == name)
        }
        fixture.put("/groups/1", #"{"class":"Living room"}"#)
        #expect(fixture.home.group(number: 1)?.archetype == "living_room")
    }

    @Test func `an entertainment session starts and ends, and another client cannot take it over`() throws {
        var fixture = V1Fixture()
        fixture.context.keys["other"] = fixture.context.keys["key"]
        fixture.post("/groups", #"{"name":"TV","type":"Entertainment","lights":["1","2","6"]}"#)
        #expect(try fixture.get("/groups/4")["locations"] == ["1": [-1, 0, 0], "2": [1, 0, 0]])
        fixture.put("/groups/4", #"{"stream":{"active":true}}"#)
        #expect(try fixture.get("/groups/4")["stream"]?["active"] == true)
        #expect(try fixture.state(1)["mode"] == "streaming" && fixture.state(6)["mode"] == "homeautomation")
        let stolen = fixture.send("PUT", "/other/groups/4", #"{"stream":{"active":true}}"#)
        #expect(try stolen.json.array?.first?["error"]?["type"] == 307)
        fixture.put("/groups/4", #"{"stream":{"active":false}}"#)
        #expect(try fixture.get("/groups/4")["stream"]?["owner"] == .null)
        #expect(try fixture.state(1)["mode"] == "homeautomation")
    }

    @Test(arguments: [(20, nil), (21, 7)] as [(Int, Int?)])
    func `an entertainment area has at most twenty lights with colours`(count: Int, error: Int?) throws {
        let lights = (1...30).map { HomeFile.Light(name: "L\($0)", kind: $0 > 25 ? .plug : .color) }
        var fixture = V1Fixture(.square, HomeFile(rooms: [HomeFile.Room(name: "Hall", lights: lights)]))
        let numbers = ((1...count) + [26, 27]).map { "\"\($0)\"" }.joined(separator: ",")
        fixture.post("/groups", #"{"name":"TV","type":"Entertainment","lights":[\#(numbers)]}"#)
        #expect(try fixture.last.response.json.array?.first?["error"]?["type"]?.int == error)
    }
}
