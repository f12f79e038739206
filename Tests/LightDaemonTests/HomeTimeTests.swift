import Foundation
import Khipu
import Lighting
import ServiceLifecycle
import TestSupport
import Testing

@testable import LightDaemon

struct HomeTimeTests {
    private func files(in directory: TemporaryDirectory, variable: String? = nil) throws -> ZoneFiles {
        ZoneFiles(variable: variable, directory: directory.path + "/zoneinfo", local: directory.path + "/localtime")
    }

    /// A directory with the zones Europe/Berlin and UTC.
    private func withZones(_ body: (TemporaryDirectory) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            try FileManager.default.createDirectory(
                atPath: directory.path + "/zoneinfo/Europe", withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                atPath: "/usr/share/zoneinfo/Europe/Berlin", toPath: directory.path + "/zoneinfo/Europe/Berlin")
            try await body(directory)
        }
    }

    private func link(_ directory: TemporaryDirectory, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: directory.path + "/localtime", withDestinationPath: target)
    }

    @Test func `without a setting, the home is in the machine's zone`() async throws {
        try await withZones { directory in
            #expect(try files(in: directory).machineZone() == .utc)
            try link(directory, to: "zoneinfo/Europe/Berlin")
            let zone = try files(in: directory).machineZone()
            #expect(zone.name == "Europe/Berlin")
            #expect(zone.offset(at: Timestamp(milliseconds: 1_781_000_000_000)) == 7200)
        }
    }

    @Test(arguments: [
        ("Europe/Berlin", "Europe/Berlin"), (":Europe/Berlin", "Europe/Berlin"), ("", "UTC"), ("UTC", "UTC"),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "CET-1CEST,M3.5.0,M10.5.0/3"),
    ]) func `TZ says the zone of one program`(variable: String, name: String) async throws {
        try await withZones { directory in
            let zone = try files(in: directory, variable: variable).machineZone()
            #expect(zone.name == name)
            let isUTC = name == "UTC"
            #expect(zone.offset(at: Timestamp(milliseconds: 1_781_000_000_000)) == (isUTC ? 0 : 7200))
        }
    }

    @Test func `without tzdata, the error says to install it, and UTC needs none`() async throws {
        try await withTemporaryDirectory { directory in
            let missing = try files(in: directory)
            #expect(missing.mayExist("Europe/Berlin"))
            let error = #expect(throws: ConfigurationError.self) { try missing.zone(named: "Europe/Berlin") }
            #expect(error.map { "\($0)" }?.contains("install the package tzdata") == true)
            #expect(try missing.zone(named: "UTC") == .utc)
            try link(directory, to: "/usr/share/zoneinfo-of-nobody/zoneinfo/Etc/UTC")
            #expect(try missing.machineZone() == .utc)
        }
    }

    @Test func `a file that is not a time zone is refused`() async throws {
        try await withZones { directory in
            try directory.write("zoneinfo/Nowhere", "nothing")
            #expect(throws: ConfigurationError.self) { try files(in: directory).zone(named: "Nowhere") }
            #expect(throws: ConfigurationError.self) {
                try files(in: directory, variable: "Europe/Berlni").machineZone()
            }
        }
    }

    @Test func `a place needs both of its coordinates`() throws {
        let whole = try Configuration.of("home: {latitude: 52.5, longitude: 13.4, time_zone: UTC}")
        #expect(try whole.homeTime() == HomeTime(zone: .utc, place: Place(latitude: 52.5, longitude: 13.4)))
        for half in ["latitude: 52.5", "longitude: 13.4"] {
            #expect(throws: ConfigurationError.self) { try Configuration.of("home: {\(half)}").homeTime() }
        }
    }

    // MARK: - Time lapse

    @Test(arguments: [("LIGHTD_TIME_SCALE", "0"), ("LIGHTD_TIME_SCALE", "fast"), ("LIGHTD_START_TIME", "tomorrow")])
    func `a wrong time lapse is refused`(name: String, value: String) {
        #expect(throws: ConfigurationError.self) { try Configuration.TimeLapse.read([name: value]) }
    }

    @Test func `civil time that runs faster reaches its alarms in order, and lets timers be`() async throws {
        let lapse = try #require(
            try Configuration.TimeLapse.read([
                "LIGHTD_TIME_SCALE": "86400", "LIGHTD_START_TIME": "2026-12-24T05:00:00Z",
            ]))
        let system = SystemClock(lapse)
        let start = try #require(lapse.start)
        #expect(system.clock.now() >= start)
        let (times, calls) = AsyncStream.makeStream(of: Timestamp.self)
        let alarm = system.clock.alarm { calls.yield(system.clock.now()) }
        let running = Task { try await system.run() }
        defer { running.cancel() }
        let due = start.advanced(by: .seconds(6 * 3600))
        alarm.set(start.advanced(by: .seconds(7 * 3600)))
        alarm.set(nil)
        alarm.set(due)
        #expect(try #require(await times.first { _ in true }) >= due)
    }

    // MARK: - The clock's end

    @Test(arguments: [false, true]) func `a clock that has ended keeps nothing of what its alarms call`(
        isLapse: Bool
    ) async throws {
        final class Owner: Sendable {
            let alarm = Live<Alarm?>(nil)
        }
        let lapse = isLapse ? try Configuration.TimeLapse.read(["LIGHTD_TIME_SCALE": "86400"]) : nil
        let system = SystemClock(lapse)
        weak var owner: Owner?
        do {
            let new = Owner()
            // It sets the alarm that calls it, as the features do.
            new.alarm.value = system.clock.alarm { new.alarm.value?.set(nil) }
            new.alarm.value?.set(system.clock.now().advanced(by: .seconds(3600)))
            owner = new
        }
        #expect(owner != nil)
        let (times, calls) = AsyncStream.makeStream(of: Void.self)
        let first = system.clock.alarm { calls.yield() }
        let group = ServiceGroup(services: [system], logger: LogRecorder().logger)
        async let running: Void = group.run()
        first.set(system.clock.now())
        _ = await times.first { _ in true }
        await group.triggerGracefulShutdown()
        try await running
        #expect(owner == nil)
    }
}
