import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

/// The scenes of deCONZ, which keeps them in their groups.
@Suite struct V1GroupSceneTests {
    @Test func `a scene of a group is created, recalled, stored, renamed and deleted`() throws {
        var gateway = V1Fixture(.deconz)
        #expect(try gateway.get("/groups/1")["scenes"] == [["id": "1", "name": "Relax"]])
        gateway.put("/lights/1/state", #"{"on":true,"bri":77,"xy":[0.5,0.4]}"#)
        #expect(gateway.post("/groups/1/scenes", #"{"name":"Now"}"#) == #"[{"success":{"id":"2"}}]"#)
        let before = gateway.home.lamps.map(\.lightState)
        gateway.put("/groups/0/action", #"{"on":false}"#)
        #expect(gateway.put("/groups/1/scenes/2/recall", "{}") == #"[{"success":{"id":"2"}}]"#)
        #expect(gateway.home.lamps.map(\.lightState) == before)
        let light = try gateway.get("/groups/1/scenes/2")["lights"]?.array?.first { $0["id"] == "1" }
        #expect(light?["bri"] == 77 && light?["x"] == 32767 && light?["y"] == 26214 && light?["transitiontime"] == 0)
        gateway.put("/lights/1/state", #"{"bri":9}"#)
        gateway.put("/groups/1/scenes/2/store", "{}")
        #expect(try gateway.get("/groups/1/scenes/2")["lights"]?.array?.contains { $0["bri"] == 9 } == true)
        gateway.put("/groups/1/scenes/2", #"{"name":"Late"}"#)
        #expect(try gateway.get("/groups/1/scenes")["2"]?["name"] == "Late")
        // The others keep their numbers, and a free one is given again.
        gateway.delete("/groups/1/scenes/1")
        #expect(try gateway.get("/groups/1")["scenes"] == [["id": "2", "name": "Late"]])
        #expect(gateway.post("/groups/1/scenes", #"{"name":"New"}"#) == #"[{"success":{"id":"1"}}]"#)
    }

    @Test func `a name that the group has already stores in that scene`() throws {
        var gateway = V1Fixture(.deconz)
        #expect(gateway.post("/groups/1/scenes", #"{"name":"Relax"}"#) == #"[{"success":{"id":"1"}}]"#)
        #expect(gateway.home.scenes.count { $0.name == "Relax" } == 1)
    }

    @Test func `deCONZ has no list of all scenes, and a Hue bridge none of a group`() throws {
        var gateway = V1Fixture(.deconz)
        #expect(try gateway.get("/scenes").array?.first?["error"]?["type"] == 3)
        #expect(try gateway.get("")["scenes"] == nil)
        var bridge = V1Fixture()
        #expect(try bridge.get("/groups/1/scenes").array?.first?["error"]?["type"] == 3)
        #expect(try bridge.get("/groups/1")["scenes"] == nil)
    }
}
