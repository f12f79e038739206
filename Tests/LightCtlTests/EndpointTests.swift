import ControlProtocol
import Foundation
import TestSupport
import Testing

@testable import lightctl

/// Which lightd is asked, and with which token.
@Suite struct EndpointTests {
    private func endpoint(
        socket: String? = nil, url: String? = nil, tokenFile: String? = nil, insecure: Bool = true,
        _ environment: [String: String] = [:]
    ) throws(ErrorReply) -> Endpoint {
        try Endpoint(
            socket: socket, url: url, tokenFile: tokenFile, insecure: insecure, environment: environment
        ) { _ in false }
    }

    private func refusal(_ work: () throws(ErrorReply) -> Endpoint) -> ErrorReply? {
        do throws(ErrorReply) {
            _ = try work()
            return nil
        } catch {
            return error
        }
    }

    @Test func `an argument wins over the environment, and a socket needs no token`() throws {
        let url = ["LIGHTCTL_URL": "http://env", "LIGHTCTL_TOKEN": "t"]
        let socket = ["LIGHTCTL_SOCKET": "/env", "LIGHTCTL_TOKEN": ""]
        #expect(try endpoint([:]).address == "/run/lightd/lightd.sock")
        #expect(try endpoint(url).address == "http://env:8377")
        #expect(try endpoint(socket).address == "/env")
        #expect(try endpoint(socket: "/arg", url) == .unixSocket("/arg"))
        #expect(try endpoint(url: "http://arg:80", socket) == .tcp(try DaemonURL("http://arg:80"), nil))
        #expect(try endpoint(url: "http://arg", url).address == "http://arg:8377")
        #expect(try endpoint(["LIGHTCTL_URL": "", "LIGHTCTL_SOCKET": "/env"]).address == "/env")
        let both = refusal { () throws(ErrorReply) in
            try endpoint(["LIGHTCTL_URL": "http://env", "LIGHTCTL_SOCKET": "/env"])
        }
        #expect(both?.error.code.exitCode == .usage && both?.printed.contains("--socket or --url") == true)
        func fields(_ endpoint: Endpoint) -> [String] { endpoint.headerFields(calling: "lightctl") }
        #expect(try fields(endpoint(url)).contains("Authorization: Bearer t"))
        #expect(try !fields(endpoint(socket: "/arg", url)).contains { $0.hasPrefix("Authorization") })
    }

    @Test func `a wrong URL is wrong usage, by the name it was given by, and a password is not repeated`() {
        for (environment, url, name) in [
            (["LIGHTCTL_URL": "https://a"], nil, "LIGHTCTL_URL 'https://a'"), ([:], "https://a", "--url 'https://a'"),
        ] {
            let error = refusal { () throws(ErrorReply) in try endpoint(url: url, environment) }
            #expect(error?.error.code.exitCode == .usage && error?.error.message.hasPrefix(name) == true)
        }
        let secret = refusal { () throws(ErrorReply) in try endpoint(url: "http://me:secret@a") }
        #expect(secret?.error.code.exitCode == .usage && secret?.printed.contains("secret") == false)
    }

    @Test func `nothing goes over the network in clear text unasked, with a token or without one`() throws {
        for (environment, url, name) in [
            (["LIGHTCTL_URL": "http://lights.lan", "LIGHTCTL_TOKEN": "t"], nil, "LIGHTCTL_URL"),
            (["LIGHTCTL_INSECURE": "0"], "http://192.0.2.1:80", "--url"), ([:], "http://[fe80::1%eth0]", "--url"),
        ] {
            let error = refusal { () throws(ErrorReply) in try endpoint(url: url, insecure: false, environment) }
            #expect(error?.error.code.exitCode == .usage && error?.error.message.hasPrefix(name) == true)
            for words in ["not encrypted", "ssh://", "TLS", "--insecure"] {
                #expect(error?.printed.contains(words) == true, "\(String(describing: error))")
            }
        }
        for url in ["http://localhost", "http://127.0.0.2:80", "http://[::1]"] {
            #expect(try endpoint(url: url, insecure: false).address.hasPrefix(url))
        }
        #expect(try endpoint(url: "http://a", insecure: true).address == "http://a:8377")
        #expect(try endpoint(url: "http://a", insecure: false, ["LIGHTCTL_INSECURE": "1"]).address == "http://a:8377")
    }

    @Test func `by ssh the socket of another machine is asked, without a token`() throws {
        let url = "ssh://me@lights.lan/run/s"
        #expect(
            try endpoint(url: url, insecure: false, ["LIGHTCTL_TOKEN": "t"]) == .ssh(try SSHLocation(url), mayAsk: true)
        )
        #expect(try endpoint(["LIGHTCTL_URL": url]).address == url)
        let fields = try endpoint(url: url, ["LIGHTCTL_TOKEN": "t"]).headerFields(calling: "lightctl")
        #expect(fields == ["Host: lightd", "X-Lightd-Client: lightctl"])
        #expect(code { _ = try endpoint(url: url, tokenFile: "/t") } == .invalid)
        for text in ["ssh://me:secret@a", "ssh://me:secret@\u{301}a", "SSH://me:secret@-a/s"] {
            let error = refusal { () throws(ErrorReply) in try endpoint(url: text) }
            #expect(error?.error.code.exitCode == .usage && error?.printed.contains("secret") == false)
        }
    }

    @Test func `a token comes from the option's file, else from the variable, else from the variable's file`() throws {
        try TemporaryDirectory.using { place in
            let option = try place.write("option", "  from-option\n", mode: 0o600)
            let file = try place.write("file", "from-file", mode: 0o400)
            let both = ["LIGHTCTL_TOKEN": "from-variable", "LIGHTCTL_TOKEN_FILE": file]
            for (given, environment, text, source) in [
                (option as String?, both, "from-option", "'\(option)'"), (nil, both, "from-variable", "LIGHTCTL_TOKEN"),
                (nil, ["LIGHTCTL_TOKEN_FILE": file], "from-file", "'\(file)'"),
            ] {
                let token = try AccessToken.given(file: given, environment: environment)
                #expect(token?.text == text && token?.source == source)
            }
            #expect(try AccessToken.given(file: nil, environment: ["LIGHTCTL_TOKEN": ""]) == nil)
            #expect(code { _ = try endpoint(tokenFile: option) } == .invalid)
        }
    }

    @Test func `a file that others can read, and what is not a token, are refused with what to do`() throws {
        try TemporaryDirectory.using { place in
            for mode: mode_t in [0o640, 0o604, 0o620] {
                let file = try place.write("token", "t", mode: mode)
                let error = refusal { () throws(ErrorReply) in try endpoint(url: "http://a", tokenFile: file) }
                #expect(error?.error.code == .notAllowed)
                #expect(error?.error.hint == "run 'chmod 600 \(file)'" && error?.printed.contains("6") == true)
            }
            for text in ["", " \n", "two words", "bücher", "a\nX-Field: b", "a\u{7F}"] {
                let file = try place.write("token", text, mode: 0o600)
                let error = refusal { () throws(ErrorReply) in try endpoint(url: "http://a", tokenFile: file) }
                #expect(error?.error.code == .invalid && error?.printed.contains("lightctl token create") == true)
            }
            let missing = refusal { () throws(ErrorReply) in try endpoint(url: "http://a", tokenFile: "/nonexistent") }
            #expect(missing?.error.code == .invalid && missing?.printed.contains("'/nonexistent'") == true)
        }
    }

    @Test func `a token that is missing or wrong is an error with what to do next; lightd's other errors stay`() throws
    {
        let error = ErrorReply(.notAllowed, "m", hint: "h")
        let wrong = try endpoint(["LIGHTCTL_URL": "http://a", "LIGHTCTL_TOKEN": "t"]).reply(error, status: 401)
        #expect(wrong.error.code.exitCode == .notAllowed && wrong.printed.contains("the token of LIGHTCTL_TOKEN"))
        let none = try endpoint(url: "http://a").reply(error, status: 401)
        #expect(none.printed.contains("http://a:8377 requires a token"))
        for reply in [wrong, none] {
            #expect(reply.printed.contains("'lightctl token create NAME' on lightd's machine"))
        }
        #expect(try endpoint(url: "http://a").reply(error, status: 403) == error)
        #expect(try endpoint(socket: "/s").reply(error, status: 401) == error)
    }

    @Test func `each reason why a host cannot be reached says what happened, where, and what to do`() throws {
        let url = try DaemonURL("http://lights.lan:80")
        func attempt(_ address: String, _ error: Int32?) -> HostDiagnosis.Attempt {
            .init(address: address, error: error.map { SystemError(number: $0) })
        }
        let refused = attempt("192.0.2.1", ECONNREFUSED)
        let diagnoses: [(HostDiagnosis, [String])] = [
            (.unknownName, ["no host has the name 'lights.lan'", "getent ahosts lights.lan"]),
            (.lookUpTimedOut, ["in time", "getent ahosts lights.lan"]), (.cannotLookUp("odd"), ["odd", "address"]),
            (.unreachable([refused]), ["(192.0.2.1: connection refused)", "systemctl status lightd", "port: 80"]),
            (
                .unreachable([attempt("fd00::1", EHOSTUNREACH), refused, attempt("192.0.2.2", ECONNREFUSED)]),
                ["(fd00::1: no route to host; 192.0.2.1, 192.0.2.2: connection refused)", "0.0.0.0"]
            ),
            (.unreachable([attempt("fe80::1", EINVAL)]), ["invalid argument", "needs the interface"]),
            (.unreachable([attempt("192.0.2.1", nil)]), ["(192.0.2.1: no answer in time)", "firewall", "port 80"]),
        ]
        for (diagnosis, words) in diagnoses {
            let reply = diagnosis.reply(url)
            #expect(reply.error.code.exitCode == .unreachable && reply.error.hint != nil)
            for word in words + ["cannot reach lightd at http://lights.lan:80"] {
                #expect(reply.printed.contains(word), "\(reply.printed)")
            }
        }
        let typed = HostDiagnosis.unreachable([refused]).reply(try DaemonURL("http://192.0.2.1"))
        #expect(typed.printed.contains("http://192.0.2.1:8377 (connection refused)"))
    }
}

extension TemporaryDirectory {
    fileprivate static func using(_ body: (Self) throws -> Void) throws {
        let place = try TemporaryDirectory()
        defer { place.remove() }
        try body(place)
    }
}
