import ControlServer
import Foundation
import TestSupport
import Testing

@testable import LightDaemon

/// The files of `tcp.tls`.
@Suite(.timeLimit(.minutes(5)))
struct CertificateFilesTests {
    private func configuration(_ certificate: String?, _ key: String?) throws -> Configuration {
        var yaml = "tcp:\n  enabled: true\n  tls:\n"
        if let certificate { yaml += "    certificate: \(certificate)\n" }
        if let key { yaml += "    key: \(key)\n" }
        return try Configuration.withOrigins(yaml)
    }

    /// What a start, a reload, and `--check-config` say.
    private func refusal(_ certificate: String?, _ key: String?) throws -> String? {
        let configuration = try configuration(certificate, key)
        do throws(ConfigurationError) {
            try configuration.checkFiles()
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `the files are read with the settings of TCP, and only if it is on`() async throws {
        try await withTemporaryDirectory { directory in
            let files = try await CertificateFiles(in: directory)
            try await files.issue("lights")
            let (certificate, key) = (files.path("lights.pem"), files.path("lights.key"))
            let right = try configuration(certificate, key)
            let first = try #require(try right.tcpSettings(Descriptors(limit: 1024))?.certificate)
            #expect(try right.tcpSettings(Descriptors(limit: 1024))?.certificate == first)
            // Renewed at the same place.
            try await files.issue("lights")
            #expect(try right.tcpSettings(Descriptors(limit: 1024))?.certificate != first)
            #expect(
                try Configuration.of("tcp: {enabled: true}").tcpSettings(Descriptors(limit: 1024))?.certificate == nil)
            let off = try Configuration.of("tcp: {tls: {certificate: /nowhere, key: /nowhere}}")
            try off.checkFiles()
            #expect(try off.tcpSettings(Descriptors(limit: 1024)) == nil)
        }
    }

    @Test func `a file that is of no use is refused with its line, its path and what was expected`() async throws {
        try await withTemporaryDirectory { directory in
            let files = try await CertificateFiles(in: directory)
            try await files.issue("lights")
            try await files.issue("other")
            let (certificate, key) = (files.path("lights.pem"), files.path("lights.key"))
            let empty = try directory.write("empty", "", mode: 0o600)
            #expect(try refusal(certificate, key) == nil)
            #expect(
                try refusal(certificate, nil)
                    == "lightd.yaml:4: expected 'tcp.tls.key', too: set both, or neither")
            #expect(
                try refusal(nil, key) == "lightd.yaml:4: expected 'tcp.tls.certificate', too: set both, or neither")
            #expect(
                try refusal("/nowhere", key) == "lightd.yaml:4: '/nowhere' cannot be read: No such file or directory")
            #expect(
                try refusal(certificate, "/nowhere")
                    == "lightd.yaml:5: '/nowhere' cannot be read: No such file or directory")
            #expect(
                try refusal(directory.path, key)
                    == "lightd.yaml:4: '\(directory.path)' is no file of certificates or keys")
            #expect(try refusal(certificate, "/dev/zero")?.contains("is no file of certificates or keys") == true)
            #expect(
                try refusal(empty, key)?.hasPrefix("lightd.yaml:4: '\(empty)': expected certificates in PEM") == true)
            #expect(
                try refusal(certificate, empty)?.hasPrefix("lightd.yaml:5: '\(empty)': expected a private key") == true)
            let other = files.path("other.key")
            #expect(
                try refusal(certificate, other)
                    == "lightd.yaml:5: '\(other)': the key does not belong to the first certificate")
        }
    }

    @Test func `a key that others can read is refused with the remedy, and a group's is not`() async throws {
        try await withTemporaryDirectory { directory in
            let files = try await CertificateFiles(in: directory)
            try await files.issue("lights")
            let (certificate, key) = (files.path("lights.pem"), files.path("lights.key"))
            for mode in [0o600, 0o400, 0o640, 0o440, 0o700] as [mode_t] {
                chmod(key, mode)
                #expect(try refusal(certificate, key) == nil)
            }
            for mode in [0o644, 0o604, 0o660, 0o601, 0o650, 0o602] as [mode_t] {
                chmod(key, mode)
                #expect(
                    try refusal(certificate, key)?
                        .hasPrefix("lightd.yaml:5: '\(key)' can be read by other users; run 'chmod 640 \(key)'") == true
                )
            }
        }
    }

    @Test func `a group within a group is read, and a mistake in it is named`() throws {
        #expect(try Configuration.of("tcp: {tls: {certificate: /c, key: /k}}").tcp.tls.key == "/k")
        #expect(try Configuration.of("tcp:\n  tls:\n").tcp.tls.certificate.isEmpty)
        #expect(
            Configuration.refusal("tcp:\n  tls:\n    cert: /c")
                == "lightd.yaml:3: unknown key 'tcp.tls.cert', did you mean 'tcp.tls.key'? known keys: tcp.tls.certificate, tcp.tls.key"
        )
        #expect(
            Configuration.refusal("tcp:\n  tls: true")
                == "lightd.yaml:2: 'tcp.tls' is a group of keys: tcp.tls.certificate, tcp.tls.key")
        #expect(
            Configuration.refusal("home:\n  tls: {key: /k}")?.hasPrefix("lightd.yaml:2: unknown key 'home.tls'") == true
        )
    }
}
