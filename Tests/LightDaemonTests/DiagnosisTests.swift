import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

@testable import LightDaemon

@Suite struct DiagnosisTests {
    @Test(arguments: [(10, Check.Result.ok), (799, .ok), (800, .warning), (949, .warning)])
    func `descriptors are a warning when four of five are in use`(open: Int, result: Check.Result) {
        #expect(Descriptors(limit: 1000).check(open: open).result == result)
    }

    @Test(arguments: [950, 1000, nil]) func `descriptors are a failure when hardly any is left`(open: Int?) {
        let check = Descriptors(limit: 1000).check(open: open)
        #expect(check.result == .failure(.badConfiguration) && check.remedy != nil)
    }

    @Test func `the descriptors of this process are counted`() {
        #expect(Descriptors(limit: 1_000_000).check.result == .ok)
        #expect(Descriptors(limit: 3).check.result == .failure(.badConfiguration))
    }

    @Test func `only an interface that is up and not the loopback serves mDNS`() {
        func interface(_ name: String, up: Bool = true, loopback: Bool = false, multicast: Bool = true)
            -> NetworkInterface
        {
            NetworkInterface(name: name, isUp: up, isLoopback: loopback, hasMulticast: multicast)
        }
        let lo = interface("lo", loopback: true)
        #expect(NetworkInterface.check([]).result == .warning)
        #expect(NetworkInterface.check([lo, interface("eth0", up: false)]).text.contains("no network interface is up"))
        #expect(NetworkInterface.check([lo, interface("tun0", multicast: false)]).text.contains("no interface has"))
        #expect(NetworkInterface.check([lo, interface("eth0"), interface("tun0", multicast: false)]).result == .ok)
    }

    @Test func `a clock that cannot be right is a warning`() {
        let check = HomeTime.utc.check(Timestamp(milliseconds: 90_000))
        #expect(check.result == .warning && check.remedy != nil)
        #expect(
            check.text == "the clock of this machine shows 1970-01-01, which cannot be right; "
                + "what goes by the hour waits until it is set")
        let right = HomeTime.utc.check(.sample)
        #expect(right.result == .ok && right.text == "2026-09-21 14:13:20, UTC")
    }

    @Test @DomainActor func `the log says once that the clock cannot be right, and once that it was set`() {
        let log = LogRecorder()
        let clock = ManualClock(at: 5000)
        let reporter = ClockReporter(clock.clock, logger: log.logger)
        reporter.report()
        clock.advance(by: .seconds(7200))
        clock.set(to: Timestamp(milliseconds: 9_000_000))
        #expect(log.lines.count == 1)
        clock.set(to: .sample)
        clock.set(to: .sample.advanced(by: .seconds(60)))
        #expect(log.lines.count == 2)
        #expect(log.lines.last == "notice the clock was set; what goes by the hour goes on")
        clock.set(to: Timestamp(milliseconds: 5000))
        #expect(log.lines.count == 3)
    }

    @Test func `the system names its interfaces`() {
        #expect(NetworkInterface.all.contains { $0.isLoopback && $0.isUp })
    }
}
