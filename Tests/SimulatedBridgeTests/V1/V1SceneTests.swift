import Foundation
import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

@Suite struct V1SceneTests {
    private func made(_ fixture: inout V1Fixture, _ body: String) throws -> String {
        fixture.post("/scenes", body)
        return try #require(try fixture.last.response.json.array?.first?["success"]?["id"]?.string)
    }

    @Test func `the list of scenes omits light states, a single scene has them`() throws {
        var fixture = V1Fixture()
        let list = try fixture.get("/scenes")
        let id = try #require(list.object?.keys.first)
        #expect(list[id]?["name"] == "Relax" && list[id]?["type"] == "GroupScene" && list[id]?["group"] == "1")
        #expect(list[id]?["lights"]?.array?.count == 8 && list[id]?["lightstates"] == nil)
        let states = try fixture.get("/scenes/\(id)")["lightstates"]
        #expect(states?["6"] == ["on": true, "bri": .int(Level.bri(percent: 30)), "ct": 447])
        #expect(states?["1"]?["xy"] == [0.5, 0.4])
        #expect(states?["8"] == ["on": false])
    }

    @Test func `a scene stores the states of its group's lights, and a recall restores them`() throws {
        var fixture = V1Fixture()
        fixture.put("/lights/1/state", #"{"hue":20000,"sat":150,"bri":77}"#)
        fixture.put("/lights/6/state", #"{"ct":222}"#)
        let before = fixture.home.lamps.map(\.lightState)
        let id = try made(&fixture, #"{"name":"Now","type":"GroupScene","group":"1","recycle":true}"#)
        #expect(try fixture.get("/scenes/\(id)")["recycle"] == true)
        #expect(try fixture.get("/scenes/\(id)")["owner"] == "key")
        fixture.put("/groups/0/action", #"{"bri":1,"ct":153}"#)
        fixture.put("/groups/0/action", #"{"on":false}"#)
        let response = fixture.put("/groups/1/action", #"{"scene":"\#(id)","transitiontime":7}"#)
        #expect(
            response
                == V1Text.all(
                    V1Text.success("/groups/1/action/scene", "\"\(id)\""),
                    V1Text.success("/groups/1/action/transitiontime", "7")))
        #expect(fixture.home.lamps.map(\.lightState) == before)
        #expect(fixture.last.radio == [.broadcast(fixture.home.lamps.map(\.id), over: .milliseconds(700))])
        #expect(fixture.home.scene(v1: id)?.isActive == true)
    }

    @Test func `a recall for another group sets only the scene's lights in that group`() throws {
        var fixture = V1Fixture()
        let id = try made(&fixture, #"{"name":"Bright","type":"GroupScene","group":"1"}"#)
        fixture.put("/groups/0/action", #"{"on":false}"#)
        fixture.put("/groups/3/action", #"{"scene":"\#(id)"}"#)
        #expect(fixture.home.lamps.filter(\.isOn).map(\.number) == [1, 6, 8])
        #expect(fixture.home.scene(v1: id)?.isActive == false)
        fixture.put("/groups/0/action", #"{"scene":"\#(id)"}"#)
        #expect(fixture.home.lamps.filter(\.isOn).count == 8)
        fixture.put("/groups/0/action", #"{"on":false}"#)
        fixture.put("/groups/2/action", #"{"scene":"\#(id)"}"#)
        #expect(fixture.home.lamps.filter(\.isOn).isEmpty)
    }

    @Test func `a light scene takes the given light states`() throws {
        var fixture = V1Fixture()
        let id = try made(
            &fixture,
            #"{"name":"Mine","lights":["1","7"],"#
                + #""lightstates":{"1":{"on":true,"bri":9,"hue":5,"sat":6},"7":{"on":false}}}"#
        )
        let scene = try fixture.get("/scenes/\(id)")
        #expect(scene["type"] == "LightScene" && scene["group"] == nil && scene["lights"] == ["1", "7"])
        #expect(
            scene["lightstates"]
                == ["1": ["on": true, "bri": 9, "hue": 5, "sat": 6], "7": ["on": false]])
        fixture.put("/groups/0/action", #"{"scene":"\#(id)"}"#)
        #expect(try fixture.state(1)["hue"] == 5 && fixture.state(1)["bri"] == 9 && fixture.state(7)["on"] == false)
        #expect(try fixture.state(2)["on"] == true)
    }

    @Test func `a scene is renamed, stored again, changed light by light, and deleted`() throws {
        var fixture = V1Fixture()
        let id = try made(&fixture, #"{"name":"A","lights":["1","6"]}"#)
        let place = "/scenes/\(id)"
        #expect(fixture.put(place, #"{"name":"B"}"#) == V1Text.all(V1Text.success("\(place)/name", #""B""#)))
        fixture.put("/lights/1/state", #"{"bri":3}"#)
        #expect(
            fixture.put(place, #"{"storelightstate":true}"#)
                == V1Text.all(V1Text.success("\(place)/storelightstate", "true")))
        #expect(try fixture.get(place)["lightstates"]?["1"]?["bri"] == 3)
        #expect(
            fixture.put("\(place)/lightstates/6", #"{"bri":44,"ct":200,"foo":1,"hue":3}"#)
                == V1Text.all(
                    V1Text.success("\(place)/lightstates/6/bri", "44"),
                    V1Text.success("\(place)/lightstates/6/ct", "200"),
                    V1Text.error(6, "\(place)/lightstates/6/foo", "parameter, foo, not available"),
                    V1Text.error(6, "\(place)/lightstates/6/hue", "parameter, hue, not available")))
        #expect(try fixture.get(place)["lightstates"]?["6"] == ["on": true, "bri": 44, "ct": 200])
        fixture.put(place, #"{"lights":["6","7"]}"#)
        #expect(try fixture.get(place)["lights"] == ["6", "7"])
        #expect(try fixture.get(place)["lightstates"]?["6"]?["bri"] == 44)
        #expect(fixture.put(place, #"{"owner":"x"}"#).contains("is not modifiable"))
        #expect(fixture.put("\(place)/lightstates/1", #"{"bri":1}"#).contains(#""type":3"#))
        #expect(fixture.delete(place) == #"[{"success":"\#(place) deleted."}]"#)
        #expect(try fixture.get("/scenes")[id] == nil)
    }

    @Test(
        arguments: [
            (#"{"name":"A"}"#, 5), (#"{"lights":["1"]}"#, 5), (#"{"name":"A","type":"GroupScene"}"#, 5),
            (#"{"name":"A","type":"GroupScene","group":"9"}"#, 7),
            (#"{"name":"A","type":"GroupScene","group":"0"}"#, 7),
            (#"{"name":"A","lights":["99"]}"#, 7), (#"{"name":"A","lights":["1"],"type":"Dance"}"#, 7),
            (#"{"name":"A","lights":["1"],"lightstates":{"2":{"on":true}}}"#, 7),
            (#"{"name":"A","lights":["1"],"lightstates":{"1":{"bri":999}}}"#, 7),
            (#"{"name":"A","lights":["8"],"lightstates":{"8":{"bri":9}}}"#, 6), (#"{"name":"A","foo":1}"#, 6), ("", 2),
        ])
    func `an invalid scene is refused, and nothing is created`(body: String, type: Int) throws {
        var fixture = V1Fixture()
        let before = fixture.home
        fixture.post("/scenes", body)
        #expect(try fixture.last.response.json.array?.map { $0["error"]?["type"]?.int } == [type])
        #expect(fixture.home == before)
    }

    @Test func `the two hundred and first scene is refused`() throws {
        var fixture = V1Fixture()
        for number in 1..<200 { fixture.post("/scenes", #"{"name":"S\#(number)","lights":["1"]}"#) }
        #expect(try fixture.get("/scenes").object?.count == 200)
        fixture.post("/scenes", #"{"name":"S","lights":["1"]}"#)
        #expect(try fixture.last.response.json.array?.first?["error"]?["type"] == 402)
    }
}
