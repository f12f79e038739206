import HTTPTypes
import Testing

@testable import ControlServer

@Suite struct ForwardedSenderTests {
    private func sender(peer: String, proxies: [String], _ fields: [(String, String)]) throws -> ForwardedSender {
        var head = HTTPRequest(method: .get, scheme: nil, authority: "localhost", path: "/")
        for (name, value) in fields { head.headerFields.append(.init(name: try #require(.init(name)), value: value)) }
        return try #require(
            ForwardedSender(
                of: head, from: ClientAddress(peer), proxies: proxies.compactMap { AddressRange($0) }))
    }

    @Test(
        arguments: [
            // The last address that is not a proxy of ours.
            ("203.0.113.7", "203.0.113.7"), ("198.51.100.1, 203.0.113.7", "203.0.113.7"),
            ("198.51.100.1, 203.0.113.7, 192.0.2.1", "203.0.113.7"),
            ("203.0.113.7,192.0.2.1 ,127.0.0.1", "203.0.113.7"),
            ("2001:db8::7", "2001:db8::7"), ("::ffff:203.0.113.7", "203.0.113.7"),
            // A proxy that asks by itself.
            ("", "127.0.0.1"), (" , ", "127.0.0.1"), ("192.0.2.1", "192.0.2.1"),
            // What the client sends stands before what the proxy appends, whatever it is.
            ("\u{600},203.0.113.7", "203.0.113.7"), ("nonsense,\u{301}203.0.113.8,203.0.113.7", "203.0.113.7"),
            ("\u{D4E},\t203.0.113.7", "203.0.113.7"),
        ])
    func `a proxy names the client`(forwarded: String, client: String) throws {
        let sender = try sender(
            peer: "127.0.0.1", proxies: ["127.0.0.0/8", "192.0.2.1"], [("X-Forwarded-For", forwarded)])
        #expect(sender.address?.description == client)
    }

    @Test(arguments: [
        "unknown", "203.0.113.7, nonsense", "nonsense, 192.0.2.1", "203.0.113.7:80",
        "203.0.113.7,\u{301}198.51.100.1",
    ])
    func `who is not named by an address is nobody, and not the proxy`(forwarded: String) throws {
        var head = HTTPRequest(method: .get, scheme: nil, authority: "localhost", path: "/")
        head.headerFields[try #require(.init("X-Forwarded-For"))] = forwarded
        let proxies = ["127.0.0.0/8", "192.0.2.1"].compactMap { AddressRange($0) }
        #expect(ForwardedSender(of: head, from: ClientAddress("127.0.0.1"), proxies: proxies) == nil)
    }

    @Test(arguments: ["192.0.2.9", "::1", "127.0.0.2"]) func `nobody else is believed`(peer: String) throws {
        let sender = try sender(
            peer: peer, proxies: ["127.0.0.1"],
            [("X-Forwarded-For", "203.0.113.7"), ("X-Forwarded-Host", "a.example"), ("X-Forwarded-Proto", "https")])
        #expect(sender.address?.description == peer && sender.hosts == [] && sender.scheme == nil)
    }

    @Test func `all names of the way are known, and the scheme of its last proxy`() throws {
        let sender = try sender(
            peer: "::ffff:127.0.0.1", proxies: ["127.0.0.1"],
            [
                ("X-Forwarded-For", "198.51.100.1"), ("X-Forwarded-For", "203.0.113.7"),
                ("X-Forwarded-Host", "a.example, b.example"), ("X-Forwarded-Proto", "http, HTTPS"),
            ])
        #expect(sender.address?.description == "203.0.113.7")
        #expect(sender.hosts == ["a.example", "b.example"] && sender.scheme == "https")
    }

    /// Two proxies of ours, 192.0.2.1 before 127.0.0.1, which append to what they get or replace it, or leave it alone.
    @Test(
        arguments: [
            // One proxy; what stands before its word is the client's.
            ("203.0.113.7", "a", "https", "a", "https"), ("203.0.113.7", "forged, a", "http, https", "a", "https"),
            ("198.51.100.1, 203.0.113.7", "forged, a", "https, http", "a", "http"),
            // Two, and both append.
            ("203.0.113.7, 192.0.2.1", "a, b", "https, http", "a", "https"),
            ("203.0.113.7, 192.0.2.1", "forged, a, b", "http, https, http", "a", "https"),
            ("192.0.2.1, 203.0.113.7, 192.0.2.1", "forged, a, b", "http, https, http", "a", "https"),
            // Two, and only one value is left.
            ("203.0.113.7, 192.0.2.1", "a", "https", "a", "https"), ("203.0.113.7, 192.0.2.1", "", "", nil, nil),
            // A proxy that does not say who asked, or asks itself.
            ("", "forged, a", "http, https", "a", "https"),
            ("192.0.2.1", "forged, a", "http, https", "a", "https"),
            // A scheme that no browser has is none.
            ("203.0.113.7", "a", "javascript", "a", nil), ("203.0.113.7", "a", "HTTPS", "a", "https"),
        ] as [(String, String, String, String?, String?)])
    func `host and scheme are what the proxy nearest to the client says`(
        forwarded: String, hosts: String, schemes: String, host: String?, scheme: String?
    ) throws {
        let sender = try sender(
            peer: "127.0.0.1", proxies: ["127.0.0.1", "192.0.2.1"],
            [("X-Forwarded-For", forwarded), ("X-Forwarded-Host", hosts), ("X-Forwarded-Proto", schemes)])
        #expect(sender.host == host && sender.scheme == scheme, "\(sender)")
    }

    @Test(arguments: [
        "", "a", "1.2.3", "1.2.3.4:80", "[::1]:80", "1.2.3.4, 5.6.7.8", "localhost", "127.0.0.1\u{0}",
        "127.0.0.1\u{0}.example",
        "127.0.0.1%eth0", "127.0.0.1\u{301}", "１２７.0.0.1", "+127.0.0.1", " 127.0.0.1",
    ])
    func `what is not an address is none`(text: String) {
        #expect(ClientAddress(text) == nil)
    }
}
