import Foundation
import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

@Suite struct V1DialectTests {
    @Test(
        arguments: [
            ("GET", "/key/lights", "", 200), ("GET", "/nobody/lights", "", 403), ("GET", "/key/foo", "", 404),
            ("GET", "/key/lights/99", "", 404), ("PUT", "/key/lights/1/state", "{", 400),
            ("PUT", "/key/lights/1/state", #"{"bri":999}"#, 400), ("PUT", "/key/lights/1/state", #"{"foo":1}"#, 400),
            // If anything was done, the status is 200.
            ("PUT", "/key/lights/1/state", #"{"foo":1,"bri":9}"#, 200), ("GET", "/nobody/config", "", 200),
        ])
    func `deCONZ answers errors with an error status, a bridge with 200`(
        method: String, path: String, body: String, status: Int
    ) {
        var gateway = V1Fixture(.deconz)
        let response = gateway.send(method, path, body)
        #expect(response.status == status)
        var bridge = V1Fixture()
        let same = bridge.send(method, path, body)
        #expect(same.status == 200)
        if status != 200 { #expect(response.text == same.text) }
    }

    @Test func `deCONZ answers 304 until a resource has changed`() throws {
        var gateway = V1Fixture(.deconz)
        let first = gateway.send("GET", "/key/lights")
        let tag = try #require(first.headers.first { $0.name == "ETag" }?.value)
        let second = gateway.send("GET", "/key/lights", ifNoneMatch: tag)
        #expect(second.status == 304 && second.body.isEmpty)
        gateway.put("/lights/1/state", #"{"bri":3}"#)
        #expect(gateway.send("GET", "/key/lights", ifNoneMatch: tag).status == 200)
        var bridge = V1Fixture()
        #expect(bridge.send("GET", "/key/lights", ifNoneMatch: tag).status == 200)
        #expect(bridge.last.response.headers.isEmpty)
    }

    @Test func `deCONZ has its own model, ids and websocket port`() throws {
        var gateway = V1Fixture(.deconz)
        let config = try gateway.get("/config")
        #expect(config["modelid"] == "deCONZ" && config["websocketport"] == 443)
        #expect(config["bridgeid"]?.string?.hasPrefix("00212E") == true)
        #expect(gateway.put("/lights/1/state", #"{"bri":255}"#).contains(#""/lights/1/state/bri":254"#))
    }

    @Test(
        arguments: [
            (#"{"devicetype":"app#study"}"#, nil), (#"{"devicetype":"python_hue"}"#, nil),
            (#"{"devicetype":"a","generateclientkey":true}"#, nil), ("", 2), ("{", 2), ("[]", 5), ("{}", 5),
            (#"{"generateclientkey":true}"#, 5), (#"{"devicetype":""}"#, 7), (#"{"devicetype":5}"#, 7),
            (#"{"devicetype":"aaaaaaaaaaaaaaaaaaaaa#b"}"#, 7), (#"{"devicetype":"a#bbbbbbbbbbbbbbbbbbbb"}"#, 7),
            (#"{"devicetype":"aaaaaaaaaaaaaaaaaaaa#bbbbbbbbbbbbbbbbbbb"}"#, nil),
            (#"{"devicetype":"a","generateclientkey":1}"#, 7), (#"{"devicetype":"a","username":"my-own-name"}"#, 6),
            (#"{"devicetype":"a","foo":1}"#, 6),
        ] as [(String, Int?)])
    func `a request for a key needs a valid devicetype`(body: String, type: Int?) {
        do throws(V1Failure) {
            _ = try V1Pairing(Array(body.utf8), to: .square)
            #expect(type == nil)
        } catch {
            #expect(error.error.type == type)
        }
    }

    @Test func `deCONZ gives the key that the client asks for`() throws {
        let body = Array(#"{"devicetype":"a","username":"my-own-name"}"#.utf8)
        #expect(try V1Pairing(body, to: .deconz).key == "my-own-name")
    }

    @Test(arguments: BridgeModel.allCases) func `every model but the Pro has a UPnP description`(model: BridgeModel) {
        let bridge = V1Fixture(model).home.bridge
        let text = bridge.description(at: "192.0.2.7:8080")
        #expect((text == nil) == (model == .pro))
        guard let text else { return }
        let mac = BridgeID.mac(of: bridge.id).filter { $0 != ":" }
        #expect(text.contains("<URLBase>http://192.0.2.7:8080/</URLBase>"))
        #expect(text.contains("<friendlyName>Villa (192.0.2.7)</friendlyName>"))
        #expect(text.contains("<serialNumber>\(mac)</serialNumber>"))
        #expect(text.contains("<modelNumber>\(model.rawValue)</modelNumber>"))
    }
}
