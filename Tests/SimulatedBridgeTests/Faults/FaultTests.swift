import Foundation
import HueWire
import Testing

@testable import SimulatedBridge

@Suite struct FaultTests {
    @Test(arguments: [
        Fault.unlimited, .http1, .noButton, .inFlight(5), .lightsPerSecond(20), .groupsPerSecond(2), .latency(0),
        .latency(250), .mostLights(200),
    ]) func `a fault's description parses to the same fault`(fault: Fault) throws {
        #expect(try Fault(fault.description) == fault)
    }

    @Test(arguments: FaultKind.allCases)
    func `every kind of fault parses from its name, with a value or its default`(kind: FaultKind) throws {
        let value: String? =
            switch kind.form {
            case .nothing: nil
            case let .number(_, range, _): "\(range.lowerBound)"
            case let .word(words): words.last
            case .one: "Desk"
            case .address: "127.0.0.2:8443"
            }
        let fault = try Fault(value.map { "\(kind.rawValue):\($0)" } ?? kind.rawValue)
        #expect(fault.kind == kind)
        #expect(try Fault(fault.description) == fault)
        if case .number(_, _, usual: nil) = kind.form {
            #expect(throws: FaultError.self) { try Fault(kind.rawValue) }
        } else {
            #expect(try Fault(kind.rawValue).kind == kind)
        }
    }

    @Test(arguments: [
        "", "nonsense", "unlimited:1", "http1:yes", "in-flight", "in-flight:0", "in-flight:many", "latency:-1", ":5",
        "busy:200", "busy:", "certificate:blue", "move:127.0.0.1:70000", "move:256.1.1.1", "move:203.0.113.1:8443",
        "no-dimming:", "Busy",
    ])
    func `an invalid fault is refused`(text: String) {
        #expect(throws: FaultError.self) { try Fault(text) }
    }

    @Test func `an unknown fault is refused with a list of the known ones`() throws {
        let error = #expect(throws: FaultError.self) { try Fault("nonsense:3") }
        for kind in FaultKind.allCases { #expect(error?.description.contains(kind.usage) == true, "\(kind)") }
    }

    @Test(arguments: [FaultKind.blackHole, .halfOpen])
    func `a loss of open connections is refused at the start of a bridge, where none is open`(kind: FaultKind) throws {
        var settings = Settings(home: .flat)
        settings.quirks = [try Fault(kind)]
        let error = #expect(throws: FaultError.self) { try SimulatedBridge(settings, logger: silent) }
        #expect(error?.description.contains("begin it later, with POST /faults") == true)
    }

    @Test func `a value in JSON may be a number or a string`() throws {
        #expect(try Fault(["name": "busy", "value": "429"]) == Fault(["name": "busy", "value": 429]))
        #expect(try Fault(["name": "busy"]).number == 503)
        #expect(try Fault(["name": "no-dimming", "value": 7]).text == "7")
    }

    @Test func `a fault is read from JSON with its whole scope`() throws {
        let fault = try Fault([
            "name": "busy", "value": 503, "count": 3, "for": 10, "path": "/clip/v2", "method": "PUT",
            "probability": 0.5,
        ])
        #expect(
            fault
                == (try Fault(
                    .busy, 503,
                    Fault.Scope(count: 3, for: .seconds(10), path: "/clip/v2", method: "PUT", probability: 0.5))))
    }

    @Test(
        arguments: [
            ([:], "a fault looks like"), (["status": 503, "count": 1], "a fault looks like"),
            (["name": "nonsense"], "unknown fault 'nonsense'"),
            (["name": "busy", "status": 503], "unknown member 'status'"),
            (["name": "busy", "value": 1000], "STATUS of 'busy' must be a whole number from 300 to 599, not 1000"),
            (["name": "busy", "value": [1]], "value must be a whole number or a string"),
            (["name": "busy", "count": 0], "count must be a whole number from 1"),
            (["name": "busy", "count": 1.5], "count must be a whole number from 1"),
            (["name": "busy", "for": -1], "for must be a number of seconds above 0, at most 1000000000"),
            (["name": "busy", "for": 1e300], "for must be a number of seconds above 0, at most 1000000000"),
            (["name": "busy", "probability": 2], "probability must be a number above 0, at most 1"),
            (["name": "busy", "probability": 0], "probability must be a number above 0, at most 1"),
            (["name": "busy", "every": 0], "every must be a whole number from 1"),
            (["name": "busy", "path": "clip"], "path must be the beginning of a path"),
            (["name": "latency"], "'latency' needs a value: latency:MS"),
            (["name": "hang", "value": 3], "'hang' takes no value"),
            (["name": "unlimited", "count": 3], "'unlimited' is a state of the whole bridge"),
            (
                ["name": "split-stream", "path": "/api"],
                "'split-stream' is triggered by frames of the event stream: it takes no"
            ),
            (["name": "reboot", "for": 3], "'reboot' happens once: it takes only a value"),
            (["name": "black-hole", "for": 3], "'black-hole' happens once: it takes nothing but its name"),
            (["name": "slow-drip", "count": 3], "'slow-drip' is a state of the whole bridge"),
        ] as [(JSONValue, String)])
    func `an invalid fault in JSON is refused with an explanation`(json: JSONValue, words: String) {
        let error = #expect(throws: FaultError.self) { try Fault(json) }
        #expect(error?.description.hasPrefix(words) == true, "\(error?.description ?? "")")
    }

    @Test(
        arguments: [
            ("8443", nil, 8443), ("0", nil, 0), ("127.0.0.2", "127.0.0.2", 0), ("127.0.0.2:8443", "127.0.0.2", 8443),
            ("::1", "::1", 0), ("[::1]:8443", "::1", 8443), ("[::1]", "::1", 0),
        ] as [(String, String?, Int)])
    func `a place is a port, an address, or both`(text: String, host: String?, port: Int) throws {
        let place = try #require(ListenAddress(text))
        #expect(place == ListenAddress(host: host, port: port))
        #expect(ListenAddress(place.description) == place)
    }

    @Test(arguments: ["", "70000", "-1", "host:port", ":80", "[::1]:x", "[::1"])
    func `an invalid place is refused`(text: String) {
        #expect(ListenAddress(text) == nil)
    }

    /// The page lists what the program knows, and nothing else.
    @Test func `the page of quirks lists every fault with its value, its effect and where it was seen`() throws {
        let rooms = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        let page = rooms.appending(path: "../../../docs/quirks.md")
        // The last part is about what lightd relies on.
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
            .prefix { !$0.hasPrefix("## Quirks that lightd") }.filter { $0.hasPrefix("| `") }
        let rows = Dictionary(
            lines.map { line in
                let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                return (cells[0].replacing("`", with: ""), cells)
            }, uniquingKeysWith: { first, _ in first })
        #expect(lines.count == rows.count, "a name is listed twice")
        #expect(Set(rows.keys) == Set(FaultKind.allCases.map(\.rawValue)))
        for kind in FaultKind.allCases {
            let row = try #require(rows[kind.rawValue])
            #expect(row.count == 5, "\(kind)")
            #expect(
                row[1].replacing("`", with: "").replacing("\\", with: "")
                    == (kind.form.usage?.replacing("|", with: ", ") ?? ""), "\(kind)")
            #expect(row[2] == kind.catalogueRow.what, "\(kind)")
            for place in kind.catalogueRow.seen { #expect(row[3].contains(place), "\(kind)") }
            let example = row[4].replacing("`", with: "")
            if example.hasPrefix("{") {
                #expect(try Fault(JSONDecoder().decode(JSONValue.self, from: Data(example.utf8))).kind == kind)
            } else {
                #expect(try Fault(example.replacing("--quirk ", with: "")).kind == kind, "\(example)")
            }
        }
    }
}
