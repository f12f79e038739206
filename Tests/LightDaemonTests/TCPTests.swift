import ControlServer
import Foundation
import TestSupport
import Testing

@testable import LightDaemon

struct TCPTests {
    private func settings(_ token: String, credentials: String? = nil) throws -> String? {
        let configuration = try Configuration.of(
            "tcp: {enabled: true, port: 0, names: [lights.home], token_file: \(token)}",
            environment: credentials.map { ["CREDENTIALS_DIRECTORY": $0] } ?? [:])
        let tcp = try configuration.tcpSettings(Descriptors(limit: 1024))
        #expect(tcp?.names == ["lights.home"] && tcp?.host == "127.0.0.1" && tcp?.port == 0)
        return tcp?.token
    }

    @Test func `by default TCP is off and no token is read`() throws {
        let off = try Configuration.of("tcp: {token_file: /nowhere}")
        #expect(try off.tcpSettings(Descriptors(limit: 1024)) == nil)
        try off.checkFiles()
    }

    @Test func `TCP needs no token file, because tokens can be made by lightctl`() throws {
        let configuration = try Configuration.of("tcp: {enabled: true}")
        let tcp = try #require(try configuration.tcpSettings(Descriptors(limit: 1024)))
        #expect(tcp.token == nil)
        try configuration.checkFiles()
    }

    @Test func `proxies are IP addresses and networks`() throws {
        let proxies = ["127.0.0.1", "::1", "10.0.0.0/8", "fd00::/8"]
        let configuration = try Configuration.of(
            "tcp: {enabled: true, proxies: ['\(proxies.joined(separator: "', '"))']}")
        #expect(
            try configuration.tcpSettings(Descriptors(limit: 1024))?.proxies == proxies.map { AddressRange($0)! }
        )
        for wrong in ["proxy.home", "127.0.0.1:80", "127.0.0", "10.0.0.0/33", "10.0.0.0/x", "0.0.0.0/0", "'::/0'"] {
            #expect(
                Configuration.refusal("tcp: {proxies: [\(wrong)]}")
                    == "lightd.yaml:1: in 'tcp.proxies': expected an IP address or a network, like 10.0.0.0/8")
        }
    }

    @Test func `names are what a browser could send as the host`() throws {
        for name in [
            "lights.home", "https://lights.home:8443", "[::1]:8377", "::1", "https://lights.example.org/", "a_b",
        ] {
            #expect(Configuration.refusal("tcp: {names: ['\(name)']}") == nil, "\(name)")
        }
        for wrong in ["''", "'a b'", #""a\r\nX-A: b""#, "müller.example", "'lights.home:8443'", "'https://'", "'[::1'"]
        {
            #expect(
                Configuration.refusal("tcp: {names: [\(wrong)]}")
                    == "lightd.yaml:1: in 'tcp.names': expected a host name")
        }
    }

    // MARK: The token file

    @Test(arguments: [0o600, 0o400, 0o700]) func `the token is the first word of its file`(mode: UInt32) async throws {
        try await withTemporaryDirectory { directory in
            let token = "0123456789abcdef"
            for (name, text) in [("a", token), ("b", "  \(token)\n"), ("c", "\(token) of the kitchen\n")] {
                let file = try directory.write(name, text, mode: mode)
                #expect(try settings(file) == token)
            }
        }
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o644, 0o610, 0o602] as [mode_t])
    func `a token file that others can access is refused with the remedy`(mode: mode_t) async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write("token", "0123456789abcdef", mode: mode)
            #expect(
                throws: ConfigurationError(file, "other users can access the token; run 'chmod 600 \(file)'")
            ) { try settings(file) }
        }
    }

    @Test(arguments: ["", "\n", "short", "123456789012345", "  123456789012345  \n", "secret 0123456789abcdef"])
    func `a short token is refused with a way to make one`(text: String) async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write("token", text, mode: 0o600)
            let message = "expected a token of at least 16 characters; 'openssl rand -hex 24' makes one"
            #expect(throws: ConfigurationError(file, message)) { try settings(file) }
        }
    }

    @Test func `a token file that is missing, binary or a directory is refused`() async throws {
        try await withTemporaryDirectory { directory in
            let missing = directory.path + "/none"
            #expect(
                throws: ConfigurationError(missing, "cannot read the token file: No such file or directory")
            ) { try settings(missing) }
            let binary = try directory.write("binary", Data([0xff, 0xfe, 0, 1]), mode: 0o600)
            #expect(throws: ConfigurationError(binary, "cannot read the token file: it is not UTF-8")) {
                try settings(binary)
            }
            let directory = directory.path + "/directory"
            mkdir(directory, 0o700)
            #expect(throws: ConfigurationError(directory, "cannot read the token file: it is a directory")) {
                try settings(directory)
            }
        }
    }

    // MARK: Secrets of systemd

    /// systemd's own files belong to root, and look like this if an access control list lets the service read them.
    @Test(.enabled(if: geteuid() == 0, "only root can own the files of this test"))
    func `a token that systemd passes may be readable by an access control list`() async throws {
        try await withTemporaryDirectory { credentials in
            let token = "0123456789abcdef"
            for mode in [0o440, 0o400] as [mode_t] {
                let file = try credentials.write("token", token, mode: mode)
                #expect(try settings(file, credentials: credentials.path) == token)
            }
        }
    }

    @Test func `without a token file the token is the one that systemd passes, if it passes any`() async throws {
        try await withTemporaryDirectory { credentials in
            let token = "0123456789abcdef"
            func found(_ file: String) throws -> String? {
                try Configuration.of(
                    "tcp: {enabled: true\(file)}", environment: ["CREDENTIALS_DIRECTORY": credentials.path]
                ).tcpSettings(Descriptors(limit: 1024))?.token
            }
            #expect(try found("") == nil)
            _ = try credentials.write("lightd.token", token, mode: 0o400)
            #expect(try found("") == token)
            let other = try credentials.write("other", "fedcba9876543210", mode: 0o600)
            #expect(try found(", token_file: \(other)") == "fedcba9876543210")
        }
    }

    @Test func `the token that systemd will pass is checked before, if no other is used`() async throws {
        try await withTemporaryDirectory { store in
            // systemd reads it as root, whatever its mode.
            let file = try store.write("lightd.token", "short", mode: 0o644)
            let refusal = ConfigurationError(
                file, "expected a token of at least 16 characters; 'openssl rand -hex 24' makes one")
            #expect(throws: refusal) { try Configuration.of("tcp: {enabled: true}").checkStoredSecrets { _ in file } }
            try Configuration.of("").checkStoredSecrets { _ in file }
            try Configuration.of("tcp: {enabled: true, token_file: /other}").checkStoredSecrets { _ in file }
            try Configuration.of("tcp: {enabled: true}", environment: ["CREDENTIALS_DIRECTORY": store.path])
                .checkStoredSecrets { _ in file }
            try Configuration.of("tcp: {enabled: true}").checkStoredSecrets { _ in store.path + "/none" }
            let good = try store.write("good", "0123456789abcdef", mode: 0o644)
            try Configuration.of("tcp: {enabled: true}").checkStoredSecrets { _ in good }
        }
    }

    @Test func `the password that systemd will pass is checked before, if no other is used`() async throws {
        try await withTemporaryDirectory { store in
            let empty = try store.write("lightd.mqtt-password", "", mode: 0o600)
            let broker = "mqtt: {broker: \"mqtts://broker.example\"}"
            #expect(throws: ConfigurationError.self) { try Configuration.of(broker).checkStoredSecrets { _ in empty } }
            try Configuration.of("").checkStoredSecrets { _ in empty }
            let other = "mqtt: {broker: \"mqtts://broker.example\", password_file: /other}"
            try Configuration.of(other).checkStoredSecrets { _ in empty }
            let good = try store.write("good", "secret", mode: 0o600)
            try Configuration.of(broker).checkStoredSecrets { _ in good }
        }
    }

    @Test(arguments: [0o444, 0o640, 0o460, 0o450] as [mode_t])
    func `a file that systemd cannot have passed is refused in its directory too`(mode: mode_t) async throws {
        try await withTemporaryDirectory { credentials in
            let file = try credentials.write("token", "0123456789abcdef", mode: mode)
            #expect(throws: ConfigurationError.self) { try settings(file, credentials: credentials.path) }
        }
    }

    @Test func `a token outside of systemd's directory is refused, and a link inside does not help`() async throws {
        try await withTemporaryDirectory { directory in
            let credentials = directory.path + "/credentials"
            mkdir(credentials, 0o700)
            let file = try directory.write("token", "0123456789abcdef", mode: 0o440)
            let sibling = try directory.write("credentials-token", "0123456789abcdef", mode: 0o440)
            let link = credentials + "/token"
            symlink(file, link)
            for path in [file, sibling, link] {
                #expect(
                    throws: ConfigurationError(path, "other users can access the token; run 'chmod 600 \(path)'")
                ) { try settings(path, credentials: credentials) }
            }
        }
    }

    @Test func `a real file of the credentials directory is refused without the variable`() async throws {
        try await withTemporaryDirectory { credentials in
            let file = try credentials.write("token", "0123456789abcdef", mode: 0o440)
            #expect(throws: ConfigurationError.self) { try settings(file) }
        }
    }
}
