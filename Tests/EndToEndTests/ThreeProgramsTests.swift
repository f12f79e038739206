import ControlProtocol
import Curl
import Foundation
import SimulatedBridge
import TestSupport
import Testing

private let hasAvahi = ProcessInfo.processInfo.environment["LIGHTD_TEST_AVAHI"] == "1"

/// The three programs as people run them, with a real avahi-daemon.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(if: hasAvahi, "needs its own avahi-daemon: run it with Tests/Support/with-avahi, as 'make test' does"))
struct ThreeProgramsTests {
    @Test
    func `a bridge is found by mDNS, paired, controlled and watched from the shell, and remembered after kill -9`()
        async throws
    {
        let place = try TemporaryDirectory()
        defer { place.remove() }
        let (path, socket) = (place.path, place.socket)
        let sim = try Program(.lightsim, ["--advertise", "--ready-json", "--quirk", "unlimited"])
        defer { sim.signal(SIGKILL) }
        try await until("lightsim is ready") { !sim.lines.isEmpty }
        let ready = try JSONDecoder().decode(SimulatedBridge.ConnectionDetails.self, from: Data(sim.lines[0].utf8))
        let control = "http://\(ready.host):\(ready.controlPort)"

        let first = try Program(.lightd, ["--socket", socket, "--state-dir", "\(path)/state"])
        defer { first.signal(SIGKILL) }
        try await until("lightd listens") { FileManager.default.fileExists(atPath: socket) }
        func ctl(_ arguments: String...) async throws -> Program.End {
            let program = try Program(.lightctl, ["--socket", socket] + arguments)
            defer { program.signal(SIGKILL) }
            return try await program.end()
        }

        // The bridge is announced a moment after its start.
        var found = try await ctl("discover")
        try await until("the bridge is discovered") {
            found = try await ctl("discover")
            return found.output.contains(ready.bridgeID)
        }
        #expect(found.status == 0)

        let pairing = try Program(.lightctl, ["--socket", socket, "pair"])
        defer { pairing.signal(SIGKILL) }
        let http = HTTPClient()
        defer { http.shutdown() }
        try await until("lightd asks the bridge for a key") {
            let seen = try await http.send(HTTPRequest(.get, "\(control)/requests"))
            return String(decoding: seen.body, as: UTF8.self).contains("\"path\":\"/api\"")
        }
        _ = try await http.send(HTTPRequest(.post, "\(control)/button"))
        let paired = try await pairing.end()
        #expect(paired.status == 0, "\(paired)")

        let list = try await ctl("list")
        for name in ["Stove", "Counter", "Desk", "Sofa", "Fan"] { #expect(list.output.contains(name), "\(list)") }
        for words in [
            ["dim", "kitchen", "40%"], ["turn", "on", "@living"], ["set", "desk", "--color", "orange"],
            ["rename", "fan", "Ventilator"], ["recall", "Evening"],
        ] {
            let done = try Program(.lightctl, ["--socket", socket] + words)
            defer { done.signal(SIGKILL) }
            let end = try await done.end()
            #expect(end.status == 0, "\(words): \(end)")
        }
        try await until("the lamps are as commanded") {
            let lights = try JSONDecoder().decode(
                [LightBody].self, from: Data(try await ctl("--json", "list").output.utf8))
            func light(_ name: String) -> LightBody? { lights.first { $0.name == name } }
            return abs((light("Stove")?.brightness ?? 0) - 40) < 1 && light("Counter")?.power == .on
                && light("Sofa")?.temperature == 447 && light("Ventilator")?.power == .off
        }

        let watch = try Program(.lightctl, ["--socket", socket, "--json", "watch"])
        defer { watch.signal(SIGKILL) }
        // Repeats the change, since the stream may not be open yet.
        try await until("watch prints the wall switch") {
            _ = try await http.send(HTTPRequest(.post, "\(control)/lights/Ventilator/switch"))
            return watch.output.contains("Ventilator")
        }
        watch.signal(SIGTERM)

        func countKeyRequests() async throws -> Int {
            let log = try await http.send(HTTPRequest(.get, "\(control)/requests"))
            return String(decoding: log.body, as: UTF8.self).components(separatedBy: "\"path\":\"/api\",").count
        }
        let keyRequests = try await countKeyRequests()
        first.signal(SIGKILL)
        try await first.end()
        let second = try Program(.lightd, ["--socket", socket, "--state-dir", "\(path)/state"])
        defer { second.signal(SIGKILL) }
        try await until("the second lightd knows the lights") {
            try await ctl("list").output.contains("Ventilator")
        }
        let bridges = try await ctl("list", "bridges")
        #expect(bridges.output.contains(ready.bridgeID), "\(bridges)")
        #expect(try await countKeyRequests() == keyRequests, "no second pairing")

        // The bridge moves to another port, which mDNS announces.
        _ = try await http.send(HTTPRequest(.post, "\(control)/move"))
        try await until("lightd follows the bridge") {
            try await ctl("turn", "on", "desk").status == 0
        }

        // It moves again while avahi-daemon is down: logged once, and found when avahi-daemon is back.
        try Self.controlAvahi("stop")
        try await until("the end of avahi-daemon is logged") {
            second.errors.contains("bridges cannot be found by mDNS")
        }
        _ = try await http.send(HTTPRequest(.post, "\(control)/move"))
        try await until("the bridge is lost") { try await ctl("turn", "on", "desk").status == 3 }
        let explained = try await ctl("discover", "--explain")
        #expect(explained.output.contains("avahi-daemon is not running"), "\(explained)")
        let examined = try await ctl("doctor")
        #expect(examined.status == 3 && examined.output.contains("failure\tbridge\t"), "\(examined)")
        #expect(examined.output.contains("avahi-daemon is not running\tstart it with 'systemctl"), "\(examined)")
        try Self.controlAvahi("start")
        try await until("its return is logged") { second.errors.contains("bridges can be found by mDNS again") }
        try await until("lightd follows the bridge again") {
            try await ctl("turn", "on", "desk").status == 0
        }
        for words in ["bridges cannot be found by mDNS", "bridges can be found by mDNS again"] {
            #expect(second.errors.components(separatedBy: words).count == 2, "\(second.errors)")
        }

        second.signal(SIGTERM)
        let end = try await second.end()
        #expect(end.status == 0, "\(end)")
        #expect(!FileManager.default.fileExists(atPath: socket))
        let unreachable = try await ctl("list")
        #expect(unreachable.status == 3 && unreachable.errors.split(separator: "\n").count <= 2, "\(unreachable)")

        // The bridge is reset while lightd is down: the next lightd reports the error and its remedy, even before it
        // knows any light.
        _ = try await http.send(HTTPRequest(.post, "\(control)/certificate"))
        let third = try Program(.lightd, ["--socket", socket, "--state-dir", "\(path)/state"])
        defer { third.signal(SIGKILL) }
        var refused = unreachable
        try await until("the new certificate is reported") {
            refused = try await ctl("turn", "on", "desk")
            return refused.errors.contains("certificate")
        }
        #expect(refused.status == 2 && refused.errors.contains("lightctl pair \(ready.bridgeID)"), "\(refused)")
        #expect(try await ctl("list", "bridges").output.contains("lightctl pair \(ready.bridgeID)"))
    }

    private static func controlAvahi(_ word: String) throws {
        let pipe = try #require(ProcessInfo.processInfo.environment["LIGHTD_TEST_AVAHI_CONTROL"])
        let handle = try #require(FileHandle(forWritingAtPath: pipe))
        defer { handle.closeFile() }
        try handle.write(contentsOf: Data("\(word)\n".utf8))
    }

    @Test func `each kind of failure has its own exit code`() async throws {
        let place = try TemporaryDirectory()
        defer { place.remove() }
        let socket = place.socket
        let lightd = try Program(.lightd, ["--simulated", "--socket", socket])
        defer { lightd.signal(SIGKILL) }
        // The end of its guide.
        try await lightd.prints("Ctrl-C")
        func ctl(_ arguments: String...) async throws -> Program.End {
            let program = try Program(.lightctl, ["--socket", socket] + arguments)
            defer { program.signal(SIGKILL) }
            return try await program.end()
        }
        let unknown = try await ctl("turn", "on", "kitchn")
        #expect(unknown.status == 4 && unknown.errors.contains("Kitchen"), "\(unknown)")
        let plug = try await ctl("set", "fan", "--brightness", "40%")
        #expect(plug.status == 1 && plug.errors.contains("cannot be dimmed"), "\(plug)")
        let usage = try await ctl("turn", "sideways", "desk")
        #expect(usage.status == 64, "\(usage)")
        #expect(try await ctl("turn", "on", "desk").status == 0)

        let control = try #require(lightd.output.firstMatch(of: /POST (http:\/\/[0-9.]+:[0-9]+)/)?.1)
        let http = HTTPClient()
        defer { http.shutdown() }
        _ = try await http.send(
            HTTPRequest(.post, "\(control)/lights/Sofa/mains", body: Array("{\"on\":false,\"noticed\":true}".utf8)))
        try await until("the lamp shows as unreachable") { try await ctl("list").output.contains("unreachable") }
        let dark = try await ctl("turn", "on", "sofa")
        #expect([1, 5].contains(dark.status) && dark.errors.contains("communication issues"), "\(dark)")
        let room = try await ctl("turn", "on", "@living")
        #expect(room.status == 7, "\(room)")

        lightd.signal(SIGTERM)
        #expect(try await lightd.end().status == 0)
    }
}
