import Foundation
import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

@Suite struct V1StoredObjectTests {
    static let bodies: [(kind: String, body: String, change: String)] = [
        (
            "schedules",
            #"{"name":"Wake","command":{"address":"/api/key/lights/1/state","method":"PUT","body":{"on":true}},"localtime":"W124/T06:40:00"}"#,
            #"{"status":"disabled"}"#
        ),
        (
            "rules",
            #"{"name":"Rule","conditions":[{"address":"/sensors/2/state/presence","operator":"eq","value":"true"}],"actions":[{"address":"/groups/0/action","method":"PUT","body":{"on":true}}]}"#,
            #"{"name":"Other"}"#
        ),
        ("resourcelinks", #"{"name":"Link","classid":1,"links":["/lights/1"]}"#, #"{"links":["/lights/2"]}"#),
    ]

    @Test(arguments: bodies) func `schedules, rules and resource links are created, read, changed and deleted`(
        kind: String, body: String, change: String
    )
        throws
    {
        var fixture = V1Fixture()
        #expect(try fixture.get("/\(kind)") == [:])
        #expect(fixture.post("/\(kind)", body) == #"[{"success":{"id":"1"}}]"#)
        #expect(fixture.post("/\(kind)", body) == #"[{"success":{"id":"2"}}]"#)
        let made = try fixture.get("/\(kind)/1")
        let sent = try JSONDecoder().decode(JSONValue.self, from: Data(body.utf8)).object ?? [:]
        for (name, value) in sent { #expect(made[name] == value) }
        fixture.put("/\(kind)/1", change)
        let changed = try JSONDecoder().decode(JSONValue.self, from: Data(change.utf8)).object ?? [:]
        // A change leaves alone what it does not name.
        #expect(try fixture.get("/\(kind)/1") == made.merging(changed))
        #expect(try fixture.get("/\(kind)/2") == made)
        #expect(fixture.delete("/\(kind)/1") == #"[{"success":"/\#(kind)/1 deleted."}]"#)
        #expect(try fixture.get("/\(kind)").object?.keys.sorted() == ["2"])
        #expect(fixture.post("/\(kind)", body) == #"[{"success":{"id":"1"}}]"#)
        #expect(fixture.put("/\(kind)/9", change).contains(#""type":3"#))
        #expect(fixture.put("/\(kind)/1", #"{"foo":1}"#).contains(#""type":6"#))
    }

    @Test(
        arguments: [
            ("schedules", #"{"name":"A"}"#, 5), ("schedules", #"{"command":{},"localtime":"x"}"#, 7),
            (
                "schedules",
                #"{"command":{"address":"/a","method":"PUT","body":{}},"time":"x","localtime":"x"}"#, 703
            ),
            ("rules", #"{"conditions":[],"actions":[]}"#, 7), ("rules", #"{"name":"A"}"#, 5),
            ("resourcelinks", #"{"name":"A","classid":1,"links":[1]}"#, 7), ("resourcelinks", #"{"foo":1}"#, 6),
        ])
    func `an invalid object is refused`(kind: String, body: String, type: Int) throws {
        var fixture = V1Fixture()
        let before = fixture.home
        fixture.post("/\(kind)", body)
        #expect(try fixture.last.response.json.array?.map { $0["error"]?["type"]?.int } == [type])
        #expect(fixture.home == before)
    }

    @Test func `a full table refuses another object`() throws {
        var fixture = V1Fixture()
        for _ in 0..<64 { fixture.post("/resourcelinks", Self.bodies[2].body) }
        #expect(try fixture.get("/resourcelinks").object?.count == 64)
        fixture.post("/resourcelinks", Self.bodies[2].body)
        #expect(try fixture.last.response.json.array?.first?["error"]?["type"] == 11)
        #expect(try fixture.get("/capabilities")["resourcelinks"]?["available"] == 0)
    }
}
