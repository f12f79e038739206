import Curl
import Foundation
import Khipu
import Lighting
import ServiceDiscovery
import SimulatedBridge
import TestSupport
import Testing

@testable import HueBridge

/// Searches for bridges, and the reports of addresses that find none.
@Suite(.timeLimit(.minutes(5)))
struct DiscoveryTests {
    private static func survey(
        _ adjust: (inout GatewaySettings) -> Void, _ events: Announcements? = nil, for duration: Duration = .zero
    ) async -> BridgeFinder.Survey {
        let client = HTTPClient()
        defer { client.shutdown() }
        var settings = GatewaySettings()
        settings.usesMDNS = events != nil
        adjust(&settings)
        let browser = events.map { events in MDNSBrowser { events.stream } } ?? .blind
        let finder = BridgeFinder(client: client, settings: Live(settings), browser: browser)
        return await withTaskGroup(of: Void.self) { group in
            group.addTask { await browser.run(silent) }
            defer { group.cancelAll() }
            return await finder.survey(for: duration, known: [:])
        }
    }

    /// The reports of an address without a bridge, endpoint by endpoint.
    private static func words(at port: Int, of host: String = "127.0.0.1") async -> [String] {
        await survey { $0.hosts = [Bridge.Address(host: host, port: port)] }.discoveries.last?.attempts
            .filter { $0.way == .configured && !$0.succeeded }.map { "\($0.asked) \($0.result)" } ?? []
    }

    @Test func `a search that finds no bridge says where it has looked, each place once, and not all of many`()
        async throws
    {
        let survey = await Self.survey { settings in
            settings.hosts = (1...4).flatMap {
                Array(repeating: Bridge.Address(host: "127.0.99.\($0)", port: 1), count: 2)
            }
        }
        let places = Set(survey.discoveries.flatMap(\.attempts).map { "\($0.asked): \($0.result)" })
        #expect(places.count > 4)
        for id in [nil, Bridge.ID("ecb5fafffe999999")] {
            let words = survey.failure(toFind: id).description
            #expect(places.count { words.contains($0) } == 4, "\(words)")
            #expect(words.contains("; and \(places.count - 4) more were tried)"), "\(words)")
        }
    }

    @Test func `refused connections, silence and answers of other servers are reported in words`() async throws {
        let (page, nobody, quiet) = (
            try CannedServer(404, "nothing here"), try CannedServer(200, "{\"name\":\"x\"}"), try CannedServer(200, nil)
        )
        defer { for one in [page, nobody, quiet] { one.stop() } }
        let tls = "https://127.0.0.1"
        let plain = "http://127.0.0.1"
        #expect(await Self.words(at: 9) == ["\(tls):9 refused the connection", "\(plain):9 refused the connection"])
        #expect(
            await Self.words(at: page.port) == [
                "\(tls):\(page.port) answered without TLS",
                "\(plain):\(page.port) answered, but is not a Hue bridge (HTTP 404)",
            ])
        #expect(
            await Self.words(at: nobody.port).last
                == "\(plain):\(nobody.port) answered, but does not say which bridge it is")
        #expect(
            await Self.words(at: quiet.port) == [
                "\(tls):\(quiet.port) no answer within 3 s", "\(plain):\(quiet.port) no answer within 3 s",
            ])
    }

    @Test func `a bridge with TLS is found with API v2, and plain HTTP is not tried`() async throws {
        try await withBridge { fixture in
            let survey = await Self.survey {
                $0.hosts = [Bridge.Address(host: fixture.ready.host, port: fixture.ready.httpsPort)]
            }
            let sighting = try #require(survey.sightings.first)
            #expect(sighting.id == fixture.id && sighting.speaks == .v2 && !sighting.isPlain)
            #expect(await fixture.bridge.controls.requests.allSatisfy { $0.secure && $0.key == nil })
            // A server with TLS that is not a bridge is not tried without TLS.
            await fixture.bridge.controls.forgetRequests()
            await fixture.bridge.controls.answer(next: 1, with: 404)
            let words = await Self.words(at: fixture.ready.httpsPort, of: fixture.ready.host)
            #expect(words.map { $0.hasSuffix("answered, but is not a Hue bridge (HTTP 404)") } == [true])
        }
    }

    @Test func `a bridge without TLS is found over plain HTTP, with API v1`() async throws {
        try await withBridge(.flat, { $0.model = .round }) { fixture in
            let survey = await Self.survey {
                $0.hosts = [Bridge.Address(host: fixture.ready.host, port: fixture.ready.httpPort)]
            }
            let sighting = try #require(survey.sightings.first)
            #expect(sighting.id == fixture.id && sighting.speaks == .v1 && sighting.isPlain)
            #expect(survey.discoveries.first?.attempts.map(\.succeeded) == [false, true])
        }
    }

    @Test func `IPv4 and IPv6 are both tried and reported as one bridge`() async throws {
        // At 127.0.0.1, another test may have a bridge at the same port.
        let deaf = Loopback.next()
        try await withBridge(.flat, { $0.host = "::1" }) { fixture in
            let survey = await Self.survey {
                $0.hosts = [deaf, "::1"].map { Bridge.Address(host: $0, port: fixture.ready.httpsPort) }
            }
            #expect(survey.sightings.map(\.address.host) == ["::1"])
            let attempts = survey.discoveries.flatMap(\.attempts).filter { $0.way == .configured }
            #expect(attempts.filter(\.succeeded).map(\.asked) == ["https://[::1]:\(fixture.ready.httpsPort)"])
            #expect(attempts.contains { $0.asked.hasPrefix("https://\(deaf):") && !$0.succeeded })
        }
    }

    @Test
    func `an announced port is tried along with the usual one, a configured port alone, and a URL has no zone`() {
        let address = Bridge.Address(host: "fe80::1%2", port: 80)
        let announced = Candidate(way: .mdns, address: address)
        #expect(announced.secure.map(\.description) == ["https://[fe80::1%2]:80", "https://[fe80::1%2]:443"])
        #expect(announced.secure.map { announced.plain(for: $0).address.port } == [80, 80])
        #expect(Candidate(way: .configured, address: address).secure.count == 1)
        #expect(announced.secure[1].url("/api/config") == "https://[fe80::1]:443/api/config")
    }

    @Test func `ways of discovery that are off, or lack their daemon, are reported`() async throws {
        let off = await Self.survey { _ in }
        #expect(
            off.discoveries.first?.attempts.map(\.result).sorted()
                == ["cloud look-up is off (discovery.cloud)", "mDNS is off (discovery.mdns)"])
        #expect(off.discoveries.first?.attempts.allSatisfy(\.isOff) == true)
        let events = Announcements()
        events.tell(.failed(.daemonMissing))
        let blind = await Self.survey({ _ in }, events, for: .seconds(10))
        #expect(
            blind.discoveries.first?.attempts.first { $0.way == .mdns }?.result
                == "\(DiscoveryError.daemonMissing) or name the bridge under discovery.hosts")
        #expect(blind.discoveries.first?.attempts.first { $0.way == .mdns }?.isOff == false)
    }

    @Test func `mDNS is switched on and off while the gateway runs`() async throws {
        let browser = MDNSBrowser {
            let events = Announcements()
            events.tell(.failed(.daemonMissing))
            return events.stream
        }
        try await withBridge(browser: browser) { fixture in
            func words() async -> String? {
                await ask { fixture.gateway.bridges.discover(.seconds(10), $0) }
                    .flatMap(\.attempts).first { $0.way == .mdns }?.result
            }
            var settings = fixture.gateway.settings
            for isOn in [false, true, false] {
                settings.usesMDNS = isOn
                fixture.gateway.apply(settings)
                #expect(
                    await words()
                        == (isOn
                            ? "\(DiscoveryError.daemonMissing) or name the bridge under discovery.hosts"
                            : "mDNS is off (discovery.mdns)"))
            }
        }
    }

    @Test func `the maker's list is requested at most every quarter of an hour, and its answer is repeated meanwhile`()
        async throws
    {
        try await withBridge { fixture in
            let entry =
                "{\"id\":\"\(fixture.id)\",\"internalipaddress\":\"\(fixture.ready.host)\","
                + "\"port\":\(fixture.ready.httpsPort)}"
            let server = try CannedServer(200, "[\(entry)]")
            defer { server.stop() }
            let survey = await Self.survey {
                $0.usesCloud = true
                $0.cloudURL = "http://127.0.0.1:\(server.port)/"
            }
            #expect(survey.sightings.map(\.id) == [fixture.id])
            #expect(survey.discoveries.first?.attempts.allSatisfy { $0.way == .cloud } == true)

            let client = HTTPClient()
            defer { client.shutdown() }
            let time = HandBridgeClock()
            let cloud = CloudLookUp(
                client: client, url: "http://127.0.0.1:\(server.port)/", clock: time.clock)
            let first = await cloud.fetch()
            #expect(first.words == "it knows of 1 bridge here")
            time.wind(by: .seconds(3 * 60 + 5))
            let again = await cloud.fetch()
            #expect(again.words == "asked 3 min ago, the answer was: it knows of 1 bridge here")
            #expect(again.addresses == first.addresses)
            #expect(server.requests.count == 2)
            time.wind(by: .seconds(12 * 60))
            #expect(await cloud.fetch().words == first.words)
            #expect(server.requests.count == 3)
        }
    }

    @Test(arguments: [
        (429, "[]", "it was asked too often from this home (HTTP 429); it answers again in about 15 min"),
        (500, "", "it answered with an error (HTTP 500)"), (200, "<html>", "its answer is not a list of bridges"),
        (200, "{\"id\":7}", "its answer is not a list of bridges"),
        (200, "[{\"internalipaddress\":\"evil.example\"}]", "it knows of no bridge here"),
        (200, "[]", "it knows of no bridge here"),
    ])
    func `other answers of the maker's list are reported in words`(status: Int, body: String, words: String)
        async throws
    {
        let server = try CannedServer(status, body)
        defer { server.stop() }
        let client = HTTPClient()
        defer { client.shutdown() }
        let answer = await CloudLookUp(client: client, url: "http://127.0.0.1:\(server.port)/", clock: .system).fetch()
        #expect(answer.words == words && answer.addresses.isEmpty)
    }

    @Test(arguments: [(1000, true), (100_000, false)])
    func `a bridge that is looked for elsewhere says in a few bytes who it is`(length: Int, isThere: Bool) async throws
    {
        let padding = String(repeating: "x", count: length)
        let server = try CannedServer(200, "{\"bridgeid\":\"ECB5FAFFFE010203\",\"name\":\"\(padding)\"}")
        defer { server.stop() }
        let client = HTTPClient()
        defer { client.shutdown() }
        let finder = BridgeFinder(client: client, settings: Live(.patient), browser: .blind)
        let call = BridgeCall(
            bridge: Bridge.ID("ecb5fafffe010203"), address: Bridge.Address(host: "127.0.0.1", port: server.port),
            trust: ServerTrust(.plain, makerRoots: ""), isPlain: true, timeouts: .patient)
        #expect(await finder.isThere(call) == isThere)
    }

    @Test func `of many silent announcements a few are tried at a time, and none when the search is over`() async throws
    {
        let silent = try (1...24).map { _ in try CannedServer(200, nil) }
        defer { for server in silent { server.stop() } }
        let events = Announcements()
        for (number, server) in silent.enumerated() {
            events.tell(.found(.announced(server.port, id: nil, name: "Fake \(number)")))
        }
        let survey = await Self.survey({ _ in }, events, for: .milliseconds(500))
        #expect(silent.count { $0.connections > 0 } == BridgeFinder.atOnce)
        let words = survey.discoveries.flatMap(\.attempts).map(\.result)
        #expect(
            words.contains(
                "\(24 - BridgeFinder.atOnce) announced addresses were not tried: too many for one search; "
                    + "name the bridge under discovery.hosts"))
    }

    @Test(arguments: ["x; id", "$(id)", "ecb5fafffe010203\\u0301", "\\u202Eecb5", "-wait", "a/b", "a b", "\(long)"])
    func `a bridge with an id that none can have is not offered, and the survey says why`(id: String) async throws {
        let server = try CannedServer(200, "{\"bridgeid\":\"\(id)\",\"name\":\"Hue\",\"modelid\":\"BSB002\"}")
        defer { server.stop() }
        let survey = await Self.survey { $0.hosts = [Bridge.Address(host: "127.0.0.1", port: server.port)] }
        #expect(survey.sightings.isEmpty)
        let words = survey.discoveries.flatMap(\.attempts).map(\.result)
        #expect(words.contains { $0.contains("the id that it gives itself cannot be used") }, "\(words)")
    }

    private static let long = String(repeating: "a", count: 65)

    @Test func `an announced bridge is found beside announcements of other devices`() async throws {
        try await withBridge(.flat, { $0.host = "127.0.0.1" }) { fixture in
            let events = Announcements()
            events.tell(.found(.announced(9, id: nil, name: "Emulator")))
            events.tell(.found(.announced(fixture.ready.httpsPort, id: fixture.id)))
            let survey = await Self.survey({ _ in }, events, for: .milliseconds(300))
            #expect(survey.sightings.map(\.id) == [fixture.id])
            #expect(survey.discoveries.last?.id == nil)
            #expect(survey.discoveries.last?.attempts.contains { $0.asked == "https://127.0.0.1:9" } == true)
        }
    }
}

/// mDNS announcements that a test makes.
final class Announcements: Sendable {
    let stream: AsyncStream<DiscoveryEvent>
    private let slot: AsyncStream<DiscoveryEvent>.Continuation

    init() { (stream, slot) = AsyncStream.makeStream() }

    func tell(_ event: DiscoveryEvent) { slot.yield(event) }
}

extension DiscoveredService {
    static func announced(_ port: Int, id: Bridge.ID?, name: String = "Hue Bridge") -> Self {
        announced(port, text: id?.description, name: name)
    }

    static func announced(_ port: Int, text: String?, name: String = "Hue Bridge") -> Self {
        DiscoveredService(
            name: name, type: "_hue._tcp", host: "house.local", port: port,
            addresses: [IPAddress("127.0.0.1")].compactMap { $0 }, text: text.map { ["bridgeid": $0] } ?? [:])
    }
}
