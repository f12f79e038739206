import Foundation
import TestSupport
import Testing

/// `tcp.tls` of the real program, with curl as its client.
@Suite(.timeLimit(.minutes(5)))
struct TLSProgramTests {
    @Test func `SIGHUP brings a renewed certificate while a stream stays open, and a broken one is refused`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let files = try await CertificateFiles(in: directory)
            try await files.issue("lights", days: 7)
            let yaml = """
                tcp:
                  enabled: true
                  port: 0
                  tls:
                    certificate: \(files.path("lights.pem"))
                    key: \(files.path("lights.key"))
                """
            try await ProgramsFixture.running(configuration: yaml) { programs in
                func logs(_ words: String) async throws {
                    try await until("lightd logs '\(words)'; it logged \(programs.lightd.errors)") {
                        programs.lightd.errors.contains(words)
                    }
                }
                try await logs("listens on TCP port=")
                let port = programs.lightd.errors.firstMatch(of: /listens on TCP port=([0-9]+)/).map { String($0.1) }
                let url = "https://localhost:\(try #require(port))"
                try await logs("the certificate ends on ")
                let doctor = try await programs.lightctl("doctor").output
                #expect(doctor.contains("\nwarning\tTLS\t-\tthe certificate ends on "), "\(doctor)")

                let token = try await programs.lightctl("--quiet", "token", "create", "curl").output
                let bearer = ["-H", "Authorization: Bearer \(token.split(separator: "\n").first ?? "")"]
                let curl = Program.Name.at("/usr/bin/curl")
                let stream = try Program(curl, ["-sSN", "--cacert", files.root] + bearer + [url + "/v1/events"])
                defer { stream.signal(SIGKILL) }
                try await stream.prints("event: resync")

                func serial() async throws -> String {
                    try await files.openssl(
                        "s_client -connect localhost:\(port ?? "") </dev/null 2>/dev/null | openssl x509 -noout -serial"
                    )
                }
                let first = try await serial()
                // As certbot does it: other contents at the same place.
                try await files.issue("lights")
                programs.lightd.signal(SIGHUP)
                try await logs("configuration reloaded: the certificate of TLS")
                let second = try await serial()
                #expect(first.hasPrefix("serial=") && second.hasPrefix("serial=") && first != second)
                #expect(try await programs.lightctl("doctor").output.contains("\nok\tTLS\t-\tthe certificate ends on "))

                // The chain is new already, and its key is not.
                try await files.issue("other")
                try await files.openssl("x509 -in other.pem -out lights.pem")
                programs.lightd.signal(SIGHUP)
                try await logs(
                    "stays as it is: \(programs.place.path)/lightd.yaml:6: '\(files.path("lights.key"))': the key does")
                #expect(try await serial() == second)
                #expect(try await programs.lightctl("doctor").output.contains("the key does not belong to the first"))
                #expect(stream.isRunning && stream.errors.isEmpty)

                // What would not start says so with the code of a wrong configuration.
                let arguments = [
                    "--config", "\(programs.place.path)/lightd.yaml", "--socket", "\(files.path("s"))", "--state-dir",
                    files.path("state"),
                ]
                for options in [["--check-config"], []] {
                    let end = try await Program.run(.lightd, arguments + options)
                    #expect(end.status == 6 && end.errors.contains("does not belong to the first"), "\(end)")
                }
            }
        }
    }
}
