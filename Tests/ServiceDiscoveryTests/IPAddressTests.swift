import ServiceDiscovery
import Testing

@Suite struct IPAddressTests {
    @Test(arguments: ["192.0.2.1", "0.0.0.0", "255.255.255.255", "::1", "2001:db8::1", "fe80::1%2", "fe80::1", "::"])
    func `what it reads it writes again`(text: String) {
        #expect(IPAddress(text)?.description == text)
    }
}
