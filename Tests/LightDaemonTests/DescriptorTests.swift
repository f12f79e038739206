import Glibc
import Testing

@testable import LightDaemon

@Suite struct DescriptorTests {
    @Test func `the process may have as many descriptors as the system allows`() {
        let descriptors = Descriptors.raised()
        var limits = rlimit()
        #expect(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0)
        #expect(limits.rlim_cur == limits.rlim_max)
        #expect(descriptors.limit == Int(clamping: limits.rlim_cur))
    }

    @Test(arguments: [(128, 32, 16), (1024, 256, 128), (8192, 2048, 128), (Int.max, 2048, 128)])
    func `clients may take at most three of eight descriptors`(limit: Int, socket: Int, tcp: Int) {
        let descriptors = Descriptors(limit: limit)
        #expect(descriptors.forSocket == socket && descriptors.forTCP == tcp)
        #expect(socket + tcp <= limit / 8 * 3)
        #expect(descriptors.forStreams < descriptors.forSocket && descriptors.forTCPStreams < descriptors.forTCP)
        #expect(descriptors.forTCPStreams > 0)
    }

    @Test func `the service has room for a thousand readers and commands beside them`() {
        #expect(Descriptors(limit: 8192).forStreams >= 1000)
    }
}
