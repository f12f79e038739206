import Foundation
import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

@Suite struct V1ConfigTests {
    static let known: Set<String> = [
        "name", "datastoreversion", "swversion", "apiversion", "mac", "bridgeid", "factorynew", "replacesbridgeid",
        "modelid", "starterkitid",
    ]

    @Test(arguments: ["/config", "/0/config", "/nouser/config", "/some key/config"])
    func `anyone can read the public configuration`(
        path: String
    ) throws {
        var fixture = V1Fixture()
        let config = try fixture.send("GET", path).json
        #expect(config.names == Self.known)
        #expect(config["bridgeid"]?.string == fixture.home.bridge.id.uppercased())
        #expect(config["modelid"] == "BSB002")
    }

    @Test func `a client with a key gets the full configuration, with all keys`() throws {
        var fixture = V1Fixture()
        let config = try fixture.get("/config")
        #expect(
            config["whitelist"] == [
                "key": [
                    "name": "test#one", "create date": "2026-01-31T10:00:00", "last use date": "2026-01-31T10:00:00",
                ]
            ])
        #expect(config["UTC"] == "2026-01-31T12:00:00" && config["localtime"] == "2026-01-31T13:00:00")
        let more: Set<String> = [
            "zigbeechannel", "dhcp", "ipaddress", "netmask", "gateway", "proxyaddress", "proxyport", "UTC", "localtime",
            "timezone", "linkbutton", "portalservices", "portalconnection", "portalstate", "internetservices", "backup",
            "swupdate2", "whitelist", "analyticsconsent",
        ]
        #expect(config.names.isSuperset(of: more.union(Self.known)))
    }

    @Test(
        arguments: [
            (#"{"name":"Loft"}"#, "name"), (#"{"timezone":"America/New_York"}"#, "timezone"),
            (#"{"zigbeechannel":15}"#, "zigbeechannel"), (#"{"dhcp":false}"#, "dhcp"),
            (#"{"ipaddress":"192.0.2.9"}"#, "ipaddress"), (#"{"proxyport":8080}"#, "proxyport"),
            (#"{"proxyaddress":"proxy.example"}"#, "proxyaddress"),
        ])
    func `settings are written and read back`(body: String, name: String) throws {
        var fixture = V1Fixture()
        let value = try #require(try JSONDecoder().decode(JSONValue.self, from: Data(body.utf8))[name])
        let text = String(decoding: try JSONEncoder.wire.encode(value), as: UTF8.self)
        #expect(fixture.put("/config", body) == V1Text.all(V1Text.success("/config/\(name)", text)))
        #expect(try fixture.get("/config")[name] == value)
    }

    @Test(
        arguments: [
            (#"{"linkbutton":true}"#, 8), (#"{"mac":"x"}"#, 8), (#"{"whitelist":{}}"#, 8), (#"{"foo":1}"#, 6),
            (#"{"name":""}"#, 7), (#"{"timezone":"Mars/Base"}"#, 7), (#"{"zigbeechannel":12}"#, 7),
            (#"{"ipaddress":"300.1.1.1"}"#, 7), (#"{"ipaddress":"1.1.1.1."}"#, 7),
        ])
    func `an invalid or read-only setting is refused`(body: String, type: Int) throws {
        var fixture = V1Fixture()
        let before = fixture.home
        fixture.put("/config", body)
        #expect(try fixture.last.response.json.array?.map { $0["error"]?["type"]?.int } == [type])
        #expect(fixture.home == before)
    }

    @Test func `a new name, time zone and channel show in both APIs`() throws {
        var fixture = V1Fixture()
        fixture.put("/config", #"{"name":"Loft","timezone":"Asia/Tokyo","zigbeechannel":11}"#)
        let documents = fixture.home.documents
        #expect(documents.first { $0["type"] == "bridge" }?["time_zone"]?["time_zone"] == "Asia/Tokyo")
        #expect(documents.first?["metadata"]?["name"] == "Loft")
        let mesh = documents.first { $0["channel"] != nil }
        #expect(mesh?["channel"]?["value"] == "channel_11")
        #expect(try fixture.get("/config")["localtime"] == "2026-01-31T21:00:00")
    }

    @Test func `a deleted key is refused`() throws {
        var fixture = V1Fixture()
        fixture.context.keys["other"] = fixture.context.keys["key"]
        #expect(
            fixture.delete("/config/whitelist/other") == #"[{"success":"/config/whitelist/other deleted."}]"#)
        #expect(
            fixture.send("GET", "/other/lights").text == V1Text.all(V1Text.error(1, "/lights", "unauthorized user")))
        #expect(fixture.delete("/config/whitelist/other").contains(#""type":3"#))
    }

    @Test func `capabilities count what is still available`() throws {
        var fixture = V1Fixture()
        let all = try fixture.get("/capabilities")
        #expect(all["lights"] == ["available": 55, "total": 63])
        #expect(all["groups"] == ["available": 61, "total": 64])
        #expect(all["scenes"]?["available"] == 199 && all["scenes"]?["lightstates"]?["available"] == 12592)
        #expect(all["sensors"]?["available"] == 243)
        #expect(all["timezones"]?["values"]?.array?.contains("Europe/Berlin") == true)
        #expect(all["streaming"] == ["available": 1, "total": 1, "channels": 20])
    }

    @Test(arguments: [(BridgeModel.round, 63), (.square, 63), (.pro, 150), (.deconz, 200)])
    func `each model says how many lights it can hold`(model: BridgeModel, total: Int) {
        #expect(model.totalLights == total && model.mostLights <= total)
    }

    @Test func `the full state has all parts`() throws {
        var fixture = V1Fixture()
        let all = try fixture.get("")
        #expect(
            all.object?.keys.sorted() == [
                "config", "groups", "lights", "resourcelinks", "rules", "scenes", "schedules", "sensors",
            ])
        for part in ["lights", "groups", "config", "scenes", "sensors", "rules", "schedules", "resourcelinks"] {
            #expect(try fixture.get("/\(part)") == all[part])
        }
    }

    @Test(
        arguments: [
            ("GET", "", 4, "/", "method, GET, not available for resource, /"),
            ("GET", "/nobody", 1, "/", "unauthorized user"),
            ("GET", "/nobody/lights/1", 1, "/lights/1", "unauthorized user"),
            ("GET", "/key/foo", 3, "/foo", "resource, /foo, not available"),
            ("PATCH", "/key/lights", 4, "/lights", "method, PATCH, not available for resource, /lights"),
            (
                "GET", "/key/lights/1/state", 4, "/lights/1/state",
                "method, GET, not available for resource, /lights/1/state"
            ),
            ("DELETE", "/key/groups", 4, "/groups", "method, DELETE, not available for resource, /groups"),
            ("PUT", "/key", 4, "/", "method, PUT, not available for resource, /"),
            ("POST", "/key/config", 4, "/config", "method, POST, not available for resource, /config"),
            ("GET", "/key/config/foo", 3, "/config/foo", "resource, /config/foo, not available"),
            ("PUT", "/key/capabilities", 4, "/capabilities", "method, PUT, not available for resource, /capabilities"),
        ])
    func `an unknown key, resource or method is answered with its error number and description`(
        method: String, path: String, type: Int, address: String, words: String
    ) {
        var fixture = V1Fixture()
        let response = fixture.send(method, path)
        #expect(response.text == V1Text.all(V1Text.error(type, address, words)))
        #expect(response.status == 200)
    }

    @Test func `a search lasts forty seconds, and then has the time of its end`() throws {
        var fixture = V1Fixture()
        #expect(try fixture.get("/lights/new") == ["lastscan": "none"])
        #expect(fixture.post("/lights", "") == V1Text.all(V1Text.success("/lights", #""Searching for new devices""#)))
        fixture.pass(.seconds(39))
        #expect(try fixture.get("/lights/new") == ["lastscan": "active"])
        fixture.pass(.seconds(11))
        #expect(try fixture.get("/sensors/new") == ["lastscan": "2026-01-31T12:00:40"])
        #expect(fixture.post("/lights", #"{"deviceid":["A1B2C3"]}"#).contains("Searching"))
        #expect(fixture.post("/lights", #"{"deviceid":["short"]}"#).contains(#""type":7"#))
    }

    @Test func `lights are renamed, given a power-on behaviour, and deleted`() throws {
        var fixture = V1Fixture()
        #expect(
            fixture.put("/lights/1", #"{"name":"Desk"}"#) == V1Text.all(V1Text.success("/lights/1/name", #""Desk""#)))
        #expect(fixture.put("/lights/1", #"{"name":""}"#).contains("invalid value, , for parameter, name"))
        #expect(fixture.put("/lights/1", #"{"type":"x"}"#).contains("parameter, type, is not modifiable"))
        #expect(fixture.put("/lights/1", #"{"foo":"x"}"#).contains("parameter, foo, not available"))
        for mode in ["powerfail", "lastonstate", "safety"] {
            fixture.put("/lights/1/config", #"{"startup":{"mode":"\#(mode)"}}"#)
            #expect(try fixture.get("/lights/1")["config"]?["startup"]?["mode"]?.string == mode)
        }
        let custom: JSONValue = ["mode": "custom", "customsettings": ["on": true, "bri": 77, "ct": 250]]
        let response = fixture.put(
            "/lights/1/config", String(decoding: JSONValue.object(["startup": custom]).wire, as: UTF8.self))
        #expect(response.contains("success"))
        #expect(try fixture.get("/lights/1")["config"]?["startup"]?["customsettings"] == custom["customsettings"])
        #expect(fixture.put("/lights/1/config", #"{"startup":{"mode":"party"}}"#).contains(#""type":7"#))
        #expect(
            fixture.put("/lights/8/config", #"{"startup":{"mode":"custom","customsettings":{"bri":3}}}"#).contains("7"))
        #expect(fixture.delete("/lights/1") == #"[{"success":"/lights/1 deleted."}]"#)
        #expect(try fixture.get("/groups/1")["lights"]?.array?.contains("1") == false)
    }
}
