import Curl
import Foundation
import Logging
import ServiceLifecycle
import TestSupport
import Testing

@testable import LightDaemon

extension DaemonTestSuite {
    /// The composed daemon in this process, without a bridge and without mDNS.
    struct DaemonTests {
        /// Runs a daemon while `body` uses it, then shuts it down gracefully.
        private func run(
            _ configuration: Configuration, environment: [String: String] = [:],
            _ body: (LightDaemon.Addresses) async throws -> Void
        ) async throws {
            let (addresses, address) = AsyncStream<LightDaemon.Addresses>.makeStream()
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let daemon = LightDaemon(configuration, environment: environment, logger: logger) { address.yield($0) }
            let group = ServiceGroup(services: [daemon], logger: logger)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    defer { address.finish() }
                    try await group.run()
                }
                let result: Result<Void, any Error>
                do {
                    for await place in addresses {
                        try await body(place)
                        break
                    }
                    result = .success(())
                } catch {
                    result = .failure(error)
                }
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
                try result.get()
            }
        }

        private func configuration(in directory: TemporaryDirectory) -> Configuration {
            var configuration = Configuration(socket: directory.socket, stateDirectory: directory.state)
            configuration.discovery.mdns = false
            return configuration
        }

        @Test func `lightd is ready without any bridge`() async throws {
            try await withTemporaryDirectory { directory in
                let manager = try NotifySocket(directory.path + "/notify")
                try await run(configuration(in: directory), environment: ["NOTIFY_SOCKET": manager.name]) { place in
                    #expect(place == LightDaemon.Addresses(socket: directory.socket, port: nil))
                    try await manager.receives("READY=1")
                    #expect(manager.datagrams == ["READY=1\nSTATUS=no bridge is paired"])
                    #expect(try await ask(place.socket, "/health/live").status == 200)
                    let lights = try await ask(place.socket, "/v1/lights")
                    #expect(lights.status == 200)
                    #expect(try JSONSerialization.jsonObject(with: lights.body) as? [String] == [])
                }
                try await manager.receives("STOPPING=1")
                #expect(!FileManager.default.fileExists(atPath: directory.socket))
            }
        }

        @Test func `lightd's files are private, and its socket is open to the group`() async throws {
            try await withTemporaryDirectory { directory in
                func mode(_ path: String) throws -> mode_t {
                    var status = stat()
                    try #require(lstat(path, &status) == 0)
                    return status.st_mode & 0o777
                }
                try await run(configuration(in: directory)) { place in
                    #expect(try mode(place.socket) == 0o660)
                    #expect(try mode(directory.state) == 0o700)
                    for name in try FileManager.default.contentsOfDirectory(atPath: directory.state) {
                        #expect(try mode("\(directory.state)/\(name)") == 0o600)
                    }
                }
            }
        }

        @Test func `with TCP enabled lightd listens there too, and requires the token`() async throws {
            try await withTemporaryDirectory { directory in
                var configuration = configuration(in: directory)
                configuration.tcp.enabled = true
                configuration.tcp.port = 0
                configuration.tcp.tokenFile = try directory.write("token", "0123456789abcdef", mode: 0o600)
                try await run(configuration) { place in
                    let port = try #require(place.port)
                    var request = HTTPRequest(.get, "http://127.0.0.1:\(port)/v1/lights")
                    #expect(try await HTTPClient().send(request).status == 401)
                    request.headers = [HTTPRequest.Header("Authorization", "Bearer 0123456789abcdef")]
                    #expect(try await HTTPClient().send(request).status == 200)
                }
            }
        }

        @Test func `a start that fails on its token file leaves no files`() async throws {
            try await withTemporaryDirectory { directory in
                var configuration = configuration(in: directory)
                configuration.tcp.enabled = true
                configuration.tcp.tokenFile = directory.path + "/none"
                await #expect(throws: ConfigurationError.self) { try await run(configuration) { _ in } }
                let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
                #expect(left == [])
            }
        }

        @Test func `one daemon after another can use the same directory and socket`() async throws {
            try await withTemporaryDirectory { directory in
                for _ in 1...3 {
                    try await run(configuration(in: directory)) { place in
                        let health = try await ask(place.socket, "/health/live")
                        #expect(health.status == 200)
                    }
                }
            }
        }
    }
}
