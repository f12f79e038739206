import Foundation
import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

@Suite struct V1SensorTests {
    static let date = Date(timeIntervalSince1970: 1_769_860_800)
    static let flag =
        #"{"name":"Flag","type":"CLIPGenericFlag","modelid":"M","swversion":"1","uniqueid":"u-1","#
        + #""manufacturername":"me"}"#

    @Test func `accessories have the sensors of their products, after the bridge's own`() throws {
        var fixture = V1Fixture()
        let sensors = try fixture.get("/sensors")
        let types = try (1...7).map { try #require(sensors["\($0)"]?["type"]?.string) }
        #expect(
            types == [
                "Daylight", "ZLLPresence", "ZLLLightLevel", "ZLLTemperature", "ZLLSwitch", "ZLLSwitch",
                "ZLLRelativeRotary",
            ])
        #expect(sensors.object?.count == 7)
        let unique = Set((1...7).compactMap { sensors["\($0)"]?["uniqueid"]?.string })
        #expect(unique.count == 6)
        for (number, sensor) in sensors.object ?? [:] {
            #expect(sensor["config"]?["on"] == true && sensor["state"]?["lastupdated"]?.string != nil, "\(number)")
        }
    }

    @Test func `sensors show what the accessories report`() throws {
        var fixture = V1Fixture()
        func report(_ name: String, _ report: Accessory.Change.Reporting) throws {
            let thing = try #require(fixture.home.accessory(called: name))
            fixture.context.home = fixture.home.alter(by: .updating(.accessory(thing.id, by: [.reporting(report)])))
        }
        try report("motion", .motion(true, at: Self.date))
        try report("motion", .lightLevel(12000, at: Self.date))
        try report("motion", .temperature(21.456, at: Self.date))
        try report("switch", .button(2, "initial_press", at: Self.date))
        try report("switch", .button(3, "short_release", at: Self.date + 1))
        try report("dial", .rotation(Accessory.Rotation(steps: -30, milliseconds: 400), at: Self.date))
        func state(_ number: Int) throws -> JSONValue? { try fixture.get("/sensors/\(number)")["state"] }
        #expect(try state(2) == ["presence": true, "lastupdated": "2026-01-31T12:00:00"])
        #expect(
            try state(3) == [
                "lightlevel": 12000, "dark": true, "daylight": false, "lastupdated": "2026-01-31T12:00:00",
            ])
        #expect(try state(4)?["temperature"] == 2146)
        #expect(try state(5) == ["buttonevent": 3002, "lastupdated": "2026-01-31T12:00:01"])
        #expect(try state(7)?["expectedrotation"] == -30)
        fixture.put("/sensors/3/config", #"{"tholddark":10000,"tholdoffset":1000}"#)
        #expect(try state(3)?["dark"] == false && state(3)?["daylight"] == true)
    }

    @Test func `a sensor's name and settings can be written, and reach its device`() throws {
        var fixture = V1Fixture()
        #expect(
            fixture.put("/sensors/2", #"{"name":"Hall"}"#) == V1Text.all(V1Text.success("/sensors/2/name", #""Hall""#)))
        #expect(fixture.home.accessory(called: "Hall") != nil)
        fixture.put("/sensors/4", #"{"name":"Warmth"}"#)
        #expect(try fixture.get("/sensors/4")["name"] == "Warmth" && fixture.get("/sensors/2")["name"] == "Hall")
        let response = fixture.put(
            "/sensors/2/config", #"{"sensitivity":4,"on":false,"usertest":true,"battery":3,"reachable":false,"foo":1}"#)
        #expect(
            response
                == V1Text.all(
                    V1Text.success("/sensors/2/config/sensitivity", "4"),
                    V1Text.success("/sensors/2/config/on", "false"),
                    V1Text.success("/sensors/2/config/usertest", "true"),
                    V1Text.error(8, "/sensors/2/config/battery", "parameter, battery, is not modifiable"),
                    V1Text.error(8, "/sensors/2/config/reachable", "parameter, reachable, is not modifiable"),
                    V1Text.error(6, "/sensors/2/config/foo", "parameter, foo, not available")))
        let config = try fixture.get("/sensors/2")["config"]
        #expect(config?["sensitivity"] == 4 && config?["on"] == false && config?["usertest"] == true)
        #expect(fixture.home.accessory(called: "Hall")?.sensitivity == 4)
        #expect(fixture.put("/sensors/2/state", #"{"presence":true}"#).contains("is not modifiable"))
        #expect(fixture.put("/sensors/5/config", #"{"tholddark":1}"#).contains(#""type":6"#))
    }

    @Test func `a CLIP sensor is created, written and deleted`() throws {
        var fixture = V1Fixture()
        #expect(fixture.post("/sensors", Self.flag) == #"[{"success":{"id":"8"}}]"#)
        #expect(try fixture.get("/sensors/8")["state"] == ["flag": .null, "lastupdated": "none"])
        let response = fixture.put("/sensors/8/state", #"{"flag":true,"status":3,"lastupdated":"now","open":1}"#)
        #expect(
            response
                == V1Text.all(
                    V1Text.success("/sensors/8/state/flag", "true"),
                    V1Text.error(6, "/sensors/8/state/status", "parameter, status, not available"),
                    V1Text.error(8, "/sensors/8/state/lastupdated", "parameter, lastupdated, is not modifiable"),
                    V1Text.error(6, "/sensors/8/state/open", "parameter, open, not available")))
        #expect(try fixture.get("/sensors/8")["state"] == ["flag": true, "lastupdated": "2026-01-31T12:00:00"])
        #expect(fixture.put("/sensors/8/state", #"{"flag":3}"#).contains(#""type":7"#))
        fixture.put("/sensors/8/config", #"{"on":false,"battery":50,"url":"here"}"#)
        #expect(
            try fixture.get("/sensors/8")["config"] == ["on": false, "reachable": true, "battery": 50, "url": "here"])
        #expect(fixture.delete("/sensors/8") == #"[{"success":"/sensors/8 deleted."}]"#)
        #expect(fixture.post("/sensors", Self.flag) == #"[{"success":{"id":"8"}}]"#)
    }

    @Test(
        arguments: [
            (#"{"name":"A"}"#, 5), (flag.replacingOccurrences(of: "CLIPGenericFlag", with: "ZLLPresence"), 501),
            (flag.replacingOccurrences(of: #""name":"Flag""#, with: #""name":"""#), 7),
            (flag.replacingOccurrences(of: #""name""#, with: #""foo":1,"name""#), 6),
            (flag.replacingOccurrences(of: #""name""#, with: #""state":{"open":true},"name""#), 6),
        ])
    func `an invalid sensor is refused`(body: String, type: Int) throws {
        var fixture = V1Fixture()
        let before = fixture.home
        fixture.post("/sensors", body)
        #expect(try fixture.last.response.json.array?.map { $0["error"]?["type"]?.int } == [type])
        #expect(fixture.home == before)
    }

    @Test func `deleting a sensor deletes its device with all sensors; daylight stays`() throws {
        var fixture = V1Fixture()
        fixture.put("/sensors/4", #"{"name":"Warmth"}"#)
        #expect(fixture.delete("/sensors/2").contains("deleted"))
        #expect(try fixture.get("/sensors").object?.keys.sorted() == ["1", "5", "6", "7"])
        #expect(fixture.home.accessory(called: "motion") == nil)
        #expect(fixture.delete("/sensors/1").contains(#""type":4"#))
    }

    @Test func `daylight is unknown until the bridge has a location`() throws {
        var fixture = V1Fixture()
        #expect(try fixture.get("/sensors/1")["state"]?["daylight"] == .null)
        #expect(try fixture.get("/sensors/1")["config"]?["configured"] == false)
        fixture.put("/sensors/1/config", #"{"lat":"52.5200N","long":"013.4050E"}"#)
        #expect(try fixture.get("/sensors/1")["state"]?["daylight"] == true)
        #expect(try fixture.get("/sensors/1")["config"]?["lat"] == nil)
        fixture.pass(.seconds(8 * 3600))
        #expect(try fixture.get("/sensors/1")["state"]?["daylight"] == false)
        #expect(fixture.put("/sensors/1/config", #"{"lat":"91.0N"}"#).contains(#""type":7"#))
    }

    @Test(
        arguments: [
            // Published times, UTC: Berlin in June and December, Sydney in January, Spitsbergen in midnight sun and
            // polar night.
            (52.52, 13.405, "2026-06-21T02:30:00Z", false), (52.52, 13.405, "2026-06-21T02:55:00Z", true),
            (52.52, 13.405, "2026-06-21T19:20:00Z", true), (52.52, 13.405, "2026-06-21T19:45:00Z", false),
            (52.52, 13.405, "2026-12-21T07:05:00Z", false), (52.52, 13.405, "2026-12-21T07:25:00Z", true),
            (-33.87, 151.21, "2026-01-10T08:55:00Z", true), (-33.87, 151.21, "2026-01-10T09:25:00Z", false),
            (78.2, 15.6, "2026-06-21T00:00:00Z", true), (78.2, 15.6, "2026-12-21T12:00:00Z", false),
        ])
    func `the sun rises and sets when almanacs say`(lat: Double, long: Double, moment: String, isDay: Bool) throws {
        let sun = try #require(
            Daylight(
                lat: "\(abs(lat))\(lat < 0 ? "S" : "N")", long: "\(abs(long))\(long < 0 ? "W" : "E")"))
        let date = try Date(moment, strategy: .iso8601)
        #expect(sun.isDay(at: date, sunrise: 0, sunset: 0) == isDay)
    }

    @Test func `offsets move sunrise and sunset`() throws {
        let sun = try #require(Daylight(lat: "52.5200N", long: "13.4050E"))
        let morning = try Date("2026-06-21T02:55:00Z", strategy: .iso8601)
        #expect(sun.isDay(at: morning, sunrise: 0, sunset: 0) && !sun.isDay(at: morning, sunrise: 30, sunset: 0))
        let evening = try Date("2026-06-21T19:20:00Z", strategy: .iso8601)
        #expect(sun.isDay(at: evening, sunrise: 0, sunset: 0) && !sun.isDay(at: evening, sunrise: 0, sunset: -30))
    }
}
