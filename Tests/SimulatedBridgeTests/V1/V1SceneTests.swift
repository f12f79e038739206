import Foundation
import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

@Suite struct V1SceneTests {
    private func made(_ guest: inout Guest, _ body: String) throws -> String {
        guest.post("/scenes", body)
        return try #require(try guest.last.answer.json.array?.first?["success"]?["id"]?.string)
    }

    @Test func `a list leaves out what the lights do, one scene tells it`() throws {
        var guest = Guest()
        let list = try guest.get("/scenes")
        let id = try #require(list.object?.keys.first)
        #expect(list[id]?["name"] == "Relax" && list[id]?["type"] == "GroupScene" && list[id]?["group"] == "1")
        #expect(list[id]?["lights"]?.array?.count == 8 && list[id]?["lightstates"] == nil)
        let states = try guest.get("/scenes/\(id)")["lightstates"]
        #expect(states?["6"] == ["on": true, "bri": .int(Level.bri(percent: 30)), "ct": 447])
        #expect(states?["1"]?["xy"] == [0.5, 0.4])
        #expect(states?["8"] == ["on": false])
    }

    @Test func `a scene stores what the lights of its group show, and brings it back`() throws {
        var guest = Guest()
        guest.put("/lights/1/state", #"{"hue":20000,"sat":150,"bri":77}"#)
        guest.put("/lights/6/state", #"{"ct":222}"#)
        let before = guest.home.lamps.map(\.look)
        let id = try made(&guest, #"{"name":"Now","type":"GroupScene","group":"1","recycle":true}"#)
        #expect(try guest.get("/scenes/\(id)")["recycle"] == true)
        #expect(try guest.get("/scenes/\(id)")["owner"] == "key")
        guest.put("/groups/0/action", #"{"bri":1,"ct":153}"#)
        guest.put("/groups/0/action", #"{"on":false}"#)
        let answer = guest.put("/groups/1/action", #"{"scene":"\#(id)","transitiontime":7}"#)
        #expect(
            answer
                == Told.all(
                    Told.success("/groups/1/action/scene", "\"\(id)\""),
                    Told.success("/groups/1/action/transitiontime", "7")))
        #expect(guest.home.lamps.map(\.look) == before)
        #expect(guest.last.radio == [.broadcast(guest.home.lamps.map(\.id), over: .milliseconds(700))])
        #expect(guest.home.scene(v1: id)?.isActive == true)
    }

    @Test func `a zone's recall sets the lights that are in both, the whole home's every light of the scene`() throws {
        var guest = Guest()
        let id = try made(&guest, #"{"name":"Bright","type":"GroupScene","group":"1"}"#)
        guest.put("/groups/0/action", #"{"on":false}"#)
        guest.put("/groups/3/action", #"{"scene":"\#(id)"}"#)
        #expect(guest.home.lamps.filter(\.isOn).map(\.number) == [1, 6, 8])
        #expect(guest.home.scene(v1: id)?.isActive == false)
        guest.put("/groups/0/action", #"{"scene":"\#(id)"}"#)
        #expect(guest.home.lamps.filter(\.isOn).count == 8)
        guest.put("/groups/0/action", #"{"on":false}"#)
        guest.put("/groups/2/action", #"{"scene":"\#(id)"}"#)
        #expect(guest.home.lamps.filter(\.isOn).isEmpty)
    }

    @Test func `a scene of lights takes what they are to do`() throws {
        var guest = Guest()
        let id = try made(
            &guest,
            #"{"name":"Mine","lights":["1","7"],"lightstates":{"1":{"on":true,"bri":9,"hue":5,"sat":6},"7":{"on":false}}}"#
        )
        let scene = try guest.get("/scenes/\(id)")
        #expect(scene["type"] == "LightScene" && scene["group"] == nil && scene["lights"] == ["1", "7"])
        #expect(
            scene["lightstates"]
                == ["1": ["on": true, "bri": 9, "hue": 5, "sat": 6], "7": ["on": false]])
        guest.put("/groups/0/action", #"{"scene":"\#(id)"}"#)
        #expect(try guest.state(1)["hue"] == 5 && guest.state(1)["bri"] == 9 && guest.state(7)["on"] == false)
        #expect(try guest.state(2)["on"] == true)
    }

    @Test func `a scene is renamed, stored anew, changed light by light, and deleted`() throws {
        var guest = Guest()
        let id = try made(&guest, #"{"name":"A","lights":["1","6"]}"#)
        let place = "/scenes/\(id)"
        #expect(guest.put(place, #"{"name":"B"}"#) == Told.all(Told.success("\(place)/name", #""B""#)))
        guest.put("/lights/1/state", #"{"bri":3}"#)
        #expect(
            guest.put(place, #"{"storelightstate":true}"#)
                == Told.all(Told.success("\(place)/storelightstate", "true")))
        #expect(try guest.get(place)["lightstates"]?["1"]?["bri"] == 3)
        #expect(
            guest.put("\(place)/lightstates/6", #"{"bri":44,"ct":200,"foo":1,"hue":3}"#)
                == Told.all(
                    Told.success("\(place)/lightstates/6/bri", "44"), Told.success("\(place)/lightstates/6/ct", "200"),
                    Told.error(6, "\(place)/lightstates/6/foo", "parameter, foo, not available"),
                    Told.error(6, "\(place)/lightstates/6/hue", "parameter, hue, not available")))
        #expect(try guest.get(place)["lightstates"]?["6"] == ["on": true, "bri": 44, "ct": 200])
        guest.put(place, #"{"lights":["6","7"]}"#)
        #expect(try guest.get(place)["lights"] == ["6", "7"])
        #expect(try guest.get(place)["lightstates"]?["6"]?["bri"] == 44)
        #expect(guest.put(place, #"{"owner":"x"}"#).contains("is not modifiable"))
        #expect(guest.put("\(place)/lightstates/1", #"{"bri":1}"#).contains(#""type":3"#))
        #expect(guest.delete(place) == #"[{"success":"\#(place) deleted."}]"#)
        #expect(try guest.get("/scenes")[id] == nil)
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
    func `a scene that cannot be is refused, and nothing is made`(body: String, type: Int) throws {
        var guest = Guest()
        let before = guest.home
        guest.post("/scenes", body)
        #expect(try guest.last.answer.json.array?.map { $0["error"]?["type"]?.int } == [type])
        #expect(guest.home == before)
    }

    @Test func `the two hundred and first scene is refused`() throws {
        var guest = Guest()
        for number in 1..<200 { guest.post("/scenes", #"{"name":"S\#(number)","lights":["1"]}"#) }
        #expect(try guest.get("/scenes").object?.count == 200)
        guest.post("/scenes", #"{"name":"S","lights":["1"]}"#)
        #expect(try guest.last.answer.json.array?.first?["error"]?["type"] == 402)
    }
}
