import Testing

@testable import ServiceDiscovery

@Suite struct IPAddressTests {
    @Test(arguments: [
        "192.0.2.1", "0.0.0.0", "255.255.255.255", "::1", "::", "2001:db8::1", "fe80::1", "fe80::1%2",
        "::ffff:192.0.2.1",
    ])
    func `parsing and printing round-trip`(text: String) {
        #expect(IPAddress(text)?.description == text)
    }

    @Test(arguments: [
        "", "192.0.2", "192.0.2.256", "192.0.2.1%1", "fe80::1%", "fe80::1%0", "fe80::1%no-such-wire", "2001:db8::1%2",
        "kitchen", " ::1",
    ])
    func `an invalid address does not parse`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test func `a zone may be an interface name`() {
        // On Linux, lo has index 1 in every network namespace.
        #expect(IPAddress("fe80::1%lo") == IPAddress("fe80::1%1"))
    }

    @Test(arguments: [
        ("127.0.0.1", true, false), ("127.9.9.9", true, false), ("::1", true, false), ("169.254.1.1", false, true),
        ("fe80::1%2", false, true),
        ("febf::1", false, true), ("fec0::1", false, false), ("192.168.1.2", false, false),
        ("2001:db8::1", false, false),
    ])
    func `loopback and link-local are recognized by their prefixes`(text: String, isLoopback: Bool, isLinkLocal: Bool)
        throws
    {
        let address = try #require(IPAddress(text))
        #expect(address.isLoopback == isLoopback)
        #expect(address.isLinkLocal == isLinkLocal)
    }

    @Test func `addresses sort in the order in which to try them`() {
        let order = [
            "10.0.0.1", "192.0.2.1", "2001:db8::1", "169.254.1.1", "fe80::1%2", "fe80::1%3", "127.0.0.1", "::1",
        ]
        #expect(order.shuffled().compactMap { IPAddress($0) }.sorted().map(\.description) == order)
    }

    @Test func `only a link-local record gets the scope of its interface`() {
        let linkLocal: [UInt8] = [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
        let global: [UInt8] = [0x20, 0x01] + [UInt8](repeating: 0, count: 13) + [1]
        #expect(IPAddress(record: linkLocal, interface: 7)?.description == "fe80::1%7")
        #expect(IPAddress(record: global, interface: 7)?.description == "2001::1")
        #expect(IPAddress(record: [192, 0, 2, 1], interface: 7)?.description == "192.0.2.1")
        #expect(IPAddress(record: [192, 0, 2], interface: 7) == nil)
        #expect(IPAddress(record: [], interface: 7) == nil)
    }

    @Test(arguments: ["192.0.2.1", "2001:db8::1"]) func `an address has the bytes of its record`(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(IPAddress(record: address.bytes, interface: 0) == address)
    }
}
