import TestSupport
import Testing

@testable import lightctl

/// How a machine is named whose lightd is asked by ssh, and what becomes of it on command lines.
@Suite struct SSHLocationLawTests {
    @Test func `a URL is read as it is printed, with and without each of its parts`() throws {
        for user in [nil, "me", "_lightd-1.x+y"] as [String?] {
            for host in ["lights.lan", "192.168.1.3", "lights", "[::1]", "[fe80::1%25eth0]"] {
                for port in [nil, 1, 65535] as [UInt16?] {
                    for socket in [nil, "/s", "/run/lightd/lightd.sock", "/run/user/1000/a-b@c:d_e+f"] as [String?] {
                        let parts = (user.map { "\($0)@" } ?? "", port.map { ":\($0)" } ?? "")
                        let text = "ssh://\(parts.0)\(host)\(parts.1)\(socket ?? "")"
                        let location = try SSHLocation(text)
                        #expect("\(location)" == text)
                        #expect(location.user == user && location.port == port && location.socket == socket)
                        #expect(try SSHLocation("SSH" + text.dropFirst(3)) == location)
                    }
                }
            }
        }
        #expect(try SSHLocation("ssh://a/") == SSHLocation("ssh://a"))
    }

    @Test(arguments: [
        "ssh://", "ssh:///s", "ssh://@a", "ssh://-oProxyCommand=id", "ssh://-oProxyCommand=id/s", "ssh://-l@a",
        "ssh://me@-a",
        "ssh://a:", "ssh://a:0", "ssh://a:-1", "ssh://a b", "ssh://a;id", "ssh://$(id)", "ssh://`id`@a", "ssh://a%h",
        "ssh://me@you@a", "ssh://bücher", "ssh://a\u{301}", "ssh://a\n", "ssh://a?x", "ssh://a#x", "ssh://\u{D4E}a",
        "ssh://a/s;id", "ssh://a/s s", "ssh://a/$HOME", "ssh://a/'", "ssh://a/\"", "ssh://a/`id`", "ssh://a/s\nid",
        "ssh://a/~", "ssh://a/*", "ssh://a/s\u{301}", "ssh://a//\u{301}", "ssh://a/{b,c}", "ssh://a/%2e", "ssh://a/s?x",
        "ssh://a/s#x", "ssh://a/s&", "ssh://a/!1", "ssh://a/\\", "ssh://me:pw@a", "ssh://:@a",
    ])
    func `whatever a shell, an option or ssh could take for more than it is, is refused`(text: String) {
        #expect(throws: DaemonURL.Malformed.self) { try SSHLocation(text) }
    }

    @Test func `a path that is too long for a socket is refused`() throws {
        #expect(throws: DaemonURL.Malformed.self) {
            try SSHLocation("ssh://a/" + String(repeating: "b", count: 107))
        }
        _ = try SSHLocation("ssh://a/" + String(repeating: "b", count: 106))
    }

    @Test func `ssh is told where to go by options of its own, and what to run there by plain words`() throws {
        let options = [
            "ssh", "-T", "-a", "-x", "-o", "ClearAllForwardings=yes", "-o", "RemoteCommand=none", "-o",
            "ServerAliveInterval=10", "-o", "ServerAliveCountMax=3",
        ]
        let verb = ["lightctl", "dial-stdio"]
        #expect(try SSHLocation("ssh://a").command(mayAsk: true) == options + ["--", "a"] + verb)
        #expect(
            try SSHLocation("ssh://me@[fe80::1%eth0]:22/run/s").command(mayAsk: false)
                == options + ["-o", "BatchMode=yes", "-l", "me", "-p", "22", "--", "fe80::1%eth0"] + verb + ["/run/s"])
    }

    @Test func `of any text nothing but plain words reaches a command line`() {
        var random = SplitMix(seed: 1117)
        let pieces = [
            "ssh://", "a", "me@", ":22", "/run", "/s", "-", "-o", ";", "'", "\"", "`", "$(", ")", " ", "\n", "\u{301}",
            "\u{200D}",
            "\u{D4E}", "\u{202E}", "\u{85}", "%", "\\", "~", "*", "{", "[", "]", "::1", "@", ":", "é", "=",
        ]
        for _ in 0..<20_000 {
            let text =
                "ssh://"
                + (0..<Int.random(in: 1...6, using: &random)).map { _ in
                    pieces[Int.random(in: 0..<pieces.count, using: &random)]
                }.joined()
            guard let words = try? SSHLocation(text).command(mayAsk: true) else { continue }
            let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-@:".utf8)
            guard let end = words.firstIndex(of: "--") else {
                Issue.record("no end of the options: \(words)")
                continue
            }
            let there = words[(end + 1)...]
            #expect(there.allSatisfy { $0.utf8.first != UInt8(ascii: "-") }, "\(words)")
            #expect(there.dropFirst().allSatisfy { $0.utf8.allSatisfy(plain.contains) }, "\(words)")
        }
    }
}
