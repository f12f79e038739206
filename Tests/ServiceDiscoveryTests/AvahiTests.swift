import Glibc
import Testing

@testable import ServiceDiscovery

/// Tests with an avahi-daemon of their own: run `Tests/Support/with-avahi swift test`.
///
/// Each test waits for the events it expects; if they do not come, the time limit cancels the wait. The tests run one
/// after another, because one of them stops the daemon.
@Suite(
    .serialized, .enabled(if: Avahi.isOurs, "needs an avahi-daemon of its own; run by Tests/Support/with-avahi"),
    .timeLimit(.minutes(5)))
struct AvahiTests {
    @Test func `a registered service is found once, with its port, text and addresses`() async throws {
        let events = ServiceBrowser().browse("_lt-found._tcp")
        let registration = try ServiceRegistration(
            name: "Küche. No 1 / \\ \"x\"", type: "_lt-found._tcp", port: 8_443,
            text: ["BridgeID": "ECB5FAFFFE010203", "modelid": "BSB002", "flag": ""]
        )
        #expect(try await registration.established() == "Küche. No 1 / \\ \"x\"")
        var found: [DiscoveredService] = []
        for await event in events {
            switch event {
            case let .found(service): found.append(service)
            case let .changed(service): found[found.count - 1] = service
            default: Issue.record("\(event)")
            }
            // Loopback reports last, so every interface has reported by then.
            if found.last?.addresses.contains(where: \.isLoopback) == true,
                found.last?.addresses.first == IPAddress("192.0.2.1")
            {
                break
            }
        }
        #expect(found.count == 1)
        let service = try #require(found.first)
        #expect(service.name == "Küche. No 1 / \\ \"x\"")
        #expect(service.type == "_lt-found._tcp")
        #expect(service.domain == "local")
        #expect(service.host == "house.local")
        #expect(service.port == 8_443)
        #expect(service.text == ["bridgeid": "ECB5FAFFFE010203", "modelid": "BSB002", "flag": ""])
        #expect(Set(service.addresses).count == service.addresses.count)
    }

    @Test func `a service that is no longer registered is removed`() async throws {
        let events = ServiceBrowser().browse("_lt-removed._tcp")
        let registration = try ServiceRegistration(name: "Short", type: "_lt-removed._tcp", port: 1)
        try #require(await events.found("Short") != nil)
        registration.stop()
        registration.stop()
        #expect(registration.state == .stopped)
        #expect(
            await events.first(where: \.isRemoval) == .removed(name: "Short", type: "_lt-removed._tcp", domain: "local")
        )
        await #expect(throws: DiscoveryError.stopped) { try await registration.established() }
    }

    @Test func `dropping a registration ends it`() async throws {
        let events = ServiceBrowser().browse("_lt-dropped._tcp")
        do {
            let registration = try ServiceRegistration(name: "Dropped", type: "_lt-dropped._tcp", port: 1)
            _ = try await registration.established()
        }
        try #require(await events.found("Dropped") != nil)
        #expect(await events.first(where: \.isRemoval) != nil)
    }

    @Test func `two services of one type are kept apart`() async throws {
        let one = try ServiceRegistration(name: "One", type: "_lt-two._tcp", port: 1, text: ["id": "1"])
        let two = try ServiceRegistration(name: "Two", type: "_lt-two._tcp", port: 2, text: ["id": "2"])
        var found: [String: DiscoveredService] = [:]
        for await event in ServiceBrowser().browse("_lt-two._tcp") {
            if case let .found(service) = event { found[service.name] = service }
            if found.count == 2 { break }
        }
        #expect(found["One"]?.port == 1)
        #expect(found["Two"]?.port == 2)
        #expect(found["One"]?.text == ["id": "1"])
        #expect(found["Two"]?.text == ["id": "2"])
        one.stop()
        two.stop()
    }

    @Test func `more services than are looked up at a time are all found`() async throws {
        let names = Set((1...2 * LookupQueue.Limits().open).map { "Many \($0)" })
        let registrations = try names.map { try ServiceRegistration(name: $0, type: "_lt-many._tcp", port: 1) }
        var found: Set<String> = []
        for await event in ServiceBrowser().browse("_lt-many._tcp") {
            if case let .found(service) = event { found.insert(service.name) }
            if found == names { break }
        }
        #expect(found == names)
        for registration in registrations { registration.stop() }
    }

    @Test func `a changed TXT record is reported as a change`() async throws {
        let events = ServiceBrowser().browse("_lt-text._tcp")
        let registration = try ServiceRegistration(name: "Text", type: "_lt-text._tcp", port: 1, text: ["version": "1"])
        try #require(await events.found("Text")?.text == ["version": "1"])
        try registration.update(text: ["version": "2"])
        let change = await events.first {
            if case let .changed(service) = $0 { service.text["version"] == "2" } else { false }
        }
        #expect(change != nil)
        #expect(throws: DiscoveryError.badText(key: "a=b")) { try registration.update(text: ["a=b": ""]) }
    }

    @Test func `a service whose name is taken gets a number`() async throws {
        let first = try ServiceRegistration(name: "Twin", type: "_lt-twin._tcp", port: 1)
        #expect(try await first.established() == "Twin")
        let second = try ServiceRegistration(name: "Twin", type: "_lt-twin._tcp", port: 2)
        #expect(try await second.established() == "Twin #2")
        #expect(second.state == .offered(name: "Twin #2"))
        #expect(await ServiceBrowser().browse("_lt-twin._tcp").found("Twin #2")?.port == 2)
        first.stop()
    }

    @Test func `a service registered on one interface is found there`() async throws {
        let registration = try ServiceRegistration(name: "Near", type: "_lt-near._tcp", port: 1, interface: "lo")
        _ = try await registration.established()
        let service = try #require(await ServiceBrowser().browse("_lt-near._tcp").found("Near"))
        #expect(service.port == 1)
    }

    @Test func `a malformed type ends the stream with the reason`() async {
        var events: [DiscoveryEvent] = []
        for await event in ServiceBrowser().browse("no type at all") { events.append(event) }
        #expect(events == [.failed(.badRequest("browsing for 'no type at all'"))])
    }

    @Test func `ended browsers free their sockets and threads`() async throws {
        let before = Avahi.descriptors
        do {
            let registration = try ServiceRegistration(name: "Leak", type: "_lt-leak._tcp", port: 1)
            for _ in 0..<10 { try #require(await ServiceBrowser().browse("_lt-leak._tcp").found("Leak") != nil) }
            let waiting = Task { for await _ in ServiceBrowser().browse("_lt-leak._tcp") {} }
            waiting.cancel()
            await waiting.value
            _ = ServiceBrowser().browse("_lt-leak._tcp")
            registration.stop()
        }
        // The threads close them a moment later.
        while Avahi.descriptors.count > before.count, !Task.isCancelled { await Task.yield() }
        let after = Avahi.descriptors
        #expect(after.count <= before.count, "\(before) became \(after)")
    }

    @Test
    func `a browser waits for a daemon that restarts, and then removes only services that it no longer announces`()
        async throws
    {
        // With requests of every kind open: dns_sd's callbacks must not crash when the daemon ends.
        let stays = try ServiceRegistration(
            name: "Stays", type: "_lt-restart._tcp", port: 1, text: ["v": "1"], retry: .milliseconds(100))
        let goes = try ServiceRegistration(name: "Goes", type: "_lt-restart._tcp", port: 2, retry: .milliseconds(100))
        let events = ServiceBrowser(retry: .milliseconds(100), settleTime: .seconds(4)).browse("_lt-restart._tcp")
        let others = (0..<4).map { _ in ServiceBrowser(retry: .milliseconds(100)).browse("_lt-restart._tcp") }
        var found: Set<String> = []
        for await event in events {
            if case let .found(service) = event { found.insert(service.name) }
            if found == ["Stays", "Goes"] { break }
        }
        #expect(found == ["Stays", "Goes"])

        try Avahi.control("stop")
        #expect(await events.first(where: \.isFailure) == .failed(.daemonMissing))
        for other in others { #expect(await other.first(where: \.isFailure) == .failed(.daemonMissing)) }
        for await state in stays.states() where state == .failed(.daemonMissing) { break }
        #expect(stays.state == .failed(.daemonMissing))
        goes.stop()
        try stays.update(text: ["v": "2"])

        try Avahi.control("start")
        var after: [DiscoveryEvent] = []
        for await event in events {
            after.append(event)
            if event.isRemoval { break }
        }
        #expect(after.last == .removed(name: "Goes", type: "_lt-restart._tcp", domain: "local"))
        #expect(!after.contains { if case .found = $0 { true } else { false } }, "\(after)")
        let failures = after.filter(\.isFailure)
        #expect(failures.isEmpty, "reported once for each outage")
        for await state in stays.states() where state == .offered(name: "Stays") { break }
        #expect(stays.state == .offered(name: "Stays"))
        #expect(await ServiceBrowser().browse("_lt-restart._tcp").found("Stays")?.text == ["v": "2"])
    }
}

/// Without an avahi-daemon, as when tests run without `with-avahi`.
@Suite(.enabled(if: Avahi.isMissing, "needs a place without avahi-daemon"), .timeLimit(.minutes(5)))
struct WithoutAvahiTests {
    @Test func `a browser reports that the daemon is missing`() async {
        let events = ServiceBrowser(retry: .milliseconds(1)).browse("_hue._tcp")
        #expect(await events.first { _ in true } == .failed(.daemonMissing))
    }

    @Test func `a registration reports that the daemon is missing and retries`() async throws {
        let registration = try ServiceRegistration(
            name: "Nobody hears", type: "_hue._tcp", port: 443, retry: .milliseconds(1))
        await #expect(throws: DiscoveryError.daemonMissing) { try await registration.established() }
        #expect(registration.state == .failed(.daemonMissing))
        registration.stop()
        #expect(registration.state == .stopped)
    }
}

/// Checks that need no daemon.
@Suite struct ServiceRegistrationTests {
    @Test func `a malformed registration is refused at once`() {
        #expect(throws: DiscoveryError.badRequest("port 0")) {
            try ServiceRegistration(name: "A", type: "_hue._tcp", port: 0)
        }
        #expect(throws: DiscoveryError.badRequest("port 65536")) {
            try ServiceRegistration(name: "A", type: "_hue._tcp", port: 65_536)
        }
        #expect(throws: DiscoveryError.badRequest("the name ''")) {
            try ServiceRegistration(name: "", type: "_hue._tcp", port: 1)
        }
        #expect(throws: DiscoveryError.noSuchInterface("no-such-wire")) {
            try ServiceRegistration(name: "A", type: "_hue._tcp", port: 1, interface: "no-such-wire")
        }
        #expect(throws: DiscoveryError.badText(key: "")) {
            try ServiceRegistration(name: "A", type: "_hue._tcp", port: 1, text: ["": "b"])
        }
    }

    @Test func `the error for a missing daemon gives the remedy`() {
        #expect(
            "\(DiscoveryError.daemonMissing)"
                == "avahi-daemon is not running; start it with 'systemctl start avahi-daemon'")
    }
}

enum Avahi {
    static var isOurs: Bool { variable("LIGHTD_TEST_AVAHI") == "1" }

    static var isMissing: Bool {
        !isOurs && access("/run/dbus/system_bus_socket", F_OK) != 0 && access("/run/avahi-daemon/socket", F_OK) != 0
    }

    /// Sends `stop` or `start` to the script that runs the daemon.
    static func control(_ command: String) throws {
        let pipe = open(try #require(variable("LIGHTD_TEST_AVAHI_CONTROL")), O_WRONLY)
        try #require(pipe >= 0)
        defer { close(pipe) }
        let line = Array("\(command)\n".utf8)
        try #require(write(pipe, line, line.count) == line.count)
    }

    /// The open descriptors of this process, as the kernel names them.
    static var descriptors: [String] {
        guard let folder = opendir("/proc/self/fd") else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            var target = [UInt8](repeating: 0, count: 256)
            let path = withUnsafeBytes(of: entry.pointee.d_name) {
                "/proc/self/fd/" + String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            let length = target.withUnsafeMutableBytes { readlink(path, $0.baseAddress!, $0.count) }
            if length > 0 { names.append(String(decoding: target.prefix(length), as: UTF8.self)) }
        }
        return names.sorted()
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

extension DiscoveryEvent {
    fileprivate var isRemoval: Bool { if case .removed = self { true } else { false } }

    fileprivate var isFailure: Bool { if case .failed = self { true } else { false } }
}

extension AsyncStream<DiscoveryEvent> {
    /// The service as first reported.
    fileprivate func found(_ name: String) async -> DiscoveredService? {
        for await event in self {
            if case let .found(service) = event, service.name == name { return service }
        }
        return nil
    }
}
