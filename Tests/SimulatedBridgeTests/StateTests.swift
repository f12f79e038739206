import Curl
import Foundation
import HueWire
import Synchronization
import TestSupport
import Testing

@testable import SimulatedBridge

extension OnTheWire {
    /// What survives a restart.
    @Suite struct StateTests {
        @Test func `keys, lamps and the certificate survive a restart`() async throws {
            let place = Place()
            let first = Kept()
            try await withBridge {
                $0.stateDirectory = place.path
            } _: { fixture in
                let key = try await fixture.pair()
                let desk = try await fixture.lamp("Desk")
                let body = #"{"on":{"on":true},"dimming":{"brightness":30},"color":{"xy":{"x":0.3,"y":0.4}}}"#
                #expect(try await fixture.put("light", desk.id, body, key: key).status == 200)
                let rename = #"{"metadata":{"name":"Table"}}"#
                #expect(try await fixture.put("device", desk.ids.device, rename, key: key).status == 200)
                await first.set(key: key, pin: fixture.ready.pin, lamps: fixture.controls.home.lamps)
            }
            try await withBridge {
                $0.stateDirectory = place.path
            } _: { fixture in
                #expect(fixture.ready.pin == (await first.pin))
                #expect(await fixture.controls.home.lamps == (await first.lamps))
                let response = try await fixture.send(.get, "/clip/v2/resource/bridge", key: await first.key)
                #expect(response.status == 200)
                #expect(try await fixture.pair() != (await first.key))
            }
        }

        @Test func `without a state directory nothing is saved`() async throws {
            let first = Kept()
            try await withBridge { fixture in await first.set(key: try await fixture.pair(), pin: "", lamps: []) }
            try await withBridge { fixture in
                let response = try await fixture.send(.get, "/clip/v2/resource/bridge", key: await first.key)
                #expect(response.status == 403)
            }
        }

        @Test(arguments: [
            (
                #"{"version":1,"anything":true}"#,
                "/bridge.json is of version 1; this lightsim reads version 2. Move it away to start afresh"
            ),
            (
                #"{"version":2,"anything":true}"#,
                "/bridge.json is not the saved state of a bridge. Move it away to start afresh"
            ),
            ("", "/bridge.json is not the saved state of a bridge. Move it away to start afresh"),
            ("[]", "/bridge.json is not the saved state of a bridge. Move it away to start afresh"),
        ]) func `a state file of another version or form is refused, and left unchanged`(text: String, words: String)
            throws
        {
            let place = Place()
            try FileManager.default.createDirectory(atPath: place.path, withIntermediateDirectories: true)
            let file = place.path + "/bridge.json"
            try Data(text.utf8).write(to: URL(filePath: file))
            var settings = Settings(home: .flat)
            settings.stateDirectory = place.path
            #expect(throws: SimulatedBridgeError(place.path + words)) { try SimulatedBridge(settings, logger: silent) }
            #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
        }

        @Test func `a state file that is a directory is refused, and left unchanged`() throws {
            let place = Place()
            let file = place.path + "/bridge.json"
            try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
            var settings = Settings(home: .flat)
            settings.stateDirectory = place.path
            #expect(
                throws: SimulatedBridgeError("\(file) is not a readable file. Move it away to start afresh")
            ) { try SimulatedBridge(settings, logger: silent) }
            #expect(FileManager.default.fileExists(atPath: file))
        }

        @Test func `only its owner can read the state file, which holds keys`() async throws {
            let place = Place()
            let file = place.path + "/bridge.json"
            // First there is none, then one of an earlier version.
            for _ in 0..<2 {
                try await withBridge {
                    $0.stateDirectory = place.path
                } _: { _ in
                    try await until("the state is saved for its owner alone") { Self.mode(of: file) == 0o600 }
                }
                chmod(file, 0o644)
            }
        }

        /// `nil` as long as the file does not exist.
        private static func mode(of file: String) -> Int? {
            (try? FileManager.default.attributesOfItem(atPath: file))?[.posixPermissions] as? Int
        }

        @Test
        func
            `clients' changes and the certificate survive a restart; with another home file only keys and certificate`()
            async throws
        {
            let place = Place()
            let first = Mutex<(key: String, fingerprint: String, home: SimulatedHome)?>(nil)
            try await withBridge {
                $0.stateDirectory = place.path
            } _: { fixture in
                let key = try await fixture.pair()
                let desk = try await fixture.lamp("Desk")
                _ = try await fixture.put("device", desk.ids.device, #"{"metadata":{"name":"Table"}}"#, key: key)
                try await fixture.control(.post, "/certificate")
                try await until("the certificate is renewed") {
                    (try? await fixture.bridge.ready.fingerprint) != fixture.ready.fingerprint
                }
                let (home, fingerprint) = (await fixture.controls.home, try await fixture.bridge.ready.fingerprint)
                first.withLock { $0 = (key, fingerprint, home) }
            }
            let before = try #require(first.withLock { $0 })
            try await withBridge {
                $0.stateDirectory = place.path
            } _: { fixture in
                #expect(await fixture.controls.home == before.home)
                #expect(fixture.ready.fingerprint == before.fingerprint)
            }
            try await withBridge(HomeFixture.built) {
                $0.stateDirectory = place.path
            } _: { fixture in
                #expect(await fixture.controls.home == SimulatedHome(HomeFixture.built, seed: 1))
                #expect(fixture.ready.fingerprint == before.fingerprint)
                let response = try await fixture.send(.get, "/clip/v2/resource/bridge", key: before.key)
                #expect(response.status == 200)
            }
        }
    }
}

private actor Kept {
    private(set) var key = ""
    private(set) var pin = ""
    private(set) var lamps: [Lamp] = []

    func set(key: String, pin: String, lamps: [Lamp]) { (self.key, self.pin, self.lamps) = (key, pin, lamps) }
}

/// A directory that is removed with its owner.
final class Place: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "lightsim-\(UUID().uuidString)").path()

    deinit {
        // A leftover does no harm: every test has its own.
        try? FileManager.default.removeItem(atPath: path)
    }
}
