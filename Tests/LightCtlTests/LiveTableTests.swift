import ControlProtocol
import Foundation
import TestSupport
import Testing

@testable import lightctl

@Suite struct LiveTableTests {
    private func table(_ lights: [LightBody], _ bridges: [BridgeBody] = [.make()]) -> LiveTable {
        var table = LiveTable()
        table.replace(lights: lights, rooms: [], scenes: [], bridges: bridges, now: WallClock.noon.now)
        return table
    }

    private func clock(after milliseconds: Int64) -> WallClock {
        WallClock(now: Moment(milliseconds: WallClock.noon.now.milliseconds + milliseconds), zone: WallClock.noon.zone)
    }

    @Test func `a frame shows every light, and a change with its time and its cause`() {
        var table = table([.make(), .make("Sofa", power: .off)])
        #expect(table.nextChange(after: WallClock.noon.now) == nil)
        table.take(light: .make(power: .off, cause: .make(.accessory, by: "Hall switch")), now: WallClock.noon.now)
        #expect(
            table.frame(on: .screen(), rows: 10, .noon) == [
                "2 lights, 0 on; Ctrl-C ends",
                "LIGHT  ROOM   STATE  BRIGHTNESS  CHANGED",
                "Desk   Study  off    ▯▯▯▯▯▯▯▯▯▯  11:00:00 Hall switch",
                "Sofa   Study  off    ▯▯▯▯▯▯▯▯▯▯",
            ])
    }

    @Test func `a change is highlighted for a second`() {
        var table = table([.make()])
        let highlighted = { (clock: WallClock) in
            table.frame(on: .screen(colours: .sixteen), rows: 10, clock).contains { $0.contains("\u{1B}[7mDesk") }
        }
        #expect(!highlighted(.noon))
        table.take(light: .make(brightness: 50), now: WallClock.noon.now)
        #expect(table.nextChange(after: WallClock.noon.now) == .milliseconds(LiveTable.flash))
        #expect(highlighted(clock(after: LiveTable.flash - 1)))
        #expect(!highlighted(clock(after: LiveTable.flash)))
        #expect(table.nextChange(after: clock(after: LiveTable.flash).now) == nil)
    }

    @Test func `a confirmation of what is shown is no change`() {
        var table = table([.make()])
        table.take(light: .make(), now: WallClock.noon.now)
        #expect(table.nextChange(after: WallClock.noon.now) == nil)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 10, 60], [20, 40, 80, 200])
    func `a frame of 5,000 lights fits the terminal, and the latest changes are at its top`(rows: Int, columns: Int) {
        var table = table((0..<5000).map { .make("Light \($0)") })
        table.take(light: .make("Light 4711", power: .off), now: clock(after: -2000).now)
        table.take(light: .make("Light 4712", power: .off), now: clock(after: -1000).now)
        table.trouble = "lightd is away"
        let frame = table.frame(on: .screen(columns), rows: rows, .noon)
        #expect(frame.count <= rows && !frame.isEmpty)
        if columns >= 40 {
            #expect(frame.allSatisfy { lightctl.columns($0) <= columns }, "\(frame)")
        }
        if rows >= 10, columns >= 40 {
            #expect(frame[2].contains("4712") && frame[3].contains("4711"))
            #expect(frame.last == "lightd is away")
        }
    }

    @Test func `lost bridges are named below, and lights that are gone vanish`() {
        var table = table([.make(), .make("Sofa")])
        table.take(bridge: .make(connected: false))
        table.remove(.init(kind: "light", id: "b/Sofa"))
        let frame = table.frame(on: .screen(), rows: 10, .noon)
        #expect(frame.last == "Home: lost since 10:42: no route")
        #expect(!frame.contains { $0.contains("Sofa") })
    }

    /// In a real terminal: of `script`, from Debian's bsdutils.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "needs script(1)"))
    func `the screen is left as it was when lightd refuses to go on`() async throws {
        let server = try UnixServer { request, connection in
            if request.line.contains("/v1/events") {
                if request.headers["last-event-id"] != nil {
                    connection.answer(#"{"error":{"code":"not_allowed","message":"no more"}}"#, status: 403)
                } else {
                    connection.beginStream()
                    connection.write("id: 1\nevent: resync\ndata: {\"reason\":\"connected\"}\n\n")
                }
                return false
            }
            connection.answer("[]")
            return false
        }
        defer { server.stop() }
        let command = "'\(Program.path(of: .lightctl))' --socket '\(server.path)' watch"
        let script = try Program(
            .at("/usr/bin/script"), ["-qec", command, "/dev/null"], environment: ["TERM": "xterm", "SHELL": "/bin/sh"])
        let end = try await script.end()
        let (enter, leave) = ("\u{1B}[?1049h", "\u{1B}[?1049l")
        #expect(end.status == 2)
        let parts = end.output.components(separatedBy: leave)
        #expect(parts.count == 2 && parts[0].contains(enter) && parts[0].contains("0 lights"))
        #expect(parts.last?.contains("lightctl: no more") == true)
    }
}
