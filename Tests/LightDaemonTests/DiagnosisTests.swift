import Lighting
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

    @Test func `the system names its interfaces`() {
        #expect(NetworkInterface.all.contains { $0.isLoopback && $0.isUp })
    }
}
