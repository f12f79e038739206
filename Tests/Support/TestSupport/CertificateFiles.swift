/// Certificates as a home makes them, by the openssl program: a root, one that it has signed, and those of servers, which
/// that one signs.
public struct CertificateFiles: Sendable {
    public let directory: TemporaryDirectory
    /// What clients trust.
    public var root: String { directory.path + "/root.pem" }

    public init(in directory: TemporaryDirectory) async throws {
        self.directory = directory
        try await openssl("req -x509 -days 3650 -subj /CN=root -out root.pem" + Self.newKey("root"))
        try await sign("between", by: "root", "basicConstraints=critical,CA:TRUE\n", days: 3650)
    }

    /// Makes `NAME.pem`, the chain, and `NAME.key`, for "localhost" and 127.0.0.1.
    public func issue(_ name: String, days: Int = 90) async throws {
        let own = "subjectAltName=DNS:localhost,DNS:lights.home,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n"
        try await sign(name, by: "between", own, days: days)
        try await shell("cat between.pem >> \(name).pem")
    }

    public func path(_ file: String) -> String { "\(directory.path)/\(file)" }

    /// Runs openssl in the directory.
    @discardableResult
    public func openssl(_ arguments: String) async throws -> String { try await shell("openssl \(arguments)") }

    private func sign(_ name: String, by signer: String, _ extensions: String, days: Int) async throws {
        try directory.write("extensions", extensions)
        try await openssl("req -new -subj /CN=\(name) -out request" + Self.newKey(name))
        try await openssl(
            "x509 -req -in request -CA \(signer).pem -CAkey \(signer).key -CAcreateserial -days \(days) "
                + "-extfile extensions -out \(name).pem")
    }

    private static func newKey(_ name: String) -> String {
        " -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout \(name).key"
    }

    @discardableResult
    private func shell(_ command: String) async throws -> String {
        let environment = ["PATH": "/usr/bin:/bin", "HOME": directory.path]
        let end = try await Program.run(
            .at("/bin/sh"), ["-c", "cd \(directory.path) && umask 077 && \(command)"], environment: environment)
        guard end.status == 0 else { throw TestError("\(command): \(end)") }
        return end.output
    }
}
