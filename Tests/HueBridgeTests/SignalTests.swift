import Foundation
import HueWire
import Khipu
import Lighting
import Testing

@testable import HueBridge

/// What a bridge tells of lamps that blink, in the domain's words.
struct SignalTests {
    private static let bridge = Bridge.ID("ecb5fafffe010203")
    private static let lamp = Light.ID(bridge, "a")

    /// 14:00 by our clock.
    private static func ours(_ seconds: Double) -> Timestamp {
        Timestamp(milliseconds: 1_790_000_000_000 + Int64(seconds * 1000))
    }

    /// By the bridge's clock, which is an hour behind.
    private static func stamp(_ seconds: Double) -> String {
        Date(timeIntervalSince1970: 1_790_000_000 - 3600 + seconds).formatted(.iso8601)
    }

    private static func light(_ rest: String) throws -> Resource {
        try JSONDecoder().decode(Resource.self, from: Data(#"{"id":"a","type":"light"\#(rest)}"#.utf8))
    }

    private static func signal(until seconds: Double, _ name: String = "on_off_color") throws -> Resource {
        try light(
            #","signaling":{"status":{"signal":"\#(name)","estimated_end":"\#(stamp(seconds))","#
                + #""colors":[{"xy":{"x":0.69,"y":0.31}}]},"signal_values":["no_signal","on_off"]}"#)
    }

    private static func home() throws -> HomeMirror {
        var mirror = HomeMirror(bridge, OfflineCommands.Policy())
        let whole = try light(
            #","metadata":{"name":"Desk"},"on":{"on":true},"dimming":{"brightness":50},"#
                + #""color":{"gamut_type":"C","xy":{"x":0.4,"y":0.4}}"#)
        _ = mirror.load([whole], askedAt: .zero, at: ours(0), .zero)
        return mirror
    }

    private static func hear(_ mirror: inout HomeMirror, _ part: Resource, second: Double) -> [BridgeUpdate] {
        let event = EventContainer(.update, [part], created: ReportTime(stamp(second)))
        return mirror.apply([event], at: ours(second), .seconds(second)).updates
    }

    @Test func `a lamp blinks until its bridge's end, by our clock, and nothing else of it changes`() throws {
        var mirror = try Self.home()
        let updates = Self.hear(&mirror, try Self.signal(until: 20), second: 10)
        guard case let .signal(Self.lamp, running?)? = updates.first, updates.count == 1 else {
            Issue.record("\(updates)")
            return
        }
        #expect(running.end == Self.ours(20) && running.colors.count == 1)
        #expect(mirror.nextDue == .seconds(20))
        let (before, after) = (mirror.due(at: .seconds(19)).1.updates, mirror.due(at: .seconds(20)).1.updates)
        #expect(before.isEmpty && after == [.signal(Self.lamp, nil)], "though no event tells of it")
        #expect(mirror.nextDue == nil)
        // A bridge that goes on to name it is not believed.
        let again = Self.hear(&mirror, try Self.signal(until: 20), second: 30)
        #expect(again.isEmpty)
    }

    @Test(arguments: [
        #","signaling":{"signal_values":["no_signal"]}"#, #","signaling":{"status":{"signal":"no_signal"}}"#,
    ])
    func `a bridge may tell that it has ended before`(_ end: String) throws {
        var mirror = try Self.home()
        _ = Self.hear(&mirror, try Self.signal(until: 20), second: 10)
        let others = Self.hear(&mirror, try Self.light(#","on":{"on":true}"#), second: 11)
        #expect(!others.contains(.signal(Self.lamp, nil)))
        let ended = Self.hear(&mirror, try Self.light(end), second: 12)
        #expect(ended == [.signal(Self.lamp, nil)])
        #expect(mirror.nextDue == nil)
    }

    @Test func `what is said again is no news, and another signal is`() throws {
        var mirror = try Self.home()
        _ = Self.hear(&mirror, try Self.signal(until: 20), second: 10)
        let (same, other) = (
            Self.hear(&mirror, try Self.signal(until: 20), second: 11),
            Self.hear(&mirror, try Self.signal(until: 40), second: 12)
        )
        #expect(same.isEmpty && other.count == 1)
        #expect(mirror.nextDue == .seconds(40))
    }

    @Test func `a signal that runs when everything is read is known, and one lost with its bridge or lamp is over`()
        throws
    {
        var mirror = try Self.home()
        _ = Self.hear(&mirror, try Self.light(#","on":{"on":true}"#), second: 1)
        let whole = try Self.signal(until: 20)
        let home = mirror.load([whole], askedAt: .seconds(2), at: Self.ours(2), .seconds(2)).updates
        guard case let .home(_, lights, _, _, _)? = home.last else {
            Issue.record("\(home)")
            return
        }
        #expect(lights.first?.signal?.end == Self.ours(20))
        mirror.lose(at: .seconds(3))
        #expect(mirror.nextDue == nil)
        let light = try #require(lights.first)
        #expect(light.alter(by: .losing(.contact(at: Self.ours(3)))).signal == nil)
        let silent = Light.Report(LightPatch(), reachable: false)
        #expect(light.alter(by: .reporting(.it(silent, at: Self.ours(3)))).signal == nil)
    }
}
