import Curl
import Foundation
import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

extension OnTheWire {
    /// The program lightsim, as built beside these tests.
    @Suite struct LightSimTests {
        @Test func `the help names every flag, path and fault`() async throws {
            let run = try await Program.run(.lightsim, ["--help"])
            #expect(run.status == 0)
            let flags = [
                "--home", "--host", "--https-port", "--http-port", "--advertise", "--control-port", "--quirk", "--seed",
                "--state-dir", "--ready-json", "--version", "--help",
            ]
            for flag in flags { #expect(run.output.contains(flag), "\(flag)") }
            for path in ["/button", "/switch", "/mains", "/reboot", "/move", "/certificate", "/faults", "/requests"] {
                #expect(run.output.contains(path), "\(path)")
            }
            for kind in FaultKind.allCases { #expect(run.output.contains(kind.usage), "\(kind)") }
            #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
            #expect(try await Program.run(.lightsim, ["--version"]).output.hasPrefix("lightsim "))
        }

        @Test(arguments: [
            ["--quirk", "nonsense"], ["--https-port", "65536"], ["--control-port=-1"], ["--seed", "minus"],
            ["--nonsense"], ["--state-dir", ""], ["--home", ""], ["--host", ""],
        ]) func `an invalid argument is a usage error`(arguments: [String]) async throws {
            let run = try await Program.run(.lightsim, arguments)
            #expect(run.status == 64)
            let word = arguments.last { !$0.isEmpty }?.split(separator: "=").last ?? ""
            #expect(run.output.isEmpty && run.errors.contains(word), "\(run.errors)")
            #expect(run.errors.hasPrefix("lightsim: "), "\(run.errors)")
        }

        @Test func `an address that this machine does not have is reported in one line, with what to use instead`()
            async throws
        {
            for host in ["256.1.1.1", "203.0.113.1"] {
                let run = try await Program.run(.lightsim, ["--host", host])
                #expect(run.status == 3 && run.output.isEmpty)
                #expect(run.errors.hasPrefix("lightsim: cannot listen on"), "\(run.errors)")
                #expect(run.errors.contains(host) && run.errors.contains("127.0.0.1 is for this machine alone"))
                #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
            }
        }

        @Test func `an unreadable home or state is reported in one line, with exit code 6`() async throws {
            let place = Place()
            try FileManager.default.createDirectory(atPath: place.path, withIntermediateDirectories: true)
            func write(_ name: String, _ text: String) throws -> String {
                try Data(text.utf8).write(to: URL(filePath: place.path + "/" + name))
                return place.path + "/" + name
            }
            let missing = place.path + "/missing.yaml"
            let broken = try write("broken.yaml", "rooms: [")
            let wrong = try write("wrong.yaml", "rooms: [{name: A, lights: [{name: X, kind: candle}]}]")
            _ = try write("bridge.json", #"{"version":9}"#)
            let cases = [
                (["--home", missing], missing), (["--home", broken], broken), (["--home", wrong], wrong),
                (["--home", place.path], place.path), (["--state-dir", place.path], "/bridge.json is of version 9"),
            ]
            for (arguments, words) in cases {
                let run = try await Program.run(.lightsim, arguments)
                #expect(run.status == 6, "\(arguments)")
                #expect(run.output.isEmpty)
                #expect(run.errors.hasPrefix("lightsim: ") && run.errors.contains(words), "\(run.errors)")
                #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
            }
        }

        @Test func `a quirk of a light that the home does not have is reported in one line, with exit code 6`()
            async throws
        {
            let run = try await Program.run(.lightsim, ["--quirk", "no-dimming:Desk", "--quirk", "mirek-null:Moon"])
            #expect(run.status == 6)
            #expect(run.output.isEmpty)
            #expect(run.errors == "lightsim: there is no light 'Moon' for 'mirek-null'\n")
        }

        @Test func `a taken port is reported in one line, with exit code 3`() async throws {
            try await withBridge { fixture in
                let run = try await Program.run(.lightsim, ["--http-port", "\(fixture.ready.httpPort)"])
                #expect(run.status == 3)
                #expect(
                    run.errors.hasPrefix(
                        "lightsim: cannot listen on 127.0.0.1:\(fixture.ready.httpPort) for the HTTP port")
                )
                #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
            }
        }

        @Test func `lightsim prints its addresses as one line of JSON, serves there, and ends on SIGTERM`() async throws
        {
            let program = try Program(
                .lightsim,
                [
                    "--ready-json", "--home", HomeFixture.directory.appending(path: "house.yaml").path(), "--seed", "7",
                ])
            try await until("lightsim has printed a line") { !program.lines.isEmpty }
            let line = program.lines[0]
            let ready = try JSONDecoder().decode(SimulatedBridge.ConnectionDetails.self, from: Data(line.utf8))
            #expect(ready.name == "House")
            #expect(ready.bridgeID == SimulatedHome(try HomeFixture.house(), seed: 7).bridge.id)
            let fixture = BridgeFixture(
                bridge: try SimulatedBridge(Settings(home: .flat), logger: silent), ready: ready)
            defer { fixture.client.shutdown() }
            #expect(try await fixture.control(.post, "/button").status == 200)
            let response = try await fixture.send(.post, "/api", body: #"{"devicetype":"test#one"}"#)
            let key = try #require(try response.pairing.success?.username)
            #expect(try await fixture.send(.get, "/clip/v2/resource/light", key: key).envelope.data.count == 50)
            var listener = try await fixture.listen(key: key)
            _ = try await listener.greeting()
            program.signal(SIGTERM)
            let run = try await program.end()
            #expect(run.status == 0)
            #expect(run.errors == "")
            #expect(run.output == line + "\n")
        }

        /// `Program` gives every child an empty standard input; the shell closes it.
        @Test(arguments: ["", "0<&-"])
        func `with --until-eof lightsim exits with code 0, even if standard input ends at once`(redirection: String)
            async throws
        {
            let command = #"exec "$0" --until-eof --ready-json \#(redirection)"#
            let run = try await Program.run(.at("/bin/sh"), ["-c", command, Program.path(of: .lightsim)])
            #expect(run.status == 0, "\(run)")
            #expect(run.errors == "")
        }

        @Test func `without --ready-json lightsim prints its addresses for people`() async throws {
            let program = try Program(.lightsim, [])
            try await until("lightsim has printed all lines") { program.lines.count == 5 }
            let lines = program.lines
            #expect(lines[0].hasPrefix("bridge   Flat, ecb5fafffe"))
            #expect(lines[0].hasSuffix("(BSB002), 5 lights"))
            #expect(lines[1].hasPrefix("https    https://127.0.0.1:"))
            #expect(lines[4].hasPrefix("button   curl -X POST http://127.0.0.1:") && lines[4].hasSuffix("/button"))
            program.signal(SIGINT)
            #expect(try await program.end().status == 0)
        }
    }
}
