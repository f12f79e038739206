import Testing

@testable import ControlServer

@Suite struct AddressRangeTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.9.9.9/8", "10.0.0.1", true),
        ("192.0.2.128/25", "192.0.2.129", true), ("192.0.2.128/25", "192.0.2.127", false),
        ("192.0.2.7/32", "192.0.2.7", true), ("192.0.2.7/32", "192.0.2.6", false),
        ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.6", false),
        ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "::1", false), ("::/0", "203.0.113.9", false),
        ("fd00::/8", "fdab::1", true), ("fd00::/8", "fe80::1", false), ("::1", "::1", true),
        ("2001:db8::/33", "2001:db8:7fff::1", true), ("2001:db8::/33", "2001:db8:8000::1", false),
        ("10.0.0.0/8", "::ffff:10.1.2.3", true), ("::ffff:10.0.0.0/104", "10.1.2.3", true),
        ("::ffff:10.0.0.0/104", "11.1.2.3", false),
    ])
    func `a range contains the addresses that begin with its bits`(text: String, other: String, contains: Bool) throws {
        let range = try #require(AddressRange(text))
        #expect(try range.contains(#require(ClientAddress(other))) == contains)
    }

    @Test(arguments: [
        "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0.0/٨", "10/8",
        "fd00::/129", "::ffff:10.0.0.0/95", "proxy.home/8", "10.0.0.0/99999999999999999999",
    ])
    func `anything else is not a range`(text: String) { #expect(AddressRange(text) == nil) }

    @Test(arguments: ["192.0.2.7", "10.0.0.0/8", "fd00::/8", "::1"])
    func `a range is written as it is read`(text: String) throws {
        #expect(try #require(AddressRange(text)).description == text)
    }
}
