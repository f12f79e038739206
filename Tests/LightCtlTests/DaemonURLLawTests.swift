import TestSupport
import Testing

@testable import lightctl

/// How lightd's address on TCP is typed.
@Suite struct DaemonURLLawTests {
    private static let names = ["localhost", "lights.lan", "192.168.1.3", "a_b-c", "x", "LIGHTS.example.org."]
    private static let addresses = [
        "::1", "fe80::1%eth0", "fe80::1%25", "2001:db8::7", "::ffff:192.0.2.1", "fe80::1%2",
    ]

    @Test func `a URL is read as it is printed, with and without a port and a slash`() throws {
        var random = SplitMix(seed: 8377)
        for host in Self.names + Self.addresses {
            let isAddress = Self.addresses.contains(host)
            let port = UInt16.random(in: 1...UInt16.max, using: &random)
            let typed = "HTTP://" + (isAddress ? "[\(host.split(separator: "%").joined(separator: "%25"))]" : host)
            for (end, expected) in [("", 8377), ("/", 8377), (":\(port)", port), (":\(port)/", port)] {
                let url = try DaemonURL(typed + end)
                #expect(url.host == host && url.port == expected, "\(typed + end)")
                #expect(try DaemonURL("\(url)") == url, "\(url)")
                let field = (isAddress ? "[\(host.prefix { $0 != "%" })]" : host) + ":\(expected)"
                #expect(url.hostField == field)
            }
        }
        #expect(try DaemonURL("http://[fe80::1%wlan0]").host == "fe80::1%wlan0")
    }

    @Test(arguments: [
        "", "http://", "http:///", "http://:80", "http://a:", "http://a:0", "http://a:65536", "http://a:+80",
        "http://a:8o", "http://a b", "http://-a", "http://a\r\nX: y", "http://[::1", "http://[a]", "http://[::1]x",
        "http://[::1%]", "http://[1.2.3.4]", "http://::1", "http://bücher", "ftp://a", "unix:///s", "http//a", "/run/s",
    ])
    func `whatever else is refused, and what is expected is said`(text: String) {
        let error = #expect(throws: DaemonURL.Malformed.self) { try DaemonURL(text) }
        #expect(error?.reason == "is not 'ssh://[USER@]HOST' or 'http://HOST[:PORT]'")
    }

    @Test(arguments: [
        ("lights.lan:80", "is not 'ssh://[USER@]HOST' or 'http://HOST[:PORT]'", "did you mean 'http://lights.lan:80'?"),
        ("https://a", "is over TLS", "ssh://[USER@]HOST"),
        ("http://user:secret@a", "must not name a user", "--token-file"),
        ("http://a/v1", "has more than a host and a port", "http://a"), ("http://a?x", "has more than", "http://a"),
    ])
    func `a URL of another kind is refused with what to do`(text: String, reason: String, hint: String) {
        let error = #expect(throws: DaemonURL.Malformed.self) { try DaemonURL(text) }
        #expect(error?.reason.contains(reason) == true && error?.hint?.contains(hint) == true, "\(error as Any)")
        #expect(error?.isShown == !text.contains("secret"))
    }

    @Test func `what stays on this machine is told by the address alone`() throws {
        for host in ["localhost", "LOCALHOST.", "127.0.0.1", "127.255.255.254", "[::1]", "[0:0::1]"] {
            #expect(try DaemonURL("http://\(host)").isLoopback, "\(host)")
        }
        for host in [
            "128.0.0.1", "126.1.1.1", "0.0.0.0", "[::]", "[::2]", "[1::1]", "lights.lan", "127.1", "localhost.lan",
        ] {
            #expect(try !DaemonURL("http://\(host)").isLoopback, "\(host)")
        }
    }

    @Test func `the addresses in what getent prints stand in their order, each once`() {
        let text = """
            fd00::3         STREAM lights.lan
            fd00::3         DGRAM
            192.168.1.3     STREAM
            192.168.1.3     RAW
            nonsense here

            """
        #expect(HostLookup.addresses(in: text) == ["fd00::3", "192.168.1.3"])
        #expect(HostLookup.addresses(in: "").isEmpty)
    }
}
