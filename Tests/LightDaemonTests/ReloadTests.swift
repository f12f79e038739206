import Foundation
import Khipu
import Lighting
import ServiceLifecycle
import TestSupport
import Testing

@testable import LightDaemon

/// What a reload does with each key.
struct ReloadTests {
    @Test(arguments: SettingFixture.all)
    func `each key either takes effect at a reload or is named as needing a restart`(fixture: SettingFixture) throws {
        let old = try Configuration.of("")
        var new = old
        fixture.inFile.change(&new)
        let changes = old.changes(to: new)
        #expect(changes.map(\.key) == [fixture.path])
        let effective = old.reloaded(as: new)
        #expect(changes.allSatisfy(\.needsRestart) == (effective == old))
        #expect((effective == new) != changes.contains(where: \.needsRestart))
        // What was not taken over is still named at the next reload.
        #expect(effective.changes(to: new) == changes.filter(\.needsRestart))
    }

    @Test func `every key is looked at`() throws {
        let keys = Set(SettingFixture.all.map(\.path))
        #expect(Set(try Configuration.of("").settings.keys) == keys)
        #expect(Set(Configuration.keys.map(\.name)).count == Configuration.keys.count)
    }

    @Test func `a change is worded with both values`() throws {
        let old = try Configuration.of("limits: {lights_per_second: 10}")
        let new = try Configuration.of("limits: {lights_per_second: 20}\ntcp: {names: [a.home]}")
        #expect(
            old.changes(to: new).map(\.description) == [
                "limits.lights_per_second 10 → 20", "tcp.names (none) → a.home",
            ])
        #expect(old.changes(to: old).isEmpty)
    }

    @Test func `a request that comes while lightd begins anew waits, and several are one`() async throws {
        let (requests, reloads) = (ReloadRequests(), Live(0))
        for beginning in 1...2 {
            requests.ask()
            requests.ask()
            let waiting = WaitingReloads { await requests.each { reloads.value += 1 } }
            let group = ServiceGroup(services: [waiting], logger: LogRecorder().logger)
            async let running: Void = group.run()
            try await until("lightd is reloaded once") { reloads.value == 2 * beginning - 1 }
            requests.ask()
            try await until("lightd is reloaded again") { reloads.value == 2 * beginning }
            await group.triggerGracefulShutdown()
            try await running
        }
    }

    @Test
    func `the doctor recommends a reload of what was changed, and a restart of what needs one, and names a mistake`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let file = try directory.write("lightd.yaml", "log_level: info")
            let configuration = try Configuration.read(
                Arguments(config: file), environment: ["HOME": directory.path], isRoot: false)
            var state = try Reloader.State(configuration, Descriptors(limit: 1024))
            func check() -> Check {
                state.check { () throws(ConfigurationError) in
                    try Configuration.read(
                        Arguments(config: file), environment: ["HOME": directory.path], isRoot: false)
                }
            }
            #expect(check().result == .ok)
            state = try Reloader.State(configuration, Descriptors(limit: 1024), read: 0)
            #expect(check().result == .warning && "\(check().remedy as Any)".contains("systemctl reload lightd"))
            _ = try directory.write("lightd.yaml", "# a comment\nlog_level: loud")
            #expect(check().result == .failure(.badConfiguration) && check().text.contains("\(file):2: "))
            var new = configuration
            new.socket = "/elsewhere"
            var withoutFile = configuration
            withoutFile.file = nil
            state = try Reloader.State(withoutFile, Descriptors(limit: 1024))
            #expect(check().result == .failure(.badConfiguration) && check().text.contains("\(file):2: "))
            state = try Reloader.State(configuration, Descriptors(limit: 1024))
            state.pending = configuration.changes(to: new)
            #expect(check().result == .warning && check().text.contains("/elsewhere"))
            #expect("\(check().remedy as Any)".contains("systemctl restart lightd"))
        }
    }
}

private struct WaitingReloads: Service {
    let wait: @Sendable () async -> Void

    func run() async { await wait() }
}
