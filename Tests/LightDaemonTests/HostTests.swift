import Testing

@testable import LightDaemon

struct HostTests {
    @Test(arguments: [
        ("192.0.2.10", "192.0.2.10", 443), ("192.0.2.10:8443", "192.0.2.10", 8443), ("bridge", "bridge", 443),
        ("hue-bridge_2.local:1", "hue-bridge_2.local", 1), ("bridge.local:65535", "bridge.local", 65535),
        ("küche.example", "küche.example", 443), ("fe80::1", "fe80::1", 443), ("fe80::1%eth0", "fe80::1%eth0", 443),
        ("[fe80::1]", "fe80::1", 443), ("[fe80::1%eth0]:444", "fe80::1%eth0", 444),
        ("[2001:db8::1]:443", "2001:db8::1", 443),
        ("::1", "::1", 443), ("::ffff:192.0.2.1", "::ffff:192.0.2.1", 443),
        // Ambiguous, so it is an address: a port after an IPv6 address needs brackets.
        ("2001:db8::443", "2001:db8::443", 443),
    ])
    func `a host parses with and without a port`(text: String, host: String, port: Int) {
        #expect(Configuration.Host(text: text) == Configuration.Host(host: host, port: port))
    }

    @Test(arguments: [
        "", " ", ":", ":443", "bridge:", "bridge:0", "bridge:65536", "bridge:-1", "bridge:+80", "bridge:８０",
        "bridge: 80",
        "bridge:80:90", "a b", "a b:80", "http://bridge", "bridge/clip", "bridge/a:80", "user@bridge", "[", "[]",
        "[]:443",
        "[fe80::1", "[fe80::1]443", "[fe80::1]:", "[fe80::1]:0", "[bridge]:443", "[192.0.2.1]:443", "fe80::1%",
        "1::2::3",
        "fe80::g", "bridge\n",
    ])
    func `an invalid host does not parse`(text: String) {
        #expect(Configuration.Host(text: text) == nil)
    }
}
