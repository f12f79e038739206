import Lighting
import TestSupport
import Testing

@testable import HueBridge

/// Examples of what the machine does.
struct ConnectionStateMachineTests {
    typealias Action = ConnectionStateMachine.Action
    typealias Input = ConnectionStateMachine.Input
    typealias Fixture = MachineFixture

    private static func loss(_ failure: Failure, isSameTrouble: Bool = false) -> [Action] {
        [.cancelAll, .markLost(failure), .publishLost(failure, isSameTrouble: isSameTrouble)]
    }

    // MARK: - Connecting

    @Test
    func `the stream is opened before everything is fetched, and the bridge is identified before it is connected`() {
        var fixture = Fixture()
        #expect(fixture.feed(.started) == [.begin(.stream)])
        #expect(fixture.feed(.streamOpened) == [.begin(.everything)])
        #expect(fixture.feed(.heard) == [])
        #expect(fixture.feed(.fetched) == [.applyEvents, .markConnected, .begin(.identity)])
        #expect(fixture.feed(.identified) == [.publishConnected(by: .stream)])
    }

    @Test func `a bridge without a stream is polled from the start`() {
        var fixture = Fixture(hasEventStream: false)
        #expect(fixture.feed(.started) == [.begin(.everything)])
        #expect(fixture.feed(.fetched) == [.markConnected, .begin(.identity)])
        #expect(fixture.feed(.identified) == [.publishConnected(by: .polling(every: .seconds(5)))])
    }

    @Test(arguments: [429, 500, 502, 503])
    func `a bridge that is too busy to stream is polled`(status: Int) {
        var fixture = Fixture.opening
        #expect(fixture.feed(.streamRefused(status: status)) == [.begin(.everything)])
        #expect(fixture.machine.state.name == .polling)
    }

    @Test(arguments: [Fixture.fetching, .identifying, .following])
    func `a bridge that floods its stream is not lost: it is polled, and asked for a stream half a minute later`(
        fixture: Fixture
    ) {
        var fixture = fixture
        #expect(fixture.feed(.streamFlooded) == [.cancelAll, .begin(.everything)])
        #expect(fixture.feed(.fetched) == [.markConnected, .begin(.identity)])
        #expect(fixture.feed(.identified) == [.publishConnected(by: .polling(every: .seconds(5)))])
        while fixture.now < .seconds(30) {
            if fixture.windToNextWake().contains(.begin(.stream)) { break }
            fixture.feed(.polled)
        }
        #expect(fixture.now == .seconds(30))
        // It still does.
        #expect(fixture.feed(.streamOpened) == [.begin(.keepAliveProbe)])
        #expect(
            fixture.feed(.streamFlooded)
                == [.cancel(.stream), .cancel(.keepAliveProbe), .cancel(.audit(.insteadOfProbe))])
        #expect(fixture.machine.state.name == .polling)
    }

    @Test(arguments: [
        (401, Fixture.refusedOnce), (403, Fixture.refusedOnce),
        (404, .unreachable(Fixture.bridge, because: "it does not speak API v2; its firmware is too old")),
        (418, .unreachable(Fixture.bridge, because: "HTTP 418 for its event stream")),
    ])
    func `any other refusal of the stream is a loss`(status: Int, failure: Failure) {
        var fixture = Fixture.opening
        #expect(fixture.feed(.streamRefused(status: status)) == Self.loss(failure))
    }

    @Test func `a bridge that does not answer the request for its stream is polled after ten seconds`() {
        var fixture = Fixture.opening
        #expect(fixture.wind(.milliseconds(9999)) == [])
        #expect(fixture.wind(.milliseconds(1)) == [.cancel(.stream), .begin(.everything)])
    }

    @Test(arguments: [Fixture.opening, .fetching, .identifying, .following, .proving])
    func `a stream that ends is a loss at any time`(fixture: Fixture) {
        var fixture = fixture
        #expect(fixture.feed(.failed(.stream, Fixture.broken)).prefix(2) == [.cancelAll, .markLost(Fixture.broken)])
    }

    // MARK: - Silence

    @Test
    func `a quiet bridge is probed after every twenty seconds of silence, and not lost while events follow the probes`()
    {
        var fixture = Fixture.following
        for _ in 1...10 {
            #expect(fixture.wind(.milliseconds(19_999)).filter { $0 == .begin(.keepAliveProbe) } == [])
            #expect(fixture.wind(.milliseconds(1)).contains(.begin(.keepAliveProbe)))
            fixture.feed(.probed(canEcho: true), .audited(.routine, foundDifference: false))
            fixture.wind(.seconds(2))
            #expect(fixture.feed(.heard) == [])
        }
        #expect(fixture.machine.state.name == .following)
    }

    @Test func `a probe without an event within five seconds marks the stream as silent`() {
        var fixture = Fixture.following
        #expect(fixture.wind(.seconds(20)) == [.begin(.keepAliveProbe)])
        #expect(fixture.feed(.probed(canEcho: true)) == [])
        #expect(fixture.wind(.milliseconds(4999)) == [])
        #expect(fixture.wind(.milliseconds(1)) == Self.loss(Fixture.silent))
    }

    @Test func `an event that arrives before the answer to the probe counts`() {
        var fixture = Fixture.following
        fixture.wind(.seconds(20))
        #expect(fixture.feed(.heard, .probed(canEcho: true)) == [])
        #expect(fixture.wind(.seconds(19)) == [.begin(.audit(.routine))])
    }

    @Test func `a probe that had to wait for its turn leaves its event five seconds from the answer on`() {
        var fixture = Fixture.following
        fixture.wind(.seconds(20))
        #expect(fixture.wind(.seconds(6)) == [.begin(.audit(.routine))])
        #expect(fixture.feed(.probed(canEcho: true)) == [])
        var silent = fixture
        #expect(silent.wind(.seconds(5)) == Self.loss(Fixture.silent))
        fixture.wind(.milliseconds(4999))
        #expect(fixture.feed(.heard) == [])
        #expect(fixture.wind(.seconds(19)) == [])
    }

    @Test func `a bridge that cannot be probed is audited: a difference means that its stream is silent`() {
        var quiet = Fixture.following
        quiet.wind(.seconds(20))
        #expect(quiet.feed(.probed(canEcho: false)) == [.begin(.audit(.insteadOfProbe))])
        var dead = quiet
        #expect(quiet.feed(.audited(.insteadOfProbe, foundDifference: false)) == [])
        #expect(quiet.wind(.milliseconds(19_999)) == [.begin(.audit(.routine))])
        #expect(quiet.wind(.milliseconds(1)) == [.begin(.keepAliveProbe)])
        #expect(dead.feed(.audited(.insteadOfProbe, foundDifference: true)) == Self.loss(Fixture.silent))
    }

    @Test func `a write without any event for three seconds starts a probe`() {
        var fixture = Fixture.following
        fixture.wind(.seconds(5))
        #expect(fixture.feed(.written(isAnswered: true)) == [])
        #expect(fixture.wind(.milliseconds(2999)) == [])
        #expect(fixture.wind(.milliseconds(1)) == [.begin(.keepAliveProbe)])
    }

    @Test func `a write that is not answered starts a probe at once, unless the stream has just spoken`() {
        var fixture = Fixture.following
        fixture.wind(.seconds(5))
        var live = fixture
        #expect(fixture.feed(.written(isAnswered: false)) == [.begin(.keepAliveProbe)])
        live.feed(.heard)
        #expect(live.feed(.written(isAnswered: false)) == [])
        // Also if the check of an earlier write is still to come.
        var waiting = Fixture.following
        waiting.wind(.seconds(5))
        #expect(waiting.feed(.written(isAnswered: true)) == [])
        #expect(waiting.feed(.written(isAnswered: false)) == [.begin(.keepAliveProbe)])
    }

    @Test func `a write that is followed by an event starts no probe, and a second write is checked on its own`() {
        var fixture = Fixture.following
        fixture.wind(.seconds(5))
        fixture.feed(.written(isAnswered: true))
        fixture.wind(.seconds(1))
        fixture.feed(.heard)
        fixture.wind(.seconds(1))
        fixture.feed(.written(isAnswered: true))
        // The first check finds the event after the first write, two seconds old.
        #expect(fixture.wind(.seconds(1)) == [])
        // The second check finds no later event.
        #expect(fixture.wind(.milliseconds(2999)) == [])
        #expect(fixture.wind(.milliseconds(1)) == [.begin(.keepAliveProbe)])
    }

    @Test func `the lights are audited 25 s after the last audit ended`() {
        var fixture = Fixture.following
        func audits(_ actions: [Action]) -> Int { actions.count { $0 == .begin(.audit(.routine)) } }
        for _ in 1...3 {
            var begun = 0
            for second in 1...25 {
                begun += audits(fixture.wind(.seconds(1)))
                fixture.feed(.heard)
                #expect(begun == (second == 25 ? 1 : 0))
            }
            fixture.wind(.seconds(3))
            #expect(fixture.feed(.audited(.routine, foundDifference: true)) == [])
        }
    }

    @Test func `an audit that is not answered is no loss, and is repeated after ten seconds`() {
        var fixture = Fixture.following
        fixture.wind(.seconds(15))
        fixture.feed(.heard)
        #expect(fixture.wind(.seconds(10)) == [.begin(.audit(.routine))])
        let slow = Failure.unreachable(Fixture.bridge, because: "no answer in time")
        #expect(fixture.feed(.failed(.audit(.routine), slow)) == [])
        #expect(fixture.wind(.milliseconds(9999)) == [])
        #expect(fixture.wind(.milliseconds(1)).contains(.begin(.audit(.routine))))
        let refused = Failure.keyRefused(by: Fixture.bridge)
        #expect(fixture.feed(.failed(.audit(.routine), refused)) == Self.loss(Fixture.refusedOnce))
    }

    @Test func `every minute an audit reads everything, so that nothing the stream left out is believed for longer`() {
        var fixture = Fixture.following
        var audits: [ConnectionStateMachine.Audit] = []
        for _ in 1...200 {
            for case let .begin(.audit(audit)) in fixture.wind(.seconds(1)) {
                audits.append(audit)
                fixture.feed(.audited(audit, foundDifference: false))
            }
            fixture.feed(.heard)
        }
        #expect(audits == [.routine, .routine, .routine, .whole, .routine, .routine, .whole, .routine])
    }

    @Test func `a single refusal of the key is asked again at once, and only the second one is believed`() {
        let refused = Failure.keyRefused(by: Fixture.bridge)
        var fixture = Fixture.following
        #expect(fixture.feed(.failed(.audit(.routine), refused)) == Self.loss(Fixture.refusedOnce))
        let lost = fixture.now
        #expect(fixture.windToNextWake() == [.begin(.stream)])
        #expect(fixture.now - lost < .seconds(1))
        var again = fixture
        #expect(again.feed(.streamRefused(status: 403)) == Self.loss(refused))
        // It was a proxy's word: the connection is there again, and the next refusal is as new as the first.
        fixture.feed(.streamOpened, .fetched, .identified)
        #expect(fixture.machine.state.name == .following)
        #expect(fixture.feed(.failed(.stream, refused)) == Self.loss(Fixture.refusedOnce))
    }

    // MARK: - A stream that is not trusted

    @Test func `after a silent stream the next is not trusted before its first event`() {
        var fixture = Fixture.lost(because: Fixture.silent)
        #expect(fixture.windToNextWake() == [.begin(.stream)])
        #expect(fixture.feed(.streamOpened) == [.begin(.keepAliveProbe)])
        #expect(fixture.feed(.probed(canEcho: true)) == [])
        #expect(fixture.feed(.heard) == [.begin(.everything)])
    }

    @Test func `after a silent stream, one that sends only its greeting is given up for polling`() {
        var fixture = Fixture.proving
        fixture.feed(.probed(canEcho: true))
        #expect(fixture.wind(.seconds(5)) == [.cancel(.stream), .begin(.everything)])
        fixture.feed(.fetched)
        #expect(fixture.feed(.identified) == [.publishConnected(by: .polling(every: .seconds(5)))])
    }

    @Test
    func `while a bridge is polled, a stream is tried every thirty seconds, and followed once one sends an event`() {
        var fixture = Fixture.polling
        let giveUp: [Action] = [.cancel(.stream), .cancel(.keepAliveProbe), .cancel(.audit(.insteadOfProbe))]
        func wind(_ seconds: Int) -> [Action] {
            (1...seconds).flatMap { _ in
                let actions = fixture.wind(.seconds(1))
                fixture.feed(.polled)
                return actions.filter {
                    $0 != .begin(.poll(everything: false)) && $0 != .begin(.poll(everything: true))
                }
            }
        }
        // Refused, unanswered, ended, silent, and at last one that sends an event.
        #expect(wind(30) == [.begin(.stream)])
        #expect(fixture.feed(.streamRefused(status: 429)) == giveUp)
        #expect(wind(30) == [.begin(.stream)])
        #expect(wind(10) == giveUp)
        #expect(wind(30) == [.begin(.stream)])
        #expect(fixture.feed(.streamOpened) == [.begin(.keepAliveProbe)])
        #expect(fixture.feed(.failed(.stream, Fixture.broken)) == giveUp)
        #expect(wind(30) == [.begin(.stream)])
        fixture.feed(.streamOpened, .probed(canEcho: true))
        #expect(wind(5) == giveUp)
        #expect(wind(30) == [.begin(.stream)])
        fixture.feed(.streamOpened, .probed(canEcho: true))
        #expect(fixture.feed(.heard) == [.cancelAll, .begin(.stream)])
        // This stream is trusted.
        #expect(fixture.feed(.streamOpened) == [.begin(.everything)])
    }

    // MARK: - Polling

    @Test func `a bridge is polled once in every interval, and for everything once a minute`() {
        var fixture = Fixture.pollingOnly()
        for round in 1...36 {
            #expect(fixture.wind(.seconds(5)) == [.begin(.poll(everything: round % 12 == 0))])
            #expect(fixture.feed(.polled) == [])
        }
    }

    @Test func `after a command a bridge is polled every second for ten seconds`() {
        var fixture = Fixture.pollingOnly(every: .seconds(30))
        fixture.wind(.seconds(10))
        #expect(fixture.feed(.written(isAnswered: true)) == [.begin(.poll(everything: false))])
        fixture.feed(.polled)
        for _ in 1...10 {
            #expect(fixture.wind(.seconds(1)) == [.begin(.poll(everything: false))])
            fixture.feed(.polled)
        }
        #expect(fixture.wind(.milliseconds(29_999)) == [])
    }

    @Test func `a bridge is not polled again before it has answered, and at once if that took long`() {
        var fixture = Fixture.pollingOnly()
        #expect(fixture.wind(.seconds(5)) == [.begin(.poll(everything: false))])
        #expect(fixture.wind(.seconds(9)) == [])
        #expect(fixture.feed(.polled) == [.begin(.poll(everything: false))])
        #expect(fixture.feed(.failed(.poll(everything: false), Fixture.broken)) == Self.loss(Fixture.broken))
    }

    // MARK: - Lost

    @Test func `pauses between attempts double up to twenty seconds, each shortened at random to no less than half`() {
        for (chance, share) in [(0.0, 0.5), (1, 1)] {
            var fixture = Fixture.opening
            for ceiling in [0.25, 0.5, 1, 2, 4, 8, 16, 20, 20, 20] {
                fixture.feed(.failed(.stream, Fixture.broken), chance: chance)
                #expect(fixture.machine.nextWake == fixture.now + .milliseconds(Int(ceiling * share * 1000)))
                fixture.windToNextWake()
                fixture.feed(.rediscovered(nil))
            }
        }
    }

    @Test(arguments: [(20, 8), (21, 0.25)])
    func `only a connection that has lived for more than twenty seconds makes the pauses short again`(
        lived: Int, pause: Double
    ) {
        var fixture = Fixture.opening
        for _ in 1...5 {
            fixture.feed(.failed(.stream, Fixture.broken))
            fixture.windToNextWake()
            fixture.feed(.rediscovered(nil))
        }
        fixture.feed(.streamOpened, .fetched, .identified)
        for _ in 1...lived {
            fixture.wind(.seconds(1))
            fixture.feed(.heard)
        }
        fixture.feed(.failed(.stream, Fixture.broken))
        #expect(fixture.machine.nextWake == fixture.now + .seconds(pause))
    }

    @Test func `a stream that ends again and again is opened a dozen times in the first minute, then five times`() {
        var fixture = Fixture()
        func streams(for duration: Duration) -> Int {
            let end = fixture.now + duration
            var count = 0
            while fixture.now < end {
                if fixture.machine.state.name == .waiting { fixture.windToNextWake() }
                fixture.feed(.rediscovered(nil), chance: 0.5)
                count += fixture.machine.state.name == .opening ? 1 : 0
                fixture.feed(.streamOpened, .fetched, .identified)
                fixture.wind(.milliseconds(250))
                fixture.feed(.failed(.stream, Fixture.broken), chance: 0.5)
            }
            return count
        }
        fixture.feed(.started)
        #expect(streams(for: .seconds(60)) <= 12)
        #expect(streams(for: .seconds(60)) <= 5)
    }

    @Test func `from the second failed attempt on, the bridge is searched for at other addresses`() {
        var fixture = Fixture.unreachable
        #expect(fixture.windToNextWake() == [.begin(.stream)])
        for _ in 1...3 {
            fixture.feed(.failed(.stream, Fixture.broken))
            #expect(fixture.windToNextWake() == [.begin(.rediscovery)])
            #expect(fixture.feed(.rediscovered(nil)) == [.begin(.stream)])
        }
        fixture.feed(.failed(.stream, Fixture.broken))
        fixture.windToNextWake()
        #expect(fixture.feed(.rediscovered(Fixture.there)) == [.move(to: Fixture.there), .begin(.stream)])
    }

    @Test
    func `a loss is published once, and again for another reason, but logged again only for another kind of trouble`() {
        var fixture = Fixture.following
        let busy = Failure.unreachable(Fixture.bridge, because: "it is busy")
        let refused = Failure.keyRefused(by: Fixture.bridge)
        func lose(_ failure: Failure) -> [Action] {
            defer {
                fixture.windToNextWake()
                fixture.feed(.rediscovered(nil))
            }
            return fixture.feed(.failed(.stream, failure))
        }
        #expect(lose(Fixture.broken) == Self.loss(Fixture.broken))
        #expect(lose(Fixture.broken) == [.cancelAll, .markLost(Fixture.broken)])
        #expect(lose(busy) == Self.loss(busy, isSameTrouble: true))
        #expect(lose(refused) == Self.loss(Fixture.refusedOnce, isSameTrouble: true))
        #expect(lose(refused) == Self.loss(refused))
        fixture.feed(.streamOpened, .fetched)
        #expect(lose(refused) == Self.loss(Fixture.refusedOnce))
    }

    @Test func `a refused key is tried again after five minutes, whatever is announced meanwhile`() {
        var fixture = Fixture.keyRefused
        #expect(fixture.feed(.announced([Fixture.there])) == [])
        #expect(fixture.wind(.milliseconds(299_999)) == [])
        #expect(fixture.wind(.milliseconds(1)) == [.begin(.stream)])
    }

    @Test
    func `when another device answers at its address, the bridge is searched for, and then an announcement awaited`() {
        var fixture = Fixture.following
        let failure = Failure.certificateRefused(of: Fixture.bridge, because: "another key")
        #expect(fixture.feed(.failed(.stream, failure)) == Self.loss(failure) + [.begin(.rediscovery)])
        var found = fixture
        #expect(found.feed(.rediscovered(Fixture.there)) == [.move(to: Fixture.there), .begin(.stream)])
        #expect(fixture.feed(.rediscovered(nil)) == [])
        var announced = fixture
        #expect(announced.feed(.announced([Fixture.there])) == [.begin(.rediscovery)])
        #expect(announced.feed(.rediscovered(nil)) == [.begin(.stream)])
        #expect(fixture.wind(.milliseconds(19_999)) == [])
        #expect(fixture.wind(.milliseconds(1)) == [.begin(.stream)])
    }

    // MARK: - Announcements

    @Test
    func
        `an announcement ends the pause: a bridge at its old address is tried at once, else it is searched for`()
    {
        var back = Fixture.unreachable
        #expect(back.feed(.announced([Fixture.here])) == [.begin(.stream)])
        var moved = Fixture.unreachable
        #expect(moved.feed(.announced([Fixture.here, Fixture.there])) == [.begin(.rediscovery)])
        #expect(moved.feed(.rediscovered(Fixture.there)) == [.move(to: Fixture.there), .begin(.stream)])
        // From now on this is its old address.
        moved.feed(.failed(.stream, Fixture.broken), .announced([]))
        #expect(moved.feed(.announced([Fixture.there])) == [.begin(.stream)])
    }

    @Test func `what was announced during an attempt ends the pause after it`() {
        var fixture = Fixture.opening
        fixture.feed(.announced([Fixture.there]))
        #expect(fixture.feed(.failed(.stream, Fixture.broken)).last == .begin(.rediscovery))
    }

    @Test func `what announces itself without saying which bridge it is starts no check of a bridge that answers`() {
        var fixture = Fixture.following
        #expect(fixture.feed(.announced([Fixture.there], anonymous: [Fixture.there])) == [])
        // But it may be this one, if that is gone.
        #expect(fixture.feed(.failed(.stream, Fixture.broken)).last == .begin(.rediscovery))
    }

    // MARK: - A machine that sleeps

    @Test(arguments: [Fixture.following, Fixture.polling])
    func `after the machine was suspended nothing is believed until it was read again`(fixture: MachineFixture) throws {
        for input in [ConnectionStateMachine.Input.woke, .heard, .written(isAnswered: true)] {
            var fixture = fixture
            fixture.now = try #require(fixture.machine.nextWake) + .seconds(3600)
            let actions = fixture.feed(input)
            #expect(actions.prefix(1) == [.cancelAll], "\(input)")
            #expect(
                actions.contains {
                    if case .markLost(.unreachable(_, because: "this machine was asleep for 3600 s or longer")) = $0 {
                        true
                    } else {
                        false
                    }
                }, "\(actions)")
            #expect(fixture.wind(.seconds(1)) == [.begin(.stream)])
        }
    }

    @Test func `a timer that comes late by seconds, on a machine that is busy, says nothing about the bridge`() throws {
        var fixture = Fixture.following
        fixture.now = try #require(fixture.machine.nextWake) + .seconds(19)
        #expect(!fixture.feed(.woke).contains(.cancelAll))
    }

    @Test func `a bridge announced elsewhere is checked at its old address, and lost only if it is gone`() {
        var fixture = Fixture.following
        #expect(fixture.feed(.announced([Fixture.there])) == [.begin(.addressCheck)])
        #expect(fixture.feed(.announced([Fixture.here, Fixture.there])) == [])
        var gone = fixture
        #expect(fixture.feed(.addressChecked(isThere: true)) == [])
        #expect(fixture.feed(.announced([Fixture.here, Fixture.there])) == [])
        let failure = Failure.unreachable(
            Fixture.bridge, because: "it announces itself elsewhere, and answers here no longer")
        #expect(gone.feed(.addressChecked(isThere: false)) == Self.loss(failure) + [.begin(.rediscovery)])
    }

    @Test func `an announced address counts as new if it is unknown or was gone, until it is settled`() {
        var watcher = AddressWatcher(Fixture.here)
        #expect(!watcher.hasUntried)
        watcher.announce([Fixture.here])
        #expect(watcher.hasUntried)
        #expect(watcher.settle() == [Fixture.here])
        #expect(!watcher.hasUntried)
        watcher.announce([Fixture.here, Fixture.there])
        #expect(watcher.settle() == [Fixture.there])
        watcher.announce([Fixture.here])
        #expect(!watcher.hasUntried)
        watcher.announce([Fixture.here, Fixture.there])
        #expect(watcher.settle() == [Fixture.there])
    }
}
