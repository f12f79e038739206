import Foundation
import HueWire
import Synchronization
import TestSupport
import Testing

@testable import SimulatedBridge

/// Laws of faults: the bridge's core with random requests and a manual clock.
@Suite struct FaultLawTests {
    /// One request, and the pause before it.
    private struct Step {
        let request: BridgeRequest
        let pause: Duration
    }

    private static let home = SimulatedHome(.flat, seed: 1)

    private static func story(_ seed: UInt64, _ count: Int = 30) -> [Step] {
        var random = SplitMix(seed: seed)
        return (0..<count).map { _ in
            let lamp = home.lamps.randomElement(using: &random) ?? home.lamps[0]
            let group = home.groups.randomElement(using: &random) ?? home.groups[0]
            let on = Bool.random(using: &random)
            let (method, path, body): (String, String, String) =
                switch Int.random(in: 0..<6, using: &random) {
                case 0: ("GET", "/clip/v2/resource/room", "")
                case 1: ("GET", "/clip/v2/resource/light/\(lamp.id)", "")
                case 2: ("GET", "/api/config", "")
                case 3: ("PUT", "/clip/v2/resource/grouped_light/\(group.groupedLight)", #"{"on":{"on":\#(on)}}"#)
                default:
                    (
                        "PUT", "/clip/v2/resource/light/\(lamp.id)",
                        #"{"on":{"on":\#(on)},"dynamics":{"duration":\#(on ? 0 : 2000)}}"#
                    )
                }
            let request = BridgeRequest(
                method: method, path: path.split(separator: "/").map(String.init), query: nil, key: "known",
                accept: nil,
                lastEventID: nil, body: Array(body.utf8), isSecure: true)
            return Step(request: request, pause: .milliseconds(Int.random(in: 0...1500, using: &random)))
        }
    }

    /// A bridge whose clock moves by the pauses between the requests.
    private final class Player: Sendable {
        let core: BridgeCore
        private let clock: Clock
        private final class Clock: Sendable { let now = Mutex(Duration.zero) }

        init(_ quirks: [Fault] = [], seed: UInt64 = 1) {
            let clock = Clock()
            self.clock = clock
            core = BridgeCore(
                BridgeCore.Configuration(
                    home: FaultLawTests.home, keys: ["known": BridgeCore.Key(name: "test", created: Date())],
                    seed: seed,
                    quirks: quirks, now: { clock.now.withLock { $0 } },
                    today: { Date(timeIntervalSince1970: 1_790_000_000) }))
        }

        /// One text for each reply: its delay, whether it is reset or the last, its status and its body.
        func play(_ story: [Step]) async -> [String] {
            var answers: [String] = []
            for step in story {
                clock.now.withLock { $0 += step.pause }
                await core.runDueWork()
                let handling = await core.handle(step.request)
                await core.finish()
                let words =
                    switch handling.reply {
                    case let .response(response): "\(response.status) \(String(decoding: response.body, as: UTF8.self))"
                    case .stream, .poll: "stream"
                    case .hangUp: "hang-up"
                    case .hang: "hang"
                    }
                answers.append("\(handling.delay) \(handling.isReset) \(handling.isLast) \(words)")
            }
            return answers
        }
    }

    private static func all(_ probability: Double) throws -> [Fault] {
        try FaultKind.allCases.filter { [.request, .response, .command].contains($0.target) && $0 != .latency }.map {
            try Fault($0, nil, Fault.Scope(probability: probability))
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `with the same seed and requests two bridges answer the same, with every fault active`(seed: UInt64)
        async throws
    {
        let story = Self.story(seed)
        let faults = try Self.all(0.1)
        let one = await Player(faults, seed: seed).play(story)
        let other = await Player(faults, seed: seed).play(story)
        #expect(one == other)
        let unlike = await Player(faults, seed: seed + 1).play(story)
        #expect(one != unlike)
    }

    /// The faults never strike, but make every request pass through the code of the faults.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `if no fault strikes, every answer is the usual one, byte for byte`(seed: UInt64) async throws {
        let story = Self.story(seed)
        let usual = await Player().play(story)
        #expect(await Player(try Self.all(.leastNonzeroMagnitude)).play(story) == usual)
        #expect(await Player([try Fault(.busy, nil, Fault.Scope(path: "/nowhere"))]).play(story) == usual)
    }

    @Test(arguments: FaultKind.allCases.filter { [.request, .response].contains($0.target) && $0 != .ghostButtons })
    func `after a fault has ended, the answers are the usual ones`(kind: FaultKind) async throws {
        let reads = Self.story(4).filter { $0.request.method == "GET" }
        let player = Player()
        let before = await player.play(reads)
        await player.core.begin(try Fault(kind == .latency ? "latency:5" : kind.rawValue))
        _ = await player.play(reads)
        #expect(await player.core.end(kind).map(\.kind) == [kind])
        #expect(await player.play(reads) == before)
    }

    @Test(arguments: [1, 3]) func `a fault with a count strikes that many of the requests it can strike`(count: Int)
        async throws
    {
        let reads = Self.story(5).filter { $0.request.method == "GET" && $0.request.path.first == "clip" }
        let usual = await Player().play(reads)
        let kinds = FaultKind.allCases.filter {
            $0.target == .response || [.busy, .hangUp, .truncated, .reset, .keyRevoked].contains($0)
        }
        for kind in kinds {
            let player = Player([try Fault(kind, nil, Fault.Scope(count: count))])
            let answers = await player.play(reads)
            let struck = zip(answers, usual).filter { $0 != $1 }.count
            let possible = await Player([try Fault(kind.rawValue)]).play(reads)
            let most = zip(possible, usual).filter { $0 != $1 }.count
            #expect(struck == min(count, most), "\(kind)")
        }
    }
}
