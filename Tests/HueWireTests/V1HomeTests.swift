import Foundation
import HueWire
import Testing

/// The documents of API v1 as bridges and emulators write them.
@Suite struct V1HomeTests {
    private static func read<Value: Decodable>(_ text: String, as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    /// The home of an old round bridge: no capabilities, no types of scenes.
    private static let round = """
        {"lights":{
          "10":{"state":{"on":false,"bri":254,"hue":14922,"sat":144,"effect":"none","xy":[0.4595,0.4105],"ct":369,
                 "alert":"none","colormode":"ct","reachable":true},
                "type":"Extended color light","name":"Desk","modelid":"LCT001","manufacturername":"Philips",
                "uniqueid":"00:17:88:01:00:aa:bb:cc-0b","swversion":"5.105.0.21169"},
          "2":{"state":{"on":true,"bri":1,"alert":"none","reachable":false},"type":"Dimmable light","name":"Shed",
               "modelid":"LWB004","uniqueid":"x","swversion":"5.105.0.21169"},
          "3":{"broken":true},
          "4":null},
         "groups":{"1":{"name":"Study","lights":["10","2"],"type":"LightGroup","action":{"on":true},"later":7},
                   "2":{"name":"Sync","lights":["10"],"type":"Entertainment"}},
         "config":{"name":"Old bridge","bridgeid":"001788FFFE010203","modelid":"BSB001","apiversion":"1.16.0",
                   "whitelist":{}},
         "scenes":{"ab34ef-on-0":{"name":"Read on 0","lights":["10"],"owner":"x","recycle":true}},
         "schedules":{},"sensors":{},"rules":{}}
        """

    @Test func `a home is read in the order of its numbers, without its broken parts`() throws {
        let home = try Self.read(Self.round, as: V1Home.self)
        #expect(home.lights.members.map(\.id) == ["2", "10"])
        #expect(home.unreadable.count == 2 && home.unreadable.allSatisfy { $0.hasPrefix("light ") })
        let desk = try #require(home.lights["10"])
        #expect(desk.name == "Desk" && desk.model == "LCT001")
        #expect(desk.dims && desk.isWhite && desk.point == XY(x: 0.4595, y: 0.4105))
        #expect(desk.gamut == nil && desk.whites == nil && desk.minDimLevel == nil)
        #expect(home.lights["2"]?.state.reachable == false)
        #expect(home.groups["1"]?.lights == ["10", "2"])
        #expect(home.scenes["ab34ef-on-0"]?.group == nil)
        #expect(home.config?.name == "Old bridge" && home.config?.modelid == "BSB001")
    }

    @Test(arguments: ["{}", #"{"groups":{},"scenes":{}}"#, "[]", #"{"lights":[]}"#])
    func `a document without a list of lights is not a home`(text: String) {
        #expect(throws: DecodingError.self) { try Self.read(text, as: V1Home.self) }
    }

    @Test func `a lamp's capabilities are read`() throws {
        let light = try Self.read(
            """
            {"state":{"on":true,"bri":127,"ct":366,"colormode":"ct","reachable":true},"name":"Desk",
             "type":"Color temperature light",
             "capabilities":{"control":{"mindimlevel":2000,"maxlumen":800,"ct":{"min":153,"max":454},
              "colorgamuttype":"C","colorgamut":[[0.6915,0.3083],[0.17,0.7],[0.1532,0.0475]]}}}
            """, as: V1Light.self)
        #expect(light.whites == MirekSchema(153, 454))
        #expect(light.gamut == .c && light.gamutType == "C")
        #expect(light.minDimLevel == 2)
        #expect(light.isWhite && light.point == nil)
    }

    /// A home of deCONZ (dresden-elektronik/deconz-rest-plugin): ranges are beside the state, scenes in their group,
    /// and its own stick is among the lights.
    @Test func `the documents of deCONZ are read`() throws {
        let home = try Self.read(
            """
            {"lights":{
              "1":{"etag":"x","name":"Configuration tool 1","state":{"reachable":true},"type":"Configuration tool"},
              "2":{"ctmax":454,"ctmin":250,"hascolor":true,"name":"Hall",
                   "state":{"alert":"none","bri":255.0,"colormode":"hs","ct":250,"hue":21845,"on":true,
                            "reachable":true,"sat":254},"type":"Color temperature light"},
              "3":{"name":"Plug","state":{"on":true,"bri":254,"reachable":true},"type":"On/Off plug-in unit"}},
             "groups":{"1":{"id":"1","name":"Hall","lights":["2"],"type":"LightGroup","hidden":false,
                            "scenes":[{"id":"1","name":"Dusk","lightcount":1,"transitiontime":0},{"name":"lost"}],
                            "state":{"all_on":true,"any_on":true}},
                       "20001":{"name":"Switch","lights":[],"type":"LightGroup","hidden":true,"state":0}},
             "scenes":[]}
            """, as: V1Home.self)
        #expect(home.lights.members.map(\.value.isSwitchable) == [false, true, true])
        let hall = try #require(home.lights["2"])
        #expect(hall.whites == MirekSchema(250, 454))
        #expect(hall.state.bri == 255 && hall.dims && !hall.isWhite)
        #expect(hall.point.map { HueSaturation($0).hue }.map { abs($0 - 1.0 / 3) < 0.001 } == true)
        #expect(home.lights["3"]?.dims == false)
        #expect(home.groups["1"]?.scenes.map(\.id) == ["1"])
        #expect(home.groups["20001"]?.isHidden == true)
        #expect(home.scenes.members.isEmpty)
    }

    @Test(
        arguments: [
            (#"[{"success":{"/lights/1/state/on":true}},{"success":{"/lights/1/state/bri":9}}]"#, 2, []),
            (#"[{"success":"/groups/7 deleted."}]"#, 1, []), (#"[{"success":null}]"#, 1, []), ("[]", 0, []),
            (
                #"[{"error":{"type":3,"address":"/lights/9","description":"resource, /lights/9, not available"}}]"#, 0,
                [3]
            ),
            // A malformed error still counts as an error.
            (#"[{"error":"no"}]"#, 0, [0]), (#"[{"error":null}]"#, 0, [0]), (#"[{"error":{"type":"7"}}]"#, 0, [0]),
            (#"[{"success":{"/a/b":1}},{"error":{"type":201,"description":"off"}}]"#, 1, [201]),
        ] as [(String, Int, [Int])])
    func `an answer has the successes and the errors of a command`(text: String, done: Int, errors: [Int]) throws {
        let answer = try Self.read(text, as: V1Answer.self)
        #expect(answer.done.count == done)
        #expect(answer.errors.map(\.type) == errors)
    }

    @Test(arguments: ["{}", #"{"lights":{}}"#, "<html>", "", "[1]"])
    func `anything that is not an array of answers is not an answer`(
        text: String
    ) {
        #expect(throws: (any Error).self) { try Self.read(text, as: V1Answer.self) }
    }

    @Test func `only the given values are written`() throws {
        func json(_ update: V1Update) throws -> JSONValue {
            try Self.read(String(decoding: JSONEncoder().encode(update), as: UTF8.self))
        }
        #expect(try json(V1Update()) == [:])
        #expect(
            try json(V1Update(on: true, bri: 7, ct: 300, xy: XY(x: 0.5, y: 0.25), transitiontime: 0, scene: "ab"))
                == ["on": true, "bri": 7, "ct": 300, "xy": [0.5, 0.25], "transitiontime": 0, "scene": "ab"])
    }
}
